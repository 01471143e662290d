// Which signals could not be read, and which guards did not read all that they have to.

import type { SignalReadings } from "../types/call.ts"
import type { UnknownSignal } from "../types/fact.ts"
import type { Unscanned } from "../types/guard.ts"
import type { PlannedSignal } from "../types/plan.ts"

const none: readonly never[] = []

/** Rules whose facts are unknown, with the reasons. */
export function unknownIn(
  signals: readonly PlannedSignal[],
  { facts, hasUnknown }: SignalReadings,
): readonly UnknownSignal[] {
  if (hasUnknown === false) return none
  const found: UnknownSignal[] = []
  for (const { type, rules, firstSlot } of signals)
    for (let index = 0; index < rules.length; index++) {
      const fact = facts[firstSlot + index]
      if (fact !== undefined && fact.state !== "unknown") continue
      found.push({ type, rule: rules[index] as string, reason: fact?.reason ?? "failed" })
    }
  return found
}

/** Those of guards. A text in another language has been read, though nobody knows how well. */
export function unscannedIn(
  signals: readonly PlannedSignal[],
  readings: SignalReadings,
  unknown = unknownIn(signals, readings),
): readonly Unscanned[] {
  if (unknown.length === 0) return none
  const guards = new Set(signals.flatMap(({ type, guard }) => (guard === undefined ? [] : [type])))
  return unknown.flatMap(({ type, rule, reason }) =>
    guards.has(type) && reason !== "unsupported_language" ? [{ guard: type, rule, reason }] : [],
  )
}
