// The worker's embeddings endpoint against other servers and against a bare loop, for each shape of call and each concurrency.

import type { Address } from "../_shared/load/address.ts"
import { interleave } from "../_shared/rounds.ts"
import { median, quantile, ratio, type Spread, spreadOfPairs } from "../_shared/statistics.ts"
import { type Cell, loadEmbeddings, type Sample, type Shape, shapes, showSample, toCell } from "./embeddings-load.ts"
import type { Plan, PythonLoop } from "./python-rivals.ts"
import { outsideForward, type OutsideForward, type PhaseTimes, readPhases } from "./server-timing.ts"
import type { TextMaker } from "./texts.ts"

export interface ServedOptions {
  readonly worker: Address
  readonly fastapi: Address
  /** By name. */
  readonly infinity: Readonly<Record<string, Address>>
  readonly loop: PythonLoop
  readonly texts: TextMaker
  readonly rounds: number
  readonly seconds: number
}

export interface ServedFigures {
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell>>>>
  /** Calls a second of the worker, by those of a rival. */
  readonly ratios: Readonly<Record<string, Readonly<Record<string, Spread>>>>
  /** Where a lone caller's time goes. */
  readonly outside: Readonly<Record<string, OutsideForward>>
}

interface Row {
  readonly shape: Shape
  readonly concurrency: readonly number[]
  /** How the loop computes one call; the first is what the worker is measured by. */
  readonly plans: readonly Plan[]
  readonly withInfinity: boolean
}

const rows: readonly Row[] = [
  { shape: shapes.short, concurrency: [1, 8, 32], plans: ["padded"], withInfinity: false },
  { shape: shapes.uniform, concurrency: [1, 8, 32], plans: ["padded"], withInfinity: true },
  { shape: shapes.mixed, concurrency: [8, 32], plans: ["padded"], withInfinity: true },
  { shape: shapes.few, concurrency: [8, 32], plans: ["sorted"], withInfinity: true },
  // 32 calls of 32 texts at once make FastAPI hold ten gigabytes of padded batches, which says nothing new.
  { shape: shapes.batch, concurrency: [1, 8], plans: ["sorted", "padded"], withInfinity: false },
]

export async function measureServed(options: ServedOptions): Promise<ServedFigures> {
  const { worker, fastapi, infinity, texts, rounds, seconds } = options
  const cells: Record<string, Record<string, Cell>> = {}
  const ratios: Record<string, Record<string, Spread>> = {}
  const outside: Record<string, OutsideForward> = {}
  for (const { shape, concurrency, plans, withInfinity } of rows) {
    for (const connections of concurrency) {
      const label = `${shape.name}-c${connections}`
      const phases: PhaseTimes[] = []
      const load = { shape, connections, seconds, texts }
      const servers = { fastapi, ...(withInfinity && infinity) }
      const samples = await interleave<Sample>(
        label,
        rounds,
        [
          {
            name: "worker",
            measure: () =>
              loadEmbeddings({
                ...load,
                address: worker,
                onReply: (reply, clientMs) => phases.push(readPhases(reply, clientMs)),
              }),
          },
          ...Object.entries(servers).map(([name, address]) => ({
            name,
            measure: () => loadEmbeddings({ ...load, address }),
          })),
          ...plans.map((plan) => ({
            name: plans.length === 1 ? "loop" : `loop-${plan}`,
            measure: () => runLoop(options, shape, plan),
          })),
        ],
        showSample,
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

/** Calls of one text in sets of 32, larger ones in pairs. */
async function runLoop({ loop, texts, seconds }: ServedOptions, { calls }: Shape, plan: Plan): Promise<Sample> {
  const count = (calls[0]?.length ?? 0) === 1 ? 32 : 2
  const prepared = Array.from({ length: count }, (_, index) =>
    (calls[index % calls.length] ?? []).map((length) => texts.ofTokens(length)),
  )
  const latencies = await loop.run(prepared, plan, seconds)
  const totalMs = latencies.reduce((sum, latency) => sum + latency, 0)
  return {
    callsPerSecond: (latencies.length * 1000) / totalMs,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
  }
}
