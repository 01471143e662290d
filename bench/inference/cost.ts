// What a request that asks for more costs, by one that asks for less.

import type { Address } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest, type RequestParts } from "../_shared/load/prepared-request.ts"
import { interleave } from "../_shared/rounds.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"

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
}

/** Asks both in turns, one request at a time. */
export async function measureCost(options: CostOptions): Promise<Cost> {
  const { label, address, fewAddress = address, few, many, rounds, seconds } = options
  const measure = (asked: Address, next: () => RequestParts) => async (): Promise<number> => {
    const nextRequest = (): ReturnType<typeof prepareRequest> => prepareRequest(next())
    return (await runLoad({ address: asked, connections: 1, seconds, nextRequest })).p50Ms
  }
  const samples = await interleave(
    label,
    rounds,
    [
      { name: "one", measure: measure(fewAddress, few) },
      { name: "seven", measure: measure(address, many) },
    ],
    (p50Ms) => `${p50Ms.toFixed(2)} ms`,
  )
  const [fewMs = [], manyMs = []] = [samples.get("one"), samples.get("seven")]
  return { fewP50Ms: spreadOf(fewMs), manyP50Ms: spreadOf(manyMs), ratio: spreadOfPairs(manyMs, fewMs, ratio) }
}
