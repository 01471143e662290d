// The soak of the worker: mixed load, and its memory minute by minute.

import type { SoakOptions } from "../options.ts"
import { type Column, type Outcome, runMinutes } from "../soak.ts"
import { createMixedLoad } from "./mixed-load.ts"
import { startSoakedWorker } from "./soaked-worker.ts"
import type { WorkerState } from "./worker-state.ts"

type Minute = WorkerState & { readonly minute: number; readonly requests: number; readonly p99Ms: number }

const columns: readonly Column<Minute>[] = [
  ["requests", ({ requests }) => requests],
  ["p99 ms", ({ p99Ms }) => p99Ms],
  ["resident MiB", ({ residentMib }) => residentMib.toFixed(1)],
  ["anonymous MiB", ({ anonymousMib }) => anonymousMib.toFixed(1)],
]

export async function soakWorker(options: SoakOptions): Promise<Outcome> {
  const { connections, seconds, warmUp } = options
  const { address, state, stop } = await startSoakedWorker()
  const idle = { ...(await state()), minute: 0, requests: 0, p99Ms: 0 }
  const load = createMixedLoad()
  const minutes = await runMinutes(
    {
      columns,
      async load(minute) {
        const { requests, p99Ms } = await load({ address, connections, seconds })
        return { ...(await state()), minute, requests, p99Ms: Math.round(p99Ms) }
      },
    },
    options,
  )
  await stop()

  const table = [idle, ...minutes]
  const warm = table[warmUp] as Minute
  const highest = Math.max(...table.slice(warmUp).map(({ residentMib }) => residentMib))
  const last = table.at(-1) as Minute
  const figures = {
    weightsMib: idle.weightsMib,
    idleMib: idle.residentMib,
    warmMib: warm.residentMib,
    highestMib: highest,
    lastMib: last.residentMib,
    grownPerWeights: (highest - warm.residentMib) / idle.weightsMib,
  }
  // The goal: after an hour of load no more than a tenth of the weights over what the warm worker had.
  const problems = [
    ...(figures.grownPerWeights > 0.1 ? ["resident memory grew by more than a tenth of the weights"] : []),
    ...(last.queued > 0 ? [`${last.queued} requests still wait`] : []),
  ]
  return { figures, table, problems }
}
