// The stream of a backend, pulled batch by batch.

import { RtrError } from "../../error.ts"
import type { ChatStream, StreamBatch } from "../../types/chat.ts"
import type { StreamReader } from "../../types/dialect.ts"
import type { TransportResponse } from "../../types/transport.ts"
import type { ObservedAttempt } from "./observed-attempt.ts"
import { upstreamError } from "./error.ts"

const nothing = new Uint8Array(0)

/** How long a backend may take to end its reply after the end mark. */
const endingMs = 1000

interface UpstreamStreamOptions {
  readonly reader: StreamReader
  readonly model: string
  readonly observed: ObservedAttempt
  readonly secrets: readonly string[]
}

/**
 * Pulls the upstream at the reader's pace. What follows the end mark is read and dropped, because a reply that is read to
 * its end leaves its connection to the next request.
 */
export function createUpstreamStream(
  response: TransportResponse,
  { reader, model, observed, secrets }: UpstreamStreamOptions,
): ChatStream {
  let over = false
  let done = false
  let started = false
  let ending: ReturnType<typeof setTimeout> | undefined
  let failure: unknown
  const finish = (error?: unknown): void => {
    over = true
    clearTimeout(ending)
    observed.end(error)
  }
  const seen = (batch: StreamBatch): void => {
    observed.usage(batch.usage)
    if (batch.failure !== undefined)
      failure = upstreamError(
        new RtrError("upstream_error", batch.failure, { reason: "the backend reported an error" }),
        model,
        secrets,
      )
    if (!batch.done) return
    done = true
    ending = setTimeout(() => response.cancel(), endingMs)
  }
  const readBytes = (bytes: Uint8Array | undefined): StreamBatch | undefined => {
    try {
      return bytes === undefined ? reader.end() : reader.read(bytes)
    } catch (error) {
      throw observed.failedIn("reader", error)
    }
  }
  return {
    async next() {
      if (over) return undefined
      try {
        // What was wrong behind the last good event is told now, not when more bytes come.
        if (started) readBytes(nothing)
        started = true
        for (;;) {
          const pulled = response.pull()
          const bytes = pulled instanceof Promise ? await pulled : pulled
          observed.firstByte()
          const batch = readBytes(bytes)
          if (batch !== undefined) seen(batch)
          if (bytes === undefined) finish(failure)
          if (batch !== undefined || bytes === undefined) return batch
        }
      } catch (cause) {
        const wasDone = done
        const error = upstreamError(cause, model, secrets)
        finish(wasDone ? failure : error)
        response.cancel()
        // The client has its whole reply.
        if (wasDone) return undefined
        throw error
      }
    },
    cancel() {
      if (over) return
      finish(done ? failure : new RtrError("client_closed_request", "The stream was closed before its end"))
      response.cancel()
    },
  }
}
