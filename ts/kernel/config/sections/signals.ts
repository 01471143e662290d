// `routing.signals`: lists of rules. Each signal brings the schema of its own.

import { Type, type TProperties, type TUnsafe } from "typebox"
import { type DocumentPath, RtrError } from "../../error.ts"
import { grantSetup } from "../../modules/capabilities.ts"
import { type Registry, signalConditionType, signalConfigKey } from "../../modules/registry.ts"
import { setUp } from "../../modules/set-up.ts"
import { invalid, type Problem, reportInto, suggestion } from "../../schema/problem.ts"
import { guardRule } from "../../schema/guard-options.ts"
import { name, section } from "../../schema/shapes.ts"
import { type GuardPolicy, strictPolicy, type UnreadKind } from "../../types/guard.ts"
import type { BatchedQuestions } from "../../types/inference.ts"
import type { PlannedSignal } from "../../types/plan.ts"
import type { ReplyRule } from "../../types/plugin.ts"
import type { ReadDocumentFile, SignalReader } from "../../types/signal.ts"
import { compileTarget, questionsOf, readingBinding, unboundIn, type RegisteredSignal } from "../bindings.ts"
import type { CompileContext } from "../compile.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"
import { type LaterProblems, moduleProblems } from "../module-problems.ts"
import { findHead, type PackageHead } from "../package-heads.ts"
import { rulesOf, settingsOf, signalLevels, usedSignals } from "../signal-use.ts"
import type { DecisionEntry } from "./decisions.ts"
import { callableModels } from "./model-cards.ts"
import { type DeclaredSignals, leafNames } from "./rules.ts"

export type SignalRule = Readonly<Record<string, unknown>> & { readonly name: string; readonly description?: string }
type SignalsSection = Readonly<Record<string, readonly SignalRule[] | undefined>>

export function signalsSchema(registry: Registry): TUnsafe<SignalsSection> {
  const properties: TProperties = {}
  for (const { id, module } of registry.all("signal")) {
    if (module.routing !== undefined) continue
    const rule = section({
      name,
      description: Type.Optional(Type.String()),
      ...(module.guard === true && (guardRule as TProperties)),
      ...(module.rule.properties as TProperties),
    })
    properties[signalConfigKey(id, module)] = Type.Optional(Type.Array(rule, { description: module.about }))
  }
  return Type.Unsafe<SignalsSection>(section(properties))
}

/** Rules that signals assume for condition names when the document declares none of theirs. */
export function impliedRules(
  declared: SignalsSection | undefined,
  decisions: readonly DecisionEntry[],
  registry: Registry,
): Record<string, readonly SignalRule[]> {
  const implied: Record<string, readonly SignalRule[]> = {}
  for (const { id, module } of registry.all("signal")) {
    const key = signalConfigKey(id, module)
    if (module.implyRules === undefined || (declared?.[key]?.length ?? 0) > 0) continue
    const type = signalConditionType(id, module)
    const names = new Set(decisions.flatMap(({ rules }) => leafNames(rules, type)))
    if (names.size > 0) implied[key] = module.implyRules([...names]) as readonly SignalRule[]
  }
  return implied
}

/** `heads` are those of deployments whose package is known, by the deployment's name. Checks that take time go to `later`. */
export function checkSignals(
  document: ConfigDocument,
  registry: Registry,
  heads: ReadonlyMap<string, readonly PackageHead[]>,
  later: LaterProblems,
  readFile?: ReadDocumentFile,
): readonly Problem[] {
  const declared = declaredSignals(document, registry)
  const signals = registry.all("signal")
  const used = new Set(usedSignals(document, registry, "replies"))
  const models = callableModels(document)
  return signals.flatMap((registered) => {
    const { id, module } = registered
    const binding = readingBinding(registered, document)
    const head =
      binding === undefined ? undefined : findHead({ head: binding.head }, heads.get(binding.deployment) ?? [])
    const rules = rulesOf(registered, document)
    const at: DocumentPath = [
      "routing",
      ...(module.routing === undefined ? ["signals", signalConfigKey(id, module)] : module.routing.path),
    ]
    const problems: Problem[] = [
      ...duplicates(
        rules.map((rule) => rule.name.trim()),
        (index) => [...at, index, "name"],
      ),
    ]
    // `services` binds what other parts of the document name, later and by itself.
    if (used.has(registered) && module.services === undefined)
      for (const unbound of unboundIn(registered, document)) {
        const [kind = unbound, ...rule] = unbound.split(".")
        const index = rules.findIndex((each) => each.name === rule.join("."))
        reportInto(problems, at)(
          rules.length === 0 ? [] : [Math.max(0, index)],
          `has no model: rtr serve refuses this until global.model_catalog.bindings names one as "${unbound}"${unbound === kind ? "" : ` or "${kind}"`}; rtr has none built in`,
          "warning",
        )
      }
    return [
      ...problems,
      ...rules.flatMap((rule, index) => unknownScores(module.modelScores?.(rule as never), models, [...at, index])),
      ...moduleProblems(registered, ["global"], later, (report) => module.checkGlobal?.(document, report)),
      ...moduleProblems(registered, at, later, (report) =>
        module.check?.(rules as never, report, { labels: head?.labels, document, signals, readFile, declared }),
      ),
    ]
  })
}

