// A closed loop: each connection sends its next request when its last is answered.

import { RtrError } from "rtr"
import type { Surface } from "./surface.ts"
import type { WorkerClient } from "./worker-client.ts"

export interface LoadOptions {
  readonly client: WorkerClient
  readonly surface: Surface
  readonly nextText: () => string
  readonly connections: number
  readonly seconds: number
}

/** Times are in milliseconds. */
export interface LoadResult {
  readonly requestsPerSecond: number
  readonly tokensPerSecond: number
  /** Of one text, as the worker counted. */
  readonly tokens: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Median of what the worker says about its forwards; one may have read several texts. */
  readonly forwardMs: number
}

/** Rejects at the first request that is not answered with 200: a failure must never count as speed. */
export async function runLoad({ client, surface, nextText, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = []
  const forwards: number[] = []
  let tokens = 0
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  const connection = async (): Promise<void> => {
    do {
      const { status, body, phases, latencyMs } = await client.ask("POST", surface.path, surface.body(nextText()))
      if (status !== 200) throw new RtrError("upstream_error", `The worker answered ${status}: ${messageOf(body)}`)
      latencies.push(latencyMs)
      forwards.push(phases["forward"] ?? Number.NaN)
      tokens += surface.tokens(body)
    } while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: connections }, connection))
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  return {
    requestsPerSecond: latencies.length / elapsedSeconds,
    tokensPerSecond: tokens / elapsedSeconds,
    tokens: tokens / latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    forwardMs: quantile(forwards, 0.5),
  }
}

function messageOf({ error }: Readonly<Record<string, unknown>>): string {
  return (error as { message?: string } | undefined)?.message ?? "without a message"
}

/** Nearest rank; `share` lies between 0 and 1. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
