// The soak of a worker that panics: nobody waits for longer than a deadline, health comes back, memory stays.

import { setTimeout as sleep } from "node:timers/promises"
import type { SoakOptions } from "../options.ts"
import { type Column, type Outcome, runMinutes } from "../soak.ts"
import { startSoakedWorker } from "../worker/soaked-worker.ts"
import { createPanicLoad } from "./load.ts"
import { findProblems, type PanicMinute } from "./problems.ts"

const deadlineMs = 5000

const columns: readonly Column<PanicMinute>[] = [
  ["answered", ({ replies }) => replies[200] ?? 0],
  ["failed", ({ replies }) => sumOf(replies) - (replies[200] ?? 0)],
  ["longest wait ms", ({ longestWaitMs }) => Math.round(longestWaitMs)],
  ["longest down ms", ({ longestDownMs }) => Math.round(longestDownMs)],
  ["restarts", ({ restarts }) => restarts],
  ["resident MiB", ({ residentMib }) => residentMib.toFixed(1)],
  ["anonymous MiB", ({ anonymousMib }) => anonymousMib.toFixed(1)],
]

export async function soakPanics(options: SoakOptions): Promise<Outcome> {
  const { connections, seconds, warmUp } = options
  // Minutes of a few seconds would have the model given up; those of a real run need no other options.
  const patience = seconds < 60 ? ["--load-attempts", "1000", "--load-retry-seconds", "0.1"] : []
  const { address, state, stop } = await startSoakedWorker(patience, { RTRUN_PANIC_EVERY_SECONDS: String(seconds) })
  const load = createPanicLoad()
  const table = await runMinutes<PanicMinute>(
    {
      columns,
      async load() {
        const figures = await load({ socketPath: address.path, connections, seconds, deadlineMs })
        return { ...figures, ...(await state()) }
      },
    },
    options,
  )
  const isBack = await comesBack(() => load({ socketPath: address.path, connections: 1, seconds: 1, deadlineMs }))
  await stop()
  return { table, ...findProblems({ table, warmUp, deadlineMs, isBack }) }
}

/** Whether the worker answers once the load is over; the last panic may have been a moment ago. */
async function comesBack(
  load: () => Promise<{ readonly replies: Readonly<Record<string, number>> }>,
): Promise<boolean> {
  for (let time = 0; time < 30; time += 1) {
    if (((await load()).replies[200] ?? 0) > 0) return true
    await sleep(1000)
  }
  return false
}

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
