// Calls one model until one of its backends answers: attempts, waits between them, and a second attempt beside a slow one.

import { RtrError } from "../../../error.ts"
import type { Attempt } from "../../../types/call.ts"
import type { Reply } from "../../../types/chat.ts"
import type { ModelTarget, PlannedReliability } from "../../../types/plan.ts"
import type { AttemptHost, AttemptOptions, Sending } from "../attempt.ts"
import { backOffMs, retryAfterMs, waitFor } from "./back-off.ts"
import { type BackendPool, createBackendPool, type PooledBackend } from "./backend-pool.ts"
import { createBudget } from "./budget.ts"
import {
  type AttemptOutcome,
  blamesBackend,
  type Failure,
  failureOfError,
  failureOfReply,
  isRetried,
  isUnsent,
} from "./failure.ts"
import { beginStream } from "./first-batch.ts"
import { hedge, type RunningAttempt } from "./hedge.ts"
import { createTimedTransport } from "./timed-transport.ts"

/** What a chain of models adds to the time-outs of one of them. */
export interface CallLimits {
  /** Longest wait for the first byte. */
  readonly firstByteMs: number | undefined
  /** `performance.now()` after which no attempt begins. */
  readonly startBefore: number
}

export interface ReliableModel {
  /** Never rejects: the outcome says what became of the last attempt. */
  call(sending: Sending, options: AttemptOptions, limits?: CallLimits): Promise<AttemptOutcome>
  /** Every backend is left out for the moment. */
  readonly isDown: () => boolean
}

export interface Clock {
  /** Milliseconds that never run backwards. */
  readonly now: () => number
  readonly unixMs: () => number
  /** 0 to 1. */
  readonly random: () => number
}

/** A backend may say any time; after this one it is asked again. */
const maxRestMs = 300_000

export function createReliableModel(target: ModelTarget, settings: PlannedReliability, clock: Clock): ReliableModel {
  const { retries, retryOn, retryShare, timeouts, hedging, honoursRetryAfter } = settings
  const pool: BackendPool = createBackendPool(target, settings, clock.now)
  const retryBudget = createBudget(retryShare, clock.now)
  const hedgeBudget = createBudget(hedging?.share ?? 0, clock.now)
  const retried = (failure: Failure | undefined): boolean => failure !== undefined && isRetried(failure, retryOn)

  return {
    isDown: pool.isDown,
    async call(sending, options, limits) {
      const { client, upstreamTimeoutMs } = options.call
      const firstByteMs = least(timeouts.firstByteMs, limits?.firstByteMs)
      const startedAt = clock.now()
      const endsAt = startedAt + (timeouts.totalMs ?? upstreamTimeoutMs)
      const startBefore = Math.min(endsAt, limits?.startBefore ?? Infinity)
      const tried = new Set<PooledBackend>()
      const start = (why: Attempt["why"]): RunningAttempt => {
        const pooled = pool.pick(tried)
        tried.add(pooled)
        return startAttempt(sending, options, {
          pooled,
          why,
          timeouts: { ...timeouts, firstByteMs },
          leftMs: timeouts.totalMs === undefined ? undefined : Math.max(0, endsAt - clock.now()),
          unixMs: clock.unixMs,
          onFailure({ retryAfterMs: restMs }) {
            if (honoursRetryAfter && restMs !== undefined) pooled.restsUntil = clock.now() + Math.min(restMs, maxRestMs)
          },
        })
      }
      retryBudget.request()
      hedgeBudget.request()
      let last: AttemptOutcome | undefined
      for (let retry = 0; ; retry++) {
        const first = start(retry === 0 ? undefined : "retry")
        const outcome = await (hedging === undefined
          ? first.outcome
          : hedge(
              first,
              hedging.delayMs,
              () => (client.aborted || !hedgeBudget.take() ? undefined : start("hedge")),
              (each) => !retried(each.failure) && !isUnsent(each),
            ))
        // The failure that was to be mended says more than a backend of another protocol that cannot take the request.
        if (last !== undefined && isUnsent(outcome)) return last
        last = outcome
        if (retry >= retries || !retried(outcome.failure) || client.aborted) return outcome
        const waitMs = pool.freeInMs() + backOffMs(retry, clock.random)
        if (clock.now() + waitMs >= startBefore || !retryBudget.take()) return outcome
        try {
          await waitFor(waitMs, client)
        } catch (error) {
          return { error, failure: undefined }
        }
      }
    },
  }
}

const least = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

interface AttemptSetting {
  readonly pooled: PooledBackend
  readonly why: Attempt["why"]
  readonly timeouts: PlannedReliability["timeouts"]
  readonly leftMs: number | undefined
  readonly unixMs: () => number
  onFailure(failure: Failure): void
}

/** Sends the request to one backend; a stream counts as a reply when its beginning is there. */
function startAttempt(
  { host, callBackend }: Sending,
  options: AttemptOptions,
  { pooled, why, timeouts, leftMs, unixMs, onFailure }: AttemptSetting,
): RunningAttempt {
  const { attempts } = options.record
  const timed = createTimedTransport(host.transport, timeouts, leftMs)
  const ended = pooled.health?.begin()
  const figures: AttemptHost["figures"] = {
    read: host.figures.read,
    begin(model) {
      const finished = host.figures.begin(model)
      pooled.active += 1
      return (attempt) => {
        pooled.active -= 1
        finished(attempt)
      }
    },
  }
  const position = attempts.length
  const replying = callBackend({ ...host, transport: timed.transport, figures }, options, pooled.backend)
  // It stands in the record from the moment when it begins.
  const attempt = attempts[position]
  if (attempt === undefined) {
    ended?.("neither")
    return { outcome: unsent(replying), cancel() {} }
  }
  if (why !== undefined) attempt.why = why
  const judge = (failure: Failure | undefined): void => {
    if (failure !== undefined) onFailure(failure)
    if (ended?.(failure !== undefined && blamesBackend(failure) ? "failed" : "good") === true) attempt.ejected = true
  }
  const outcome = async (): Promise<AttemptOutcome> => {
    let begins = false
    try {
      const reply = await replying
      if (reply.kind !== "stream") {
        const failure = failureOfReply(reply, attempt, retryAfterMs(reply.headers?.["retry-after"], unixMs()))
        judge(failure)
        return { reply, failure }
      }
      begins = true
      const begun = await beginStream(reply)
      const failure: Failure | undefined = begun.failed ? { kind: "reset", status: 0 } : undefined
      judge(failure)
      return { reply: begun.reply, failure }
    } catch (error) {
      const failure = attempt.cancelled === true ? undefined : failureOfError(error, timed.wasSent(), begins)
      if (failure === undefined) ended?.("neither")
      else judge(failure)
      return { error, failure }
    }
  }
  return {
    outcome: outcome(),
    cancel() {
      if (attempt.endMs !== undefined) return
      attempt.cancelled = true
      timed.cancel(new RtrError("client_closed_request", "another attempt answered first"))
    },
  }
}

async function unsent(replying: Promise<Reply>): Promise<AttemptOutcome> {
  try {
    return { reply: await replying, failure: undefined }
  } catch (error) {
    return { error, failure: undefined, unsent: true }
  }
}
