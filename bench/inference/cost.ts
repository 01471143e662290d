// What a request that asks for more costs, by one that asks for less.

import type { Address } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import type { ReplyReader } from "../_shared/load/reply-reader.ts"
import { prepareRequest, type RequestParts } from "../_shared/load/prepared-request.ts"
import { interleave } from "../_shared/rounds.ts"
import { median, ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { readPhases } from "./server-timing.ts"

export interface CostOptions {
  readonly label: string
  readonly address: Address
  /** Where less is asked for, if it is elsewhere. */
  readonly fewAddress?: Address
  /** Called for each request, so that texts need not repeat. */
  readonly few: () => RequestParts
  readonly many: () => RequestParts
  readonly rounds: number
  readonly seconds: number
}

export interface Cost {
  /** Medians of a lone caller, in milliseconds. */
  readonly fewP50Ms: Spread
  readonly manyP50Ms: Spread
  readonly ratio: Spread
  /** Of the forwards alone, as the worker times them; results of before that was measured have none. */
  readonly forwardRatio?: Spread
}

interface Sample {
  readonly p50Ms: number
  readonly forwardMs: number
}

/** Asks both in turns, one request at a time. */
export async function measureCost(options: CostOptions): Promise<Cost> {
  const { label, address, fewAddress = address, few, many, rounds, seconds } = options
  const measure = (asked: Address, next: () => RequestParts) => async (): Promise<Sample> => {
    const nextRequest = (): ReturnType<typeof prepareRequest> => prepareRequest(next())
    const forwards: number[] = []
    const onReply = (reply: ReplyReader, latencyMs: number): void => {
      forwards.push(readPhases(reply, latencyMs).forwardMs)
    }
    const { p50Ms } = await runLoad({ address: asked, connections: 1, seconds, nextRequest, onReply })
    return { p50Ms, forwardMs: median(forwards) }
  }
  const samples = await interleave(
    label,
    rounds,
    [
      { name: "one", measure: measure(fewAddress, few) },
      { name: "seven", measure: measure(address, many) },
    ],
    ({ p50Ms }) => `${p50Ms.toFixed(2)} ms`,
  )
  const of = (name: string, figure: keyof Sample): readonly number[] =>
    (samples.get(name) ?? []).map((sample) => sample[figure])
  const [fewMs, manyMs] = [of("one", "p50Ms"), of("seven", "p50Ms")]
  return {
    fewP50Ms: spreadOf(fewMs),
    manyP50Ms: spreadOf(manyMs),
    ratio: spreadOfPairs(manyMs, fewMs, ratio),
    forwardRatio: spreadOfPairs(of("seven", "forwardMs"), of("one", "forwardMs"), ratio),
  }
}