/** Scores of models that nothing can choose. */
function unknownScores(
  scores: Readonly<Record<string, number>> = {},
  models: ReadonlySet<string>,
  rule: DocumentPath,
): readonly Problem[] {
  return Object.keys(scores)
    .filter((model) => !models.has(model))
    .map((model) => ({
      ...invalid(
        [...rule, "model_scores"],
        `has no effect for "${model}", which is not in providers.models${suggestion(model, models)}`,
      ),
      severity: "warning" as const,
    }))
}

/** Names that conditions may refer to. */
export function declaredSignals(document: ConfigDocument, registry: Registry): DeclaredSignals {
  const declared = new Map<string, ReadonlySet<string>>()
  for (const registered of registry.all("signal")) {
    const { id, module } = registered
    const rules = rulesOf(registered, document)
    // A signal that implies rules accepts any name while the document declares none.
    if (rules.length > 0 || module.implyRules === undefined)
      declared.set(signalConditionType(id, module), new Set(factNames(module, rules)))
  }
  return declared
}

/** What conditions on a signal's rules name, each once. */
export function factNames(module: RegisteredSignal["module"], rules: readonly SignalRule[]): readonly string[] {
  const { factNames: of } = module
  return of === undefined
    ? rules.map(({ name: rule }) => rule)
    : [...new Set(rules.flatMap((rule) => of(rule as never)))]
}

/** For previews; nothing where no rule of the signal has a threshold. */
function thresholdsOf(
  { factNames: of }: RegisteredSignal["module"],
  rules: readonly SignalRule[],
  usualOf: (rule: SignalRule) => number | undefined,
): Pick<PlannedSignal, "thresholds"> {
  const thresholds = rules.map((rule) => (typeof rule["threshold"] === "number" ? rule["threshold"] : usualOf(rule)))
  return of === undefined && thresholds.some((threshold) => threshold !== undefined) ? { thresholds } : {}
}

/** Score that a rule with the decision's name gives a model; 1 when none does. */
export function modelScore(
  { document, registry }: Pick<CompileContext, "document" | "registry">,
  { decision, model }: { readonly decision: string; readonly model: string },
): number {
  for (const registered of registry.all("signal")) {
    const rule = rulesOf(registered, document).find((each) => each.name === decision)
    const scores = rule === undefined ? undefined : registered.module.modelScores?.(rule as never)
    if (scores !== undefined && Object.hasOwn(scores, model)) return scores[model] ?? 1
  }
  return 1
}

/**
 * Sets up the signals that decisions use, in the order of registration; the others cost nothing. All rules of a used signal
 * are read, because some signals rank their rules against each other.
 */
export async function compileSignals(context: CompileContext): Promise<readonly PlannedSignal[]> {
  const used = usedSignals(context.document, context.registry)
  const levels = signalLevels(used, context.document)
  const planned: PlannedSignal[] = []
  let firstSlot = 0
  for (const registered of used) {
    // What may refuse the request comes first, before models are asked.
    const level = registered.module.refuses
      ? -1
      : (levels.get(signalConditionType(registered.id, registered.module)) ?? 0)
    const signal = await compileSignal(registered, { ...context, firstSlot, level })
    planned.push(signal)
    firstSlot += signal.rules.length
  }
  return planned
}

