// One measurement of a contender under load, and what is shown of several.

import type { ServerProcess } from "../server-process.ts"
import { type Spread, spreadOf } from "../statistics.ts"
import { type LoadOptions, type LoadResult, runLoad } from "./closed-loop.ts"

export interface Sample extends LoadResult {
  /** Processor time of the server for one request. */
  readonly cpuMicroseconds: number
}

export type Cell = Readonly<Record<Exclude<keyof Sample, "requests">, Spread>>

export async function measureLoad(server: ServerProcess, load: LoadOptions): Promise<Sample> {
  const before = server.cpuMs()
  const result = await runLoad(load)
  return { ...result, cpuMicroseconds: ((server.cpuMs() - before) * 1000) / result.requests }
}

export function toCell(samples: readonly Sample[]): Cell {
  const spread = (read: (sample: Sample) => number): Spread => spreadOf(samples.map(read))
  return {
    requestsPerSecond: spread((sample) => sample.requestsPerSecond),
    p50Ms: spread((sample) => sample.p50Ms),
    p99Ms: spread((sample) => sample.p99Ms),
    firstByteP50Ms: spread((sample) => sample.firstByteP50Ms),
    firstByteP90Ms: spread((sample) => sample.firstByteP90Ms),
    firstByteP99Ms: spread((sample) => sample.firstByteP99Ms),
    cpuMicroseconds: spread((sample) => sample.cpuMicroseconds),
  }
}
