// What the guards found, for the reply's headers and metadata.

import type { Facts, SecurityChecks } from "../types/call.ts"
import type { PlannedSignal } from "../types/plan.ts"
import type { RequestInput } from "./signals.ts"

/**
 * Whether each guard found something. One that saw no match is left out unless every one of its rules read the whole request,
 * all of which is text: `false` would claim a check that did not happen. Undefined when nothing is left to say.
 */
export function securityChecks(
  signals: readonly PlannedSignal[],
  facts: Facts,
  input: Pick<RequestInput, "guardTexts">,
): SecurityChecks | undefined {
  let checks: Record<string, boolean> | undefined
  for (const signal of signals) {
    const found = findingOf(signal, facts, input)
    if (found === undefined) continue
    checks ??= {}
    checks[signal.type] = found
  }
  return checks
}

function findingOf(
  { rules, firstSlot, guard }: PlannedSignal,
  facts: Facts,
  input: Pick<RequestInput, "guardTexts">,
): boolean | undefined {
  if (guard === undefined) return undefined
  let isRead = rules.length > 0
  for (let index = 0; index < rules.length; index++) {
    const state = facts[firstSlot + index]?.state
    if (state === "match") return true
    if (state !== "no_match") isRead = false
  }
  return isRead && guard.every((policy) => input.guardTexts.isWholeFor(policy)) ? false : undefined
}