/** Sets up the signals that read replies for a plugin, with their rules for replies, or the plugin's own where there is none. */
export async function compileReplySignals(
  judges: Readonly<Record<string, ReplyRule>>,
  context: CompileContext,
): Promise<readonly PlannedSignal[]> {
  const planned: PlannedSignal[] = []
  let firstSlot = 0
  for (const registered of context.registry.all("signal")) {
    const ownRule = judges[signalConditionType(registered.id, registered.module)]
    if (ownRule === undefined) continue
    const declared = rulesOf(registered, context.document, "replies")
    const rules = declared.length > 0 ? declared : [ownRule(settingsOf(registered.module, context.document))]
    planned.push(await compileSignal(registered, { ...context, firstSlot, level: 0 }, rules))
    firstSlot += rules.length
  }
  return planned
}

async function compileSignal(
  registered: RegisteredSignal,
  context: CompileContext & Pick<PlannedSignal, "firstSlot" | "level">,
  rules: readonly SignalRule[] = rulesOf(registered, context.document, true),
): Promise<PlannedSignal> {
  const { id, module } = registered
  const { document, registry, services, firstSlot, level } = context
  const type = signalConditionType(id, module)
  const configKey = signalConfigKey(id, module)
  // A missing binding is the likelier mistake: without one, no worker was started either.
  const target = compileTarget(registered, document)
  if (target !== undefined && services.inference === undefined) {
    throw new RtrError(
      "invalid_config",
      `Cannot use signal "${type}": it asks a model, and this kernel has no inference; pass one to createKernel, or bind the signal under global.model_catalog.bindings`,
      { path: ["routing", "signals", configKey] },
    )
  }
  const settings = settingsOf(module, document)
  const onUnknown = usualOnError(module, settings)
  const grantee = {
    name: `signal:${id}`,
    vectors: target === undefined ? undefined : (target.vectors ?? target.deployment),
  }
  const granted = grantSetup(module.needs ?? [], services, grantee)
  const reader = await setUp({ kind: "signal", id, source: registered.source }, () =>
    module.setup(
      rules as never,
      { settings, document, signals: registry.all("signal"), readFile: services.readFile, ...granted } as never,
    ),
  )
  context.closing(grantee.name, reader)
  return {
    type,
    configKey,
    rules: factNames(module, rules),
    ...thresholdsOf(module, rules, (rule) => module.usualThreshold?.(settings as never, document, rule as never)),
    ...(module.debugHeader && { debugHeader: module.debugHeader }),
    firstSlot,
    level,
    target,
    guard: module.guard === true ? rules.map((rule) => guardPolicy(rule, settings)) : undefined,
    ...(onUnknown !== undefined && { onUnknown }),
    ...(module.refuses && { refuses: true }),
    read: readWith(reader, questionsOf(registered)),
  }
}

/** How a rule takes what it could not read: as it says, else as the guard's settings say. */
export function guardPolicy(
  rule: SignalRule & GuardOptions,
  settings: Pick<GuardOptions, "on_unscanned">,
): GuardPolicy {
  return {
    onUnscanned: rule.on_unscanned ?? settings.on_unscanned ?? strictPolicy.onUnscanned,
    readsEverything: rule.include_history ?? strictPolicy.readsEverything,
    allowedUnread: new Set(rule.allow_unread),
    maxScanTokens: rule.max_scan_tokens,
  }
}

/** `on_error` of the conditions on a signal's rules that have none. */
export function usualOnError(
  { guard, onUnknown }: RegisteredSignal["module"],
  settings: Pick<GuardOptions, "on_error">,
): "match" | "no_match" | undefined {
  return onUnknown?.(settings as never) ?? (guard === true && settings.on_error === "block" ? "match" : undefined)
}

interface GuardOptions {
  readonly on_unscanned?: "block" | "allow"
  readonly on_error?: "block" | "allow"
  readonly include_history?: boolean
  readonly max_scan_tokens?: number
  readonly allow_unread?: readonly UnreadKind[]
}

const noQuestions = Object.freeze({})

/** A signal gets the questions that it needs and no others. */
function readWith(reader: SignalReader, granted: readonly (keyof BatchedQuestions)[]): PlannedSignal["read"] {
  if (granted.length === 0) return (input) => reader.read(input, noQuestions)
  return (input, questions) =>
    reader.read(input, Object.fromEntries(granted.map((question) => [question, questions[question]])))
}
