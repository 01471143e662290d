// Which decisions of a document depend on guards.

import { type Registry, signalConditionType } from "../../modules/registry.ts"
import type { UnknownPolicy } from "../../types/call.ts"
import type { GuardPolicy } from "../../types/guard.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { profilesOf } from "../recipes/view.ts"
import { leavesOf, type RuleEntry, whenUnknown } from "./rules.ts"
import { guardPolicy, usualOnError } from "./signals.ts"
import type { RegisteredSignal } from "../bindings.ts"
import { rulesOf, settingsOf } from "../signal-use.ts"

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

export interface LoadedGuards {
  readonly document: ConfigDocument
  readonly registry: Registry
}

/** In the order of the decisions; those of recipes come last. */
export const guardUses = ({ document, registry }: LoadedGuards): readonly GuardUse[] =>
  profilesOf(document).flatMap((profile, index) => {
    const recipe = document.recipes?.[index - 1]?.name
    return guardUsesOf(profile, registry).map((use) => (recipe === undefined ? use : { ...use, recipe }))
  })

/** Those of one profile: the document's own routing, or that of a recipe. */
export function guardUsesOf(document: ConfigDocument, registry: Registry): readonly GuardUse[] {
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
