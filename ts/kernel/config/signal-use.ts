// Which signals a document uses, with their rules and settings.

import { RtrError } from "../error.ts"
import { type Registry, signalConditionType, signalConfigKey } from "../modules/registry.ts"
import { valueAt } from "../schema/value-at.ts"
import type { RegisteredModule } from "../types/module.ts"
import type { SignalModule } from "../types/signal.ts"
import type { ConfigDocument } from "./document-schema.ts"
import type { RuleEntry } from "./sections/rules.ts"
import type { SignalRule } from "./sections/signals.ts"

type RegisteredSignal = RegisteredModule<SignalModule>

/**
 * Signals that some decision refers to, and those whose facts they read, in the order of registration. A signal that is
 * only read by others, or by plugins, is in use when it has rules. With "replies" also those that read replies for plugins.
 */
export function usedSignals(
  document: ConfigDocument,
  registry: Registry,
  replies?: "replies",
): readonly RegisteredSignal[] {
  const all = registry.all("signal")
  const byType = new Map(all.map((each) => [signalConditionType(each.id, each.module), each]))
  const used = new Set<RegisteredSignal>()
  const visit = (registered: RegisteredSignal | undefined): void => {
    if (registered === undefined || used.has(registered)) return
    used.add(registered)
    visitRead(afterOf(registered, document))
  }
  const visitRead = (types: readonly string[]): void => {
    for (const type of types) {
      const before = byType.get(type)
      if (before !== undefined && rulesOf(before, document).length > 0) visit(before)
    }
  }
  for (const type of usedConditionTypes(document)) visit(byType.get(type))
  visitRead(typesReadByPlugins(document, registry))
  for (const { plugins = [] } of document.routing?.decisions ?? [])
    for (const { type, configuration } of plugins) {
      const plugin = registry.find("plugin", type)?.module
      if (replies !== undefined) for (const judge in plugin?.judges?.(configuration as never)) visit(byType.get(judge))
    }
  return all.filter((registered) => used.has(registered))
}

/**
 * Condition types of which modules may ask facts: those of all signals, and what a module names although no signal here has it.
 * False for those whose rules nobody asks for, so that they have no facts.
 */
export function factTypes(document: ConfigDocument, registry: Registry): ReadonlyMap<string, boolean> {
  const used = usedSignals(document, registry)
  const types = new Map<string, boolean>()
  for (const type of used.flatMap((each) => afterOf(each, document))) types.set(type, true)
  for (const type of typesReadByPlugins(document, registry)) types.set(type, true)
  for (const each of registry.all("signal"))
    types.set(
      signalConditionType(each.id, each.module),
      used.includes(each) || rulesOf(each, document, true).length === 0,
    )
  return types
}

/** Condition types that plugins of decisions come after. */
export const typesReadByPlugins = ({ routing }: ConfigDocument, registry: Registry): readonly string[] =>
  (routing?.decisions ?? []).flatMap(({ plugins = [] }) => plugins.flatMap((entry) => readByPlugin(entry, registry)))

/** Condition types that one plugin of a decision comes after. */
export const readByPlugin = (
  { type, configuration }: { readonly type: string; readonly configuration: object },
  registry: Registry,
): readonly string[] => registry.find("plugin", type)?.module.after?.(configuration as never) ?? []

function usedConditionTypes(document: ConfigDocument): ReadonlySet<string> {
  return new Set((document.routing?.decisions ?? []).flatMap((decision) => leafTypes(decision.rules)))
}

function leafTypes(node: RuleEntry | undefined): readonly string[] {
  if (node === undefined) return []
  return node.type !== undefined ? [node.type] : (node.conditions ?? []).flatMap(leafTypes)
}

/**
 * The level of each used signal by condition type: 0 for one that reads no other's facts, otherwise one more than the highest
 * that it comes after. Throws `invalid_config` for signals that wait for each other.
 */
export function signalLevels(used: readonly RegisteredSignal[], document: ConfigDocument): ReadonlyMap<string, number> {
  const byType = new Map(used.map((each) => [signalConditionType(each.id, each.module), each]))
  const levels = new Map<string, number>()
  const levelOf = (type: string, waiting: readonly string[]): number => {
    const known = levels.get(type)
    if (known !== undefined) return known
    if (waiting.includes(type))
      throw new RtrError(
        "invalid_config",
        `Cannot order signals: each comes after the next: ${[...waiting.slice(waiting.indexOf(type)), type].join(" → ")}`,
      )
    const before = afterOf(byType.get(type) as RegisteredSignal, document).filter((each) => byType.has(each))
    const level = Math.max(-1, ...before.map((each) => levelOf(each, [...waiting, type]))) + 1
    levels.set(type, level)
    return level
  }
  for (const type of byType.keys()) levelOf(type, [])
  return levels
}

/** The signal's rules in this document; with `read` those that decisions may ask for, or with "replies" those for replies. */
export function rulesOf(
  { id, module }: RegisteredSignal,
  { routing = {} }: ConfigDocument,
  read?: true | "replies",
): readonly SignalRule[] {
  const rules =
    (module.routing?.rules(routing, read === true) as readonly SignalRule[] | undefined) ??
    routing.signals?.[signalConfigKey(id, module)] ??
    []
  return read === undefined
    ? rules
    : rules.filter((rule) => (module.readsReply?.(rule as never) === true) === (read === "replies"))
}

function afterOf(registered: RegisteredSignal, document: ConfigDocument): readonly string[] {
  const { after = [] } = registered.module
  return typeof after === "function" ? after(rulesOf(registered, document, true) as never) : after
}

/** The signal's section of `global`; empty when the document has none. */
export function settingsOf({ settings }: Pick<SignalModule, "settings">, { global }: ConfigDocument): object {
  return settings === undefined ? {} : ((valueAt(global, settings.path) ?? {}) as object)
}
