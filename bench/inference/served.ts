// The worker's embeddings endpoint against FastAPI and against a bare loop, for each shape of call and each concurrency.

import type { Address } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import { interleave } from "../_shared/rounds.ts"
import { median, quantile, ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import type { Plan, PythonLoop } from "./python-rivals.ts"
import { outsideForward, type OutsideForward, type PhaseTimes, readPhases } from "./server-timing.ts"
import { mixedLengths, type TextMaker } from "./texts.ts"
import { embeddingsBody } from "./worker.ts"

export interface ServedOptions {
  readonly worker: Address
  readonly fastapi: Address
  readonly loop: PythonLoop
  readonly texts: TextMaker
  readonly rounds: number
  readonly seconds: number
}

export interface ServedCell {
  readonly callsPerSecond: Spread
  readonly p50Ms: Spread
  readonly p99Ms: Spread
}

export interface ServedFigures {
  readonly cells: Readonly<Record<string, Readonly<Record<string, ServedCell>>>>
  /** Calls a second of the worker, by those of a rival. */
  readonly ratios: Readonly<Record<string, Readonly<Record<string, Spread>>>>
  /** Where a lone caller's time goes. */
  readonly outside: Readonly<Record<string, OutsideForward>>
}

interface Sample {
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Shape {
  readonly name: string
  readonly lengths: readonly number[]
  readonly concurrency: readonly number[]
  /** How the loop computes one call; the first is what the worker is measured by. */
  readonly plans: readonly Plan[]
}

const shapes: readonly Shape[] = [
  { name: "1x16", lengths: [16], concurrency: [1, 8, 32], plans: ["padded"] },
  { name: "1x128", lengths: [128], concurrency: [1, 8, 32], plans: ["padded"] },
  // 32 calls of 32 texts at once make FastAPI hold ten gigabytes of padded batches, which says nothing new.
  { name: "32xmixed", lengths: mixedLengths, concurrency: [1, 8], plans: ["sorted", "padded"] },
]

export async function measureServed(options: ServedOptions): Promise<ServedFigures> {
  const cells: Record<string, Record<string, ServedCell>> = {}
  const ratios: Record<string, Record<string, Spread>> = {}
  const outside: Record<string, OutsideForward> = {}
  for (const shape of shapes) {
    for (const connections of shape.concurrency) {
      const label = `${shape.name}-c${connections}`
      const phases: PhaseTimes[] = []
      const samples = await interleave<Sample>(
        label,
        options.rounds,
        [
          { name: "worker", measure: () => load(options, options.worker, shape, connections, phases) },
          { name: "fastapi", measure: () => load(options, options.fastapi, shape, connections) },
          ...shape.plans.map((plan) => ({
            name: loopName(plan, shape),
            measure: () => runLoop(options, shape, plan),
          })),
        ],
        ({ callsPerSecond, p50Ms }) => `${callsPerSecond.toFixed(1)}/s (${p50Ms.toFixed(1)} ms)`,
      )
      const rates = (name: string): readonly number[] =>
        (samples.get(name) ?? []).map(({ callsPerSecond }) => callsPerSecond)
      cells[label] = Object.fromEntries([...samples].map(([name, list]) => [name, toCell(list)]))
      ratios[label] = Object.fromEntries(
        [...samples.keys()]
          .filter((name) => name !== "worker")
          .map((name) => [name, spreadOfPairs(rates("worker"), rates(name), ratio)]),
      )
      if (connections === 1) outside[shape.name] = outsideForward(phases)
    }
  }
  return { cells, ratios, outside }
}

function loopName(plan: Plan, { plans }: Shape): string {
  return plans.length === 1 ? "loop" : `loop-${plan}`
}

async function load(
  { texts, seconds }: ServedOptions,
  address: Address,
  { lengths }: Shape,
  connections: number,
  phases?: PhaseTimes[],
): Promise<Sample> {
  const result = await runLoad({
    address,
    connections,
    seconds,
    nextRequest: () =>
      prepareRequest({
        path: "/v1/embeddings",
        body: embeddingsBody(lengths.map((length) => texts.ofTokens(length))),
        expected: ['"embedding":"', `"index":${lengths.length - 1}`],
      }),
    ...(phases !== undefined && { onReply: (reply, clientMs) => phases.push(readPhases(reply, clientMs)) }),
  })
  return { callsPerSecond: result.requestsPerSecond, p50Ms: result.p50Ms, p99Ms: result.p99Ms }
}

async function runLoop({ loop, texts, seconds }: ServedOptions, { lengths }: Shape, plan: Plan): Promise<Sample> {
  const calls = Array.from({ length: lengths.length === 1 ? 32 : 2 }, () =>
    lengths.map((length) => texts.ofTokens(length)),
  )
  const latencies = await loop.run(calls, plan, seconds)
  const totalMs = latencies.reduce((sum, latency) => sum + latency, 0)
  return {
    callsPerSecond: (latencies.length * 1000) / totalMs,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
  }
}

function toCell(samples: readonly Sample[]): ServedCell {
  return {
    callsPerSecond: spreadOf(samples.map(({ callsPerSecond }) => callsPerSecond)),
    p50Ms: spreadOf(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: spreadOf(samples.map(({ p99Ms }) => p99Ms)),
  }
}
