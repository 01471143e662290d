// The one normal form of a document: current spelling, explicit operators, defaults that change routing, fixed order of keys.

import { type Registry, signalConditionType, signalConfigKey } from "../modules/registry.ts"
import { canonicalRules } from "./rules.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { DecisionEntry, RuleEntry, SignalRule } from "./schema/routing.ts"

/** Normalises a valid document; doing it twice changes nothing. */
export function canonicalDocument(document: ConfigDocument, registry: Registry): ConfigDocument {
  const { version, modules, listeners, providers, routing, global } = document
  return dropUndefined({
    version,
    modules,
    listeners: listeners?.map((listener) => ({ ...listener, timeout: listener.timeout ?? "300s" })),
    providers,
    routing: routing && canonicalRouting(routing, registry),
    global,
  }) as ConfigDocument
}

function canonicalRouting(
  routing: NonNullable<ConfigDocument["routing"]>,
  registry: Registry,
): NonNullable<ConfigDocument["routing"]> {
  const decisions = routing.decisions?.map(canonicalDecision)
  const signals = { ...routing.signals, ...impliedRules(routing.signals, decisions ?? [], registry) }
  return dropUndefined({
    modelCards: routing.modelCards,
    signals: Object.keys(signals).length === 0 ? undefined : signals,
    decisions,
    strategy: routing.strategy,
  }) as NonNullable<ConfigDocument["routing"]>
}

function canonicalDecision(decision: DecisionEntry): DecisionEntry {
  return dropUndefined({
    name: decision.name,
    description: decision.description,
    priority: decision.priority ?? 0,
    tier: decision.tier,
    rules: canonicalRules(decision.rules),
    modelRefs: (decision.modelRefs ?? []).map((ref) => ({ ...ref, use_reasoning: ref.use_reasoning ?? false })),
    algorithm: decision.algorithm ?? { type: "static" },
    plugins: decision.plugins,
  }) as DecisionEntry
}

/** Rules that a signal assumes for condition names when the document declares none of its rules. */
function impliedRules(
  declared: NonNullable<ConfigDocument["routing"]>["signals"],
  decisions: readonly DecisionEntry[],
  registry: Registry,
): Record<string, readonly SignalRule[]> {
  const implied: Record<string, readonly SignalRule[]> = {}
  for (const { id, module } of registry.all("signal")) {
    const key = signalConfigKey(id, module)
    if (module.implyRules === undefined || (declared?.[key]?.length ?? 0) > 0) continue
    const names = new Set(decisions.flatMap((decision) => leafNames(decision.rules, signalConditionType(id, module))))
    if (names.size > 0) implied[key] = module.implyRules([...names]) as readonly SignalRule[]
  }
  return implied
}

function leafNames(node: RuleEntry | undefined, type: string): readonly string[] {
  if (node === undefined) return []
  if (node.type === type && node.name !== undefined) return [node.name]
  return (node.conditions ?? []).flatMap((child) => leafNames(child, type))
}

function dropUndefined(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}
