// The budget of one request that a looper answers: when it is used up, no further call begins and those under way end.

import { RtrError, secondsText } from "../../error.ts"
import type { CallRecord } from "../../types/call.ts"
import type { PlannedBudget } from "../../types/plan.ts"

export interface LooperBudget {
  /** Aborts at the deadline; left out without one. */
  readonly signal: AbortSignal | undefined
  /** Which bound is used up; undefined as long as none is. */
  used(): RtrError | undefined
  /** Counts a call. Throws when a bound is used up. */
  begin(): void
  /** Stops the clock. */
  end(): void
}

export function createBudget(
  { deadlineMs, maxCalls, maxCost }: PlannedBudget,
  decision: string,
  record: CallRecord,
): LooperBudget {
  let calls = 0
  let error: RtrError | undefined
  const use = (bound: NonNullable<CallRecord["usedBudget"]>, amount: string): RtrError => {
    const code = bound === "deadline" ? "deadline_exceeded" : "unavailable"
    const used = new RtrError(code, `Decision "${decision}" has used up the ${bound} ${amount} of its budget`)
    record.usedBudget ??= bound
    error ??= used
    return used
  }
  const deadline = deadlineMs === undefined ? undefined : new AbortController()
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(() => {
          const late = use("deadline", `of ${secondsText(deadlineMs)}`)
          // To the transport it looks as if the client had left.
          for (const attempt of record.attempts) if (attempt.endMs === undefined) attempt.error = late
          deadline?.abort(late)
        }, deadlineMs)
  return {
    signal: deadline?.signal,
    used: () => error,
    begin() {
      if (error !== undefined) throw error
      if (maxCalls !== undefined && calls >= maxCalls) throw use("max_calls", String(maxCalls))
      if (maxCost !== undefined && highestCost(record) >= maxCost) throw use("max_cost", String(maxCost))
      calls += 1
    },
    end: () => clearTimeout(timer),
  }
}

/** Amounts of several currencies have no sum, so each is held against the bound by itself. */
function highestCost({ attempts }: CallRecord): number {
  const sums = new Map<string | undefined, number>()
  for (const { cost = 0, currency } of attempts) sums.set(currency, (sums.get(currency) ?? 0) + cost)
  return Math.max(0, ...sums.values())
}
