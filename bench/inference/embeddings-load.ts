// Load on any server of the embeddings endpoint: shapes of calls, and what a measurement of one gives.

import type { Address } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import type { ReplyReader } from "../_shared/load/reply-reader.ts"
import { type Spread, spreadOf } from "../_shared/statistics.ts"
import { mixedLengths, type TextMaker } from "./texts.ts"
import { embeddingsBody } from "./worker.ts"

export interface Shape {
  readonly name: string
  /** Tokens of each text of a call. Calls follow each other in this order, over and over. */
  readonly calls: readonly (readonly number[])[]
}

export const shapes = {
  short: { name: "1x16", calls: [[16]] },
  uniform: { name: "1x128", calls: [[128]] },
  mixed: { name: "1xmixed", calls: mixedLengths.map((length) => [length]) },
  few: { name: "8xmixed", calls: eights(mixedLengths) },
  batch: { name: "32xmixed", calls: [mixedLengths] },
} as const satisfies Readonly<Record<string, Shape>>

function eights(lengths: readonly number[]): readonly (readonly number[])[] {
  const count = Math.floor(lengths.length / 8)
  // Every eighth one, so that each call has short and long texts.
  return Array.from({ length: count }, (_, first) => lengths.filter((_length, index) => index % count === first))
}

/** One measurement. */
export interface Sample {
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The samples of all rounds. */
export interface Cell {
  readonly callsPerSecond: Spread
  readonly p50Ms: Spread
  readonly p99Ms: Spread
}

export function toCell(samples: readonly Sample[]): Cell {
  return {
    callsPerSecond: spreadOf(samples.map(({ callsPerSecond }) => callsPerSecond)),
    p50Ms: spreadOf(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: spreadOf(samples.map(({ p99Ms }) => p99Ms)),
  }
}

export const showSample = ({ callsPerSecond, p50Ms }: Sample): string =>
  `${callsPerSecond.toFixed(1)}/s (${p50Ms.toFixed(1)} ms)`

export interface EmbeddingsLoad {
  readonly address: Address
  readonly shape: Shape
  readonly connections: number
  readonly seconds: number
  readonly texts: TextMaker
  readonly onReply?: (reply: ReplyReader, latencyMs: number) => void
}

/** Texts never repeat. */
export async function loadEmbeddings(load: EmbeddingsLoad): Promise<Sample> {
  const { address, shape, connections, seconds, texts, onReply } = load
  let call = 0
  const result = await runLoad({
    address,
    connections,
    seconds,
    nextRequest: () => {
      const lengths = shape.calls[call++ % shape.calls.length] ?? []
      return prepareRequest({
        path: "/v1/embeddings",
        body: embeddingsBody(lengths.map((length) => texts.ofTokens(length))),
        expected: ['"embedding":"', `"index":${lengths.length - 1}`],
      })
    },
    ...(onReply !== undefined && { onReply }),
  })
  return { callsPerSecond: result.requestsPerSecond, p50Ms: result.p50Ms, p99Ms: result.p99Ms }
}
