// Streams of batches whose end can be watched.

import type { ChatChunk, ChunkBatch } from "../../ts/kernel/types/chat.ts"

export const chunk = (content: string, changes: object = {}): ChatChunk => ({
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content } }],
  ...changes,
})

/** One batch for each chunk; the last one ends the stream. */
export function batchesOf(...chunks: readonly ChatChunk[]): readonly ChunkBatch[] {
  return chunks.map((each, index) => ({ chunks: [each], done: index === chunks.length - 1 }))
}

export interface WatchedBatches extends AsyncIterable<ChunkBatch> {
  /** How often the reader left before the end. */
  readonly left: { readonly count: number }
}

/** Yields the batches, then throws if told to. */
export function watchedBatches(batches: readonly ChunkBatch[], breaksWith?: unknown): WatchedBatches {
  const left = { count: 0 }
  let position = 0
  return {
    left,
    [Symbol.asyncIterator]: () => ({
      async next() {
        const value = batches[position]
        position += 1
        if (value !== undefined) return { value, done: false }
        if (breaksWith !== undefined && position === batches.length + 1) throw breaksWith
        return { value: undefined, done: true }
      },
      async return() {
        left.count += 1
        position = Infinity
        return { value: undefined, done: true }
      },
    }),
  }
}

export async function collect(batches: AsyncIterable<ChunkBatch>): Promise<readonly ChunkBatch[]> {
  const collected: ChunkBatch[] = []
  for await (const batch of batches) collected.push(batch)
  return collected
}
