// Short requests to an idle worker, and to one whose guards read long texts one after the other.

import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { modelName, type Worker } from "../inference/worker.ts"
import type { Prose } from "./prose.ts"
import { askGuards } from "./sizes.ts"

export interface BesideFigures {
  readonly idleP50Ms: Spread
  readonly besideP50Ms: Spread
  readonly idleP99Ms: Spread
  readonly besideP99Ms: Spread
  readonly ratio: Spread
  /** Long texts that were read to their end meanwhile. */
  readonly texts: number
}

interface Sample {
  readonly p50Ms: number
  readonly p99Ms: number
}

const shortWords = 40
const longWords = 16_000
/** Between an answer and the next request, so that short requests are no load themselves. */
const pauseMs = 10
/** A p99 needs some hundred requests. */
const leastSeconds = 8

export async function measureBeside(options: BenchOptions, worker: Worker, prose: Prose): Promise<BesideFigures> {
  const seconds = options.quick ? options.seconds : Math.max(options.seconds, leastSeconds)
  const askShort = (): Promise<Sample> =>
    runLoad({
      address: worker.address,
      connections: 1,
      seconds,
      pauseMs,
      nextRequest: () => {
        const input = [prose.ofWords(shortWords)]
        const task = (head: string): object => ({
          id: head,
          classify: { model: modelName, head, input, options: { overflow: "window" } },
        })
        const tasks = [task("jailbreak"), task("pii")]
        return prepareRequest({ path: "/v1/bundle", body: { tasks }, expected: ['"id":"pii","status":200'] })
      },
    })
  let texts = 0
  const askBeside = async (): Promise<Sample> => {
    const over = new AbortController()
    const reading = (async () => {
      for (; !over.signal.aborted; texts++) await askGuards(worker, [prose.ofWords(longWords)])
    })()
    const sample = await askShort()
    over.abort()
    await reading
    return sample
  }
  await askShort()
  const samples = await interleave<Sample>(
    `short requests beside ${longWords} words`,
    options.rounds,
    [
      { name: "idle", measure: askShort },
      { name: "beside", measure: askBeside },
    ],
    ({ p50Ms, p99Ms }) => `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
  )
  const of = (name: string, figure: keyof Sample): readonly number[] =>
    (samples.get(name) ?? []).map((sample) => sample[figure])
  return {
    idleP50Ms: spreadOf(of("idle", "p50Ms")),
    besideP50Ms: spreadOf(of("beside", "p50Ms")),
    idleP99Ms: spreadOf(of("idle", "p99Ms")),
    besideP99Ms: spreadOf(of("beside", "p99Ms")),
    ratio: spreadOfPairs(of("beside", "p99Ms"), of("idle", "p99Ms"), ratio),
    texts,
  }
}
