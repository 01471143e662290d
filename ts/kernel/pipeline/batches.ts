// Passes the batches of a stream through one stage.

import type { ChunkBatch } from "../types/chat.ts"

export type StreamEnd = "complete" | "failed" | "left"

export interface BatchStage {
  /** Returns the batch or a changed one. */
  readonly onBatch?: (batch: ChunkBatch) => ChunkBatch
  /** Returns what to throw for an error of the stream or of `onBatch`. */
  readonly onError?: (error: unknown) => unknown
  /** Runs exactly once: when the stream has ended, has failed, or was left by its reader. */
  readonly onEnd?: (end: StreamEnd, error?: unknown) => void
}

/** Unlike a generator, this also ends and closes its source when the reader leaves before the first batch. */
export function passBatches(
  source: AsyncIterable<ChunkBatch>,
  { onBatch = (batch) => batch, onError = (error) => error, onEnd }: BatchStage,
): AsyncIterable<ChunkBatch> {
  const iterator = source[Symbol.asyncIterator]()
  let ended = false
  const end = (how: StreamEnd, error?: unknown): void => {
    if (ended) return
    ended = true
    onEnd?.(how, error)
  }
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await iterator.next()
          if (result.done !== true) return { value: onBatch(result.value), done: false }
          end("complete")
          return result
        } catch (cause) {
          const error = onError(cause)
          end("failed", error)
          await iterator.return?.()
          throw error
        }
      },
      async return() {
        end("left")
        await iterator.return?.()
        return { value: undefined, done: true }
      },
    }),
  }
}
