// Short questions beside documents: how long they take while a model reads 8,000 tokens, and while it reads nothing else.

import { join } from "node:path"
import type { Address } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { longContextPackage, longestTokens } from "./packages/long-context.ts"
import type { TextMaker } from "./texts.ts"
import { embeddingsBody, startWorker } from "./worker.ts"

export interface CrowdedFigures {
  readonly idleP50Ms: Spread
  readonly crowdedP50Ms: Spread
  readonly idleP99Ms: Spread
  readonly crowdedP99Ms: Spread
  /** p99 while documents are read, by that of an idle worker. */
  readonly ratio: Spread
  /** Read to their end during the measurements. */
  readonly documents: number
}

interface Sample {
  readonly p50Ms: number
  readonly p99Ms: number
}

const questionTokens = 16
/** Between an answer and the next question, so that questions themselves are no load. */
const pauseMs = 10
/** A p99 needs some hundred questions. */
const leastSeconds = 6
/** The tail of a round is a whole document, which takes far longer than the questions beside it. */
const mostRounds = 3

export async function measureCrowded(options: BenchOptions, texts: TextMaker, folder: string): Promise<CrowdedFigures> {
  const socketPath = join(folder, "crowded.sock")
  const { address, stop } = await startWorker(options, { model: longContextPackage(options.cache), socketPath })
  const seconds = options.quick ? options.seconds : Math.max(options.seconds, leastSeconds)
  const ask = (): Promise<Sample> =>
    runLoad({
      address,
      connections: 1,
      seconds,
      pauseMs,
      nextRequest: () => embeddingsRequest(texts.ofTokens(questionTokens)),
    })
  let documents = 0
  const askInCrowd = async (): Promise<Sample> => {
    // Without a pause after an answer the next document begins at once. It ends after the questions, so all have company.
    const reading = readDocuments(address, texts, seconds)
    const sample = await ask()
    documents += await reading
    return sample
  }
  await ask()
  const samples = await interleave<Sample>(
    `crowded, ${longestTokens} tokens`,
    Math.min(options.rounds, mostRounds),
    [
      { name: "idle", measure: ask },
      { name: "crowded", measure: askInCrowd },
    ],
    ({ p50Ms, p99Ms }) => `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
  )
  await stop()
  const of = (name: string, figure: (sample: Sample) => number): readonly number[] =>
    (samples.get(name) ?? []).map(figure)
  const p50 = ({ p50Ms }: Sample): number => p50Ms
  const p99 = ({ p99Ms }: Sample): number => p99Ms
  return {
    idleP50Ms: spreadOf(of("idle", p50)),
    crowdedP50Ms: spreadOf(of("crowded", p50)),
    idleP99Ms: spreadOf(of("idle", p99)),
    crowdedP99Ms: spreadOf(of("crowded", p99)),
    ratio: spreadOfPairs(of("crowded", p99), of("idle", p99), ratio),
    documents,
  }
}

/** Resolves with the number of documents when the last one is read. */
async function readDocuments(address: Address, texts: TextMaker, seconds: number): Promise<number> {
  const nextRequest = (): ReturnType<typeof prepareRequest> => embeddingsRequest(texts.ofTokens(longestTokens))
  return (await runLoad({ address, connections: 1, seconds, nextRequest })).requests
}

function embeddingsRequest(text: string): ReturnType<typeof prepareRequest> {
  return prepareRequest({
    path: "/v1/embeddings",
    body: embeddingsBody([text]),
    expected: ['"embedding":"', '"index":0'],
  })
}
