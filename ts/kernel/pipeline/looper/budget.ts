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
  const use = (what: string, code: "deadline_exceeded" | "unavailable"): RtrError =>
    (error ??= new RtrError(code, `Decision "${decision}" has used up ${what} of its budget`))
  const deadline = deadlineMs === undefined ? undefined : new AbortController()
  const timer =
    deadlineMs === undefined
      ? undefined
      : setTimeout(() => {
          deadline?.abort(use(`the deadline of ${secondsText(deadlineMs)}`, "deadline_exceeded"))
        }, deadlineMs)
  return {
    signal: deadline?.signal,
    used: () => error,
    begin() {
      if (error !== undefined) throw error
      if (maxCalls !== undefined && calls >= maxCalls) throw use(`the max_calls ${maxCalls}`, "unavailable")
      if (maxCost !== undefined && highestCost(record) >= maxCost) throw use(`the max_cost ${maxCost}`, "unavailable")
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
