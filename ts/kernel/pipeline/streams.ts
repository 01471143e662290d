// Passes a stream through one stage of the pipeline.

import type { ChatEvent, ChatStream, StreamBatch } from "../types/chat.ts"

export type StreamEnd = "complete" | "failed" | "left"

export interface StreamStage {
  /** Returns the batch or a changed one. */
  readonly onBatch?: (batch: StreamBatch) => StreamBatch | Promise<StreamBatch>
  /** Returns what to reject with for an error of the stream or of `onBatch`. */
  readonly onError?: (error: unknown) => unknown
  /** Runs exactly once: when the stream has ended, has failed, or was left by its reader. */
  readonly onEnd?: (end: StreamEnd, error?: unknown) => void
}

/** The stream with a stage behind it. A failure closes the source. */
export function passStream(source: ChatStream, { onBatch, onError, onEnd }: StreamStage): ChatStream {
  let ended = false
  const end = (how: StreamEnd, error?: unknown): void => {
    if (ended) return
    ended = true
    onEnd?.(how, error)
  }
  return {
    async next() {
      try {
        const batch = await source.next()
        if (batch === undefined) {
          end("complete")
          return undefined
        }
        return onBatch === undefined ? batch : await onBatch(batch)
      } catch (cause) {
        const error = onError === undefined ? cause : onError(cause)
        // The source first: an attempt has to be closed before the record that it stands in.
        source.cancel()
        end("failed", error)
        throw error
      }
    },
    cancel() {
      source.cancel()
      end("left")
    },
  }
}

/** A stream of events that are all there already. */
export function streamOf(events: readonly ChatEvent[]): ChatStream {
  let rest: StreamBatch | undefined = { events, done: true }
  return {
    next: async () => {
      const batch = rest
      rest = undefined
      return batch
    },
    cancel() {
      rest = undefined
    },
  }
}
