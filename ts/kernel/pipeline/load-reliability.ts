// How calls are made that are not made once, for documents that ask for it: retries, time-outs, ejection, fallbacks.

import type { CallRecord } from "../types/call.ts"
import type { Metrics } from "../types/metrics.ts"
import type { ModelTarget, Plan } from "../types/plan.ts"
import type { AttemptHost } from "./upstream/attempt.ts"
import type { Able } from "./upstream/reliability/able.ts"
import type { ReliableModel } from "./upstream/reliability/reliable-model.ts"

export interface Reliability extends Partial<Able> {
  readonly callModel: NonNullable<AttemptHost["callModel"]>
  /** Counts what such calls did. */
  readonly countAttempts: (record: CallRecord) => void
}

/** What is known of the backends of each model; recipes that share a model share it. */
export type ModelCallers = Map<ModelTarget, ReliableModel>

/** Nothing for a plan whose models are all called once. */
export async function loadReliability(
  plan: Plan,
  metrics: Metrics,
  callers: ModelCallers,
): Promise<Partial<Reliability>> {
  const { fallback, models } = plan
  if (fallback === undefined && ![...models.values()].some(({ reliability }) => reliability !== undefined)) return {}
  return (await import("./upstream/reliability/create-reliability.ts")).createReliability(plan, metrics, callers)
}
