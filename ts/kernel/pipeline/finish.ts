// Notices how a call ended: at once for a whole reply, at the end of the stream for a streamed one.

import { isRtrError, RtrError } from "../error.ts"
import type { Call, CallEnd, Outcome, TokenCounts } from "../types/call.ts"
import type { ChunkBatch, Reply } from "../types/chat.ts"
import { passBatches } from "./batches.ts"

export type OnEnd = (end: CallEnd) => void

/** Returns the same outcome; `onEnd` runs exactly once, also when the client leaves in the middle of a stream. */
export function watchEnd(outcome: Outcome, call: Pick<Call, "startedAt">, onEnd: OnEnd): Outcome {
  const { routing, reply } = outcome
  if (reply.kind === "stream") return { routing, reply: { ...reply, batches: watchStream(outcome, call, onEnd) } }
  const elapsed = performance.now() - call.startedAt
  const usage = tokenCounts(reply.body.usage)
  onEnd({
    routing,
    status: reply.status,
    firstByteMs: elapsed,
    totalMs: elapsed,
    ...(usage !== undefined && { usage }),
  })
  return outcome
}

/** The end of a call that got no reply. */
export function failedEnd(call: Pick<Call, "startedAt">, error: unknown): CallEnd {
  const known = isRtrError(error) ? error : new RtrError("internal_error", "Unexpected error")
  return { routing: undefined, status: known.status, error: known, totalMs: performance.now() - call.startedAt }
}

function watchStream(
  { routing, reply }: Outcome,
  call: Pick<Call, "startedAt">,
  onEnd: OnEnd,
): AsyncIterable<ChunkBatch> {
  const { batches, status } = reply as Extract<Reply, { kind: "stream" }>
  let firstByteMs: number | undefined
  let usage: TokenCounts | undefined
  let complete = false
  return passBatches(batches, {
    onBatch(batch) {
      firstByteMs ??= performance.now() - call.startedAt
      for (const chunk of batch.chunks) usage = tokenCounts(chunk.usage) ?? usage
      complete ||= batch.done
      return batch
    },
    onError: (cause) => (isRtrError(cause) ? cause : new RtrError("internal_error", "Unexpected error", { cause })),
    onEnd(how, cause) {
      const error = how === "failed" ? (cause as RtrError) : how === "left" && !complete ? leftEarly() : undefined
      onEnd({
        routing,
        status: error?.status ?? status,
        totalMs: performance.now() - call.startedAt,
        ...(error !== undefined && { error }),
        ...(usage !== undefined && { usage }),
        ...(firstByteMs !== undefined && { firstByteMs }),
      })
    },
  })
}

const leftEarly = (): RtrError => new RtrError("client_closed_request", "The client left before the end of the stream")

/** Token counts of a usage object; undefined unless both are numbers. */
export function tokenCounts(usage: unknown): TokenCounts | undefined {
  if (typeof usage !== "object" || usage === null) return undefined
  const {
    prompt_tokens: prompt,
    completion_tokens: completion,
    prompt_tokens_details: details,
  } = usage as Record<string, unknown>
  if (!isCount(prompt) || !isCount(completion)) return undefined
  const cached = (details as { cached_tokens?: unknown } | null | undefined)?.cached_tokens
  return { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: isCount(cached) ? cached : 0 }
}

const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0
