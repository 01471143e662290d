// Which decisions of a document depend on guards, which guards stop nothing, which listeners let clients go around them, and which
// decisions are never chosen.

import { invalid, type Problem } from "../../schema/problem.ts"
import { type Registry, signalConditionType, signalConfigKey } from "../../modules/registry.ts"
import type { UnknownPolicy } from "../../types/call.ts"
import type { GuardPolicy } from "../../types/guard.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { inRecipe, profilesOf } from "../recipes/view.ts"
import { listenersOf } from "./listeners.ts"
import { callableModels } from "./model-cards.ts"
import { autoNamesOf, strategyOf } from "./router.ts"
import { leavesOf, type RuleEntry, whenUnknown } from "./rules.ts"
import { guardPolicy, usualOnError } from "./signals.ts"
import type { RegisteredSignal } from "../bindings.ts"
import { rulesOf, settingsOf, typesReadByPlugins } from "../signal-use.ts"

/** A decision that asks for a rule of a guard, or for a rule that is made of it. */
export interface GuardUse extends GuardPolicy {
  readonly decision: string
  /** The recipe that has the decision; left out for the document's own routing. */
  readonly recipe?: string
  /** The conditions that are made of its fact, where none asks for it itself: type and name. */
  readonly through?: readonly string[]
  /** Condition type of the guard. */
  readonly guard: string
  readonly rule: string
  /** What its conditions make of a request that was not read whole. */
  readonly unread: ReadonlySet<UnreadOutcome>
}

/** What the condition says, or what the whole decision then does. */
export type UnreadOutcome = "found" | "not_found" | `decision_${UnknownPolicy}`

interface Loaded {
  readonly document: ConfigDocument
  readonly registry: Registry
}

/** In the order of the decisions; those of recipes come last. */
export const guardUses = ({ document, registry }: Loaded): readonly GuardUse[] =>
  profilesOf(document).flatMap((profile, index) => {
    const recipe = document.recipes?.[index - 1]?.name
    return guardUsesOf(profile, registry).map((use) => (recipe === undefined ? use : { ...use, recipe }))
  })

function guardUsesOf(document: ConfigDocument, registry: Registry): readonly GuardUse[] {
  const signals = registry.all("signal")
  const guards = signals.filter(({ module }) => module.guard === true)
  const composed = signals.flatMap((registered) => composedRules(registered, document))
  return (document.routing?.decisions ?? []).flatMap(({ name: decision, rules }) =>
    guards.flatMap((registered) => {
      const guard = signalConditionType(registered.id, registered.module)
      const leaves = leavesOf(rules, guard)
      const settings = settingsOf(registered.module, document)
      const usual = usualOnError(registered.module, settings)
      const onUnknown = rules?.on_unknown ?? "no_match"
      return rulesOf(registered, document).flatMap((rule): readonly GuardUse[] => {
        const asking = leaves.filter(({ name }) => name === rule.name)
        const made = composed.filter(({ isMadeOf }) => isMadeOf(guard, rule.name))
        const through = made.flatMap(({ type, name }) => leavesOf(rules, type).filter((leaf) => leaf.name === name))
        if (asking.length === 0 && through.length === 0) return []
        const policy = guardPolicy(rule, settings)
        const blocks = policy.onUnscanned === "block"
        const unread = new Set([
          ...asking.map(({ on_error: onError = usual }) => outcomeOf(onError, blocks, onUnknown)),
          // What is made of a guard's fact has taken it as found already, where the guard says so.
          ...through.map(({ on_error: onError }) => outcomeOf(blocks ? "match" : (usual ?? onError), false, onUnknown)),
        ])
        const shown = [...new Set(through.map(({ type, name }) => `${type} "${name}"`))]
        return [{ decision, guard, rule: rule.name, ...policy, unread, ...(asking.length === 0 && { through: shown }) }]
      })
    }),
  )
}

interface ComposedRule {
  readonly type: string
  readonly name: string
  readonly isMadeOf: (type: string, name: string) => boolean
}

/** The rules of a signal whose facts are made of those of others. */
function composedRules(registered: RegisteredSignal, document: ConfigDocument): readonly ComposedRule[] {
  const { madeOf } = registered.module
  if (madeOf === undefined) return []
  const type = signalConditionType(registered.id, registered.module)
  return rulesOf(registered, document).map((rule) => {
    const parts = madeOf(rule as never)
    return {
      type,
      name: rule.name,
      isMadeOf: (partType, partName) => parts.some((part) => part.type === partType && part.name === partName),
    }
  })
}

function outcomeOf(onError: RuleEntry["on_error"], blocks: boolean, onUnknown: UnknownPolicy): UnreadOutcome {
  const says = whenUnknown(onError, blocks, onUnknown)
  return says === undefined ? `decision_${onUnknown}` : says === "match" ? "found" : "not_found"
}

