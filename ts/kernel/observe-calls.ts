// Who hears of a finished call: metrics, the selector that chose its model, and whoever listens.

import type { OnModuleError } from "./pipeline/signals.ts"
import type { Costs } from "./pipeline/load-costs.ts"
import type { CallRecord } from "./types/call.ts"
import { type Metrics, nullMetrics } from "./types/metrics.ts"
import type { Plan } from "./types/plan.ts"

export interface CallObservers {
  readonly metrics: Metrics
  readonly costs: Costs | undefined
  readonly onModuleError: OnModuleError
  readonly onRecord: ((record: CallRecord) => void) | undefined
  /** Counts attempts of calls that are not made once. */
  readonly countAttempts?: (record: CallRecord) => void
}

/** Returns what the pipeline tells of each finished call of one generation. */
export async function observeCalls(
  plan: Plan,
  { metrics, costs, onModuleError, onRecord, countAttempts }: CallObservers,
): Promise<(record: CallRecord) => void> {
  // Hosts without metrics do not ship what counts.
  const count =
    metrics === nullMetrics
      ? undefined
      : (await import("./pipeline/call-metrics.ts")).createCallMetrics(metrics, plan.keyOf)
  const countCosts = costs?.createCostMetrics(metrics, plan)
  const selectors = new Map(
    plan.decisions.flatMap(({ name, selector }) =>
      selector?.onOutcome === undefined ? [] : [[name, selector] as const],
    ),
  )
  return (record) => {
    count?.(record)
    countCosts?.(record)
    countAttempts?.(record)
    const { decision, selection, model } = record
    const selector = decision === undefined ? undefined : selectors.get(decision)
    if (selector !== undefined && selection !== undefined && model !== undefined) {
      const { status, error, usage, firstByteMs, totalMs } = record
      try {
        const { candidate, note } = selection
        selector.onOutcome?.({ candidate, model, status, error, usage, firstByteMs, totalMs, note }, record)
      } catch (cause) {
        // The client has its reply: what a selector makes of it is no matter of this request.
        onModuleError(`selector ${record.algorithm}`, cause, "onOutcome")
      }
    }
    try {
      onRecord?.(record)
    } catch (cause) {
      onModuleError("host", cause, "onRecord")
    }
  }
}
