// Which guards did not read all that they have to.

import type { Facts } from "../types/call.ts"
import type { Unscanned } from "../types/guard.ts"
import type { PlannedSignal } from "../types/plan.ts"

/** Rules of guards whose facts are unknown, with the reasons. */
export function unscannedIn(signals: readonly PlannedSignal[], facts: Facts): readonly Unscanned[] {
  const found: Unscanned[] = []
  for (const { type, rules, firstSlot, guard } of signals) {
    if (guard === undefined) continue
    for (let index = 0; index < rules.length; index++) {
      const fact = facts[firstSlot + index]
      if (fact !== undefined && fact.state !== "unknown") continue
      found.push({ guard: type, rule: rules[index] as string, reason: fact?.reason ?? "failed" })
    }
  }
  return found
}
