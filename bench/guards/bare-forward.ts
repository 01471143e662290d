// Bare forwards of the embedded package in this process: no tokenizer, no heads, no window read twice.

import { InferenceSession, Tensor } from "onnxruntime-node"
import { createRandom } from "../inference/random.ts"
import type { BareGraph } from "./bare-graph.ts"

export interface BareForward {
  /** One forward over rows of equal length; the vectors of all tokens of the last layer. */
  run(rows: readonly Int32Array[]): Promise<Float32Array>
  /** Forwards over as many tokens as a text has, in full rows and a last one. */
  read(tokens: number): Promise<void>
  /** Rows of a forward that takes the least time for each. */
  readonly rowsPerForward: number
}

export interface BareOptions {
  readonly graph: BareGraph
  readonly threads: number
  /** Tokens of one row, the two special ones included. */
  readonly rowTokens: number
}

const specialTokens = 2
const firstWord = 1000
const words = 25_000

export async function startBareForward({ graph, threads, rowTokens }: BareOptions): Promise<BareForward> {
  const session = await InferenceSession.create(graph.model, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: "all",
    // The worker's threads do not spin either: a waiting thread would take the processor from the other contender.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  })
  const random = createRandom(7)
  const row = (tokens: number): Int32Array =>
    Int32Array.from({ length: tokens }, (_, at) =>
      at === 0 ? 101 : at === tokens - 1 ? 102 : firstWord + Math.floor(random() * words),
    )
  const run = async (rows: readonly Int32Array[]): Promise<Float32Array> => {
    const shape = [rows.length, rows[0]?.length ?? 0]
    const ids = new Int32Array(rows.flatMap((each) => [...each]))
    const feeds = {
      input_ids: new Tensor("int32", ids, shape),
      token_type_ids: new Tensor("int32", new Int32Array(ids.length), shape),
    }
    const found = await session.run(feeds)
    return found[graph.last]?.data as Float32Array
  }
  const forward = (count: number, tokens: number): Promise<Float32Array> =>
    run(Array.from({ length: count }, () => row(tokens)))
  const rowsPerForward = await fastest(async (count) => void (await forward(count, rowTokens)))
  const read = async (tokens: number): Promise<void> => {
    const room = rowTokens - specialTokens
    let full = Math.floor(tokens / room)
    for (; full > 0; full -= rowsPerForward) await forward(Math.min(full, rowsPerForward), rowTokens)
    if (tokens % room > 0) await forward(1, (tokens % room) + specialTokens)
  }
  return { run, read, rowsPerForward }
}

/** What a careful user tries first: how many rows of a forward cost the least for each. */
async function fastest(forward: (rows: number) => Promise<void>): Promise<number> {
  const counts = [1, 2, 4, 8]
  const times = new Map(counts.map((count) => [count, Number.POSITIVE_INFINITY]))
  for (let round = 0; round < 6; round++)
    for (const count of counts) {
      const startedAt = performance.now()
      await forward(count)
      const took = (performance.now() - startedAt) / count
      // The first forward of a size makes its memory.
      if (round > 0) times.set(count, Math.min(times.get(count) ?? took, took))
    }
  return counts.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0))[0] ?? 1
}
