// How models of a document are called that asks for retries, time-outs, ejection, hedging or fallbacks.

import type { Metrics } from "../../../types/metrics.ts"
import type { ModelTarget, Plan, PlannedReliability } from "../../../types/plan.ts"
import { createAble } from "./able.ts"
import { createAttemptCounter } from "./attempt-counter.ts"
import { trailOf } from "./attempt-outcome.ts"
import { createChain } from "./chain.ts"
import { settle } from "./failure.ts"
import { type Clock, createReliableModel, type ReliableModel } from "./reliable-model.ts"
import type { ModelCallers, Reliability } from "../../load-reliability.ts"

const hostClock: Clock = { now: () => performance.now(), unixMs: () => Date.now(), random: () => Math.random() }

/** A model without settings of its own, in a document where others have some. */
const calledOnce: PlannedReliability = {
  leastRequest: false,
  honoursRetryAfter: false,
  retries: 0,
  retryOn: new Set(),
  retryShare: 0,
  timeouts: { connectMs: undefined, firstByteMs: undefined, idleMs: undefined, totalMs: undefined },
  ejection: undefined,
  hedging: undefined,
}

/** State belongs to the plan and so to one configuration version: a new document begins with all backends. */
export function createReliability(
  { models, fallback }: Pick<Plan, "models" | "fallback">,
  metrics: Metrics,
  callers: ModelCallers = new Map(),
  clock: Clock = hostClock,
): Reliability {
  /** A model that is asked for embeddings is a target of its own, which stays. */
  const callerOf = (target: ModelTarget): ReliableModel => {
    const known = callers.get(target)
    if (known !== undefined) return known
    const caller = createReliableModel(target, target.reliability ?? calledOnce, clock)
    callers.set(target, caller)
    return caller
  }
  for (const target of models.values()) callerOf(target)
  const chain = fallback === undefined ? undefined : createChain(fallback, callerOf, clock.now)
  return {
    async callModel(sending, options) {
      const outcome = await (chain === undefined || options.alternatives === undefined
        ? callerOf(options.target).call(sending, options)
        : chain(sending, options, options.alternatives))
      const { record } = options
      // A looper may know better why an attempt ended than its call did, so the words are made when somebody reads them.
      if (record.attempts.length > 0 || record.skipped !== undefined)
        record.trail ??= (told) => trailOf(told, sending.toHeaderText)
      return settle(outcome)
    },
    countAttempts: createAttemptCounter(metrics),
    ...(fallback?.narrow !== undefined && createAble(fallback)),
  }
}
