// Measures one model: every length of text at every number of connections, one after the other.

import { type LoadResult, runLoad } from "./load.ts"
import { chooseSurface } from "./surface.ts"
import { createTextMaker } from "./texts.ts"
import type { Memory, ModelCard, WorkerProcess } from "./worker-process.ts"

export interface MeasureOptions {
  /** Tokens of a text; those above what the model reads are cut to it, those below its shortest request raised to that. */
  readonly lengths: readonly number[]
  readonly connections: readonly number[]
  /** Of one measurement. */
  readonly seconds: number
  readonly onProgress: (message: string) => void
}

export interface Measurement {
  readonly card: ModelCard
  readonly path: string
  readonly readyMs: number
  readonly memoryReady: Memory | undefined
  readonly memoryAfter: Memory | undefined
  readonly rows: readonly MeasuredRow[]
  /** Tokens of the shortest request. */
  readonly leastTokens: number
  /** Lengths that no request has: shorter than the shortest, and longer than what the model reads. */
  readonly raisedLengths: readonly number[]
  readonly cutLengths: readonly number[]
}

export interface MeasuredRow extends LoadResult {
  readonly connections: number
}

const warmUpShare = 0.2
const longestWarmUpSeconds = 1

export async function measure(worker: WorkerProcess, options: MeasureOptions): Promise<Measurement> {
  const { client, card, readyMs } = worker
  const memoryReady = worker.memoryMib()
  const surface = chooseSurface(card)
  const texts = await createTextMaker(async (text) => {
    const { body } = await client.ask("POST", surface.path, surface.body(text))
    return surface.tokens(body)
  })
  const most = card.limits.truncate_tokens
  const { leastTokens: least } = texts
  const lengths = [...new Set(options.lengths.map((length) => Math.max(Math.min(length, most), least)))]
  const rows: MeasuredRow[] = []
  for (const length of lengths) {
    for (const connections of options.connections) {
      const load = { client, surface, nextText: () => texts.ofTokens(length), connections }
      await runLoad({ ...load, seconds: Math.min(longestWarmUpSeconds, options.seconds * warmUpShare) })
      const result = await runLoad({ ...load, seconds: options.seconds })
      rows.push({ ...result, connections })
      options.onProgress(
        `${length} tokens, ${connections} connections: ${result.requestsPerSecond.toFixed(1)} requests/s`,
      )
    }
  }
  return {
    card,
    path: surface.path,
    readyMs,
    memoryReady,
    memoryAfter: worker.memoryMib(),
    rows,
    leastTokens: least,
    raisedLengths: options.lengths.filter((length) => length < least),
    cutLengths: options.lengths.filter((length) => length > most),
  }
}