/** Guards that stop nothing, ways around the others, and decisions that nothing chooses. */
export const guardWarnings = (loaded: Loaded): readonly Problem[] => [
  ...profilesOf(loaded.document).flatMap((profile, index) =>
    [...unusedGuards(profile, loaded.registry), ...lateDecisions(profile, loaded.registry)].map((problem) =>
      index === 0 ? problem : { ...problem, path: inRecipe(problem.path, index - 1) },
    ),
  ),
  ...openListeners(loaded),
]

/** Rules of guards for requests that no decision asks for, and no plugin reads. */
function unusedGuards(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const uses = guardUsesOf(document, registry)
  const readByPlugins = new Set(typesReadByPlugins(document, registry))
  return registry
    .all("signal")
    .filter(({ module }) => module.guard === true && module.routing === undefined)
    .flatMap((registered) => {
      const guard = signalConditionType(registered.id, registered.module)
      if (readByPlugins.has(guard)) return []
      const all = rulesOf(registered, document)
      return rulesOf(registered, document, true).flatMap((rule): readonly Problem[] => {
        if (uses.some((use) => use.guard === guard && use.rule === rule.name)) return []
        const at = ["routing", "signals", signalConfigKey(registered.id, registered.module), all.indexOf(rule)]
        const condition = `{ type: ${guard}, name: ${rule.name} }`
        return [invalid(at, `stops nothing: no decision asks for it; write a decision with rules: ${condition}`)]
      })
    })
}

/** Decisions behind one that matches every request: nothing chooses them, and guards that they ask for stop nothing. */
function lateDecisions(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const decisions = document.routing?.decisions ?? []
  const asking = new Set(guardUsesOf(document, registry).map(({ decision }) => decision))
  const comesBefore = orderOf(document)
  const matchAll = decisions.filter(({ rules }) => rules?.type === undefined && (rules?.conditions ?? []).length === 0)
  return matchAll.flatMap((first): readonly Problem[] => {
    const late = decisions.filter((each) => comesBefore(first, each))
    if (late.length === 0 || matchAll.some((other) => comesBefore(other, first))) return []
    const guarded = late.filter(({ name }) => asking.has(name))
    const guards = guarded.length === 0 ? "" : `, so that the guards of ${namesOf(guarded)} stop nothing`
    const tiers = late.map(({ tier = 0 }) => tier)
    const behind = tiers.some((tier) => tier > 0)
      ? `tier above ${Math.max(...tiers)}`
      : `priority below ${Math.min(...late.map(({ priority = 0 }) => priority))}`
    return [
      invalid(
        ["routing", "decisions", decisions.indexOf(first)],
        `"${first.name}" matches every request and comes before ${namesOf(late)}, which ${late.length === 1 ? "is" : "are"} never chosen${guards}; give it rules, or a ${behind}`,
      ),
    ]
  })
}

/** A warning goes into one line. */
const maxNames = 10

function namesOf(decisions: readonly { readonly name: string }[]): string {
  const names = decisions.slice(0, maxNames).map(({ name }) => `"${name}"`)
  return `${names.join(", ")}${decisions.length > maxNames ? ` and ${decisions.length - maxNames} more` : ""}`
}

interface Ranked {
  readonly priority?: number
  readonly tier?: number
}

/** Whether the first of two decisions wins where both match, whatever the confidence of the second and what else matches. */
function orderOf(document: ConfigDocument): (first: Ranked, second: Ranked) => boolean {
  const { decisions = [] } = document.routing ?? {}
  // A decision with a tier that matches as well makes the confidence decide between those without.
  const byPriority = strategyOf(document) === "priority" && decisions.every(({ tier = 0 }) => tier === 0)
  return ({ tier = 0, priority = 0 }, second) =>
    tier < (second.tier ?? 0) || (byPriority && priority > (second.priority ?? 0))
}

/** Listeners on which a client may name a model, where the document has guards in use: such a request passes no decision. */
function openListeners(loaded: Loaded): readonly Problem[] {
  const { document } = loaded
  const callable = callableModels(document)
  if (callable.size === 0 || guardUses(loaded).length === 0) return []
  return listenersOf(document).flatMap(({ name, models }, index) => {
    const named = models?.find((each) => callable.has(each))
    if (models !== undefined && named === undefined) return []
    const which = named === undefined ? "any model" : `"${named}"`
    const routed = models?.filter((each) => !callable.has(each)) ?? []
    const instead = routed.length > 0 ? routed : [...autoNamesOf(document).slice(0, 1), ...entrypointNames(document)]
    return [
      invalid(
        ["listeners", index, "models"],
        `lets clients of "${name}" name ${which}, and a request that names its model passes no decision and no guard; models: [${instead.join(", ")}] forbids it`,
      ),
    ]
  })
}

const entrypointNames = ({ entrypoints = [] }: ConfigDocument): readonly string[] =>
  entrypoints.flatMap(({ model_names: names }) => names)
