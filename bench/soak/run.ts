// Hours of mixed load on one worker, and its memory minute by minute.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { installedVersion, readOrigin } from "../_shared/machine.ts"
import { repository } from "../_shared/options.ts"
import { resultsFolder } from "../_shared/results.ts"
import { node, startServer } from "../_shared/server-process.ts"
import { createMixedLoad, models } from "./mixed-load.ts"
import { stateOf, type WorkerState } from "./worker-state.ts"

const usage = `usage: node bench/soak/run.ts [options]
  --minutes N       length of the load after the warm-up (60)
  --warm-up N       minutes before memory is compared: buffers, arenas and the result cache get their size in them (5)
  --seconds N       length of a minute, to see that everything works (60)
  --connections N   requests at the same time (8)`

const { minutes, warmUp, seconds, connections } = readArguments()
const origin = readOrigin({ onnxruntime: installedVersion("onnxruntime-node") })
const folder = mkdtempSync(join(tmpdir(), "rtr-soak-"))
const socketPath = join(folder, "worker.sock")
const server = await startServer({
  name: "rtrun",
  command: node,
  // The cache is full after the first minutes, so that its filling is no growth.
  args: [
    join(repository, "bin/rtrun.js"),
    "serve",
    ...models,
    "--uds",
    socketPath,
    "--log-level",
    "error",
    "--result-cache-entries",
    "1024",
  ],
  address: { path: socketPath },
})
await ready()

type Minute = WorkerState & { readonly minute: number; readonly requests: number; readonly p99Ms: number }
const table: Minute[] = []
const load = createMixedLoad()
const start = await stateOf(server.pid, socketPath)
process.stdout.write("minute  requests  p99 ms  resident MiB  anonymous MiB\n")
print({ ...start, minute: 0, requests: 0, p99Ms: 0 })
for (let minute = 1; minute <= warmUp + minutes; minute += 1) {
  const { requests, p99Ms } = await load({ address: { path: socketPath }, connections, seconds })
  print({ ...(await stateOf(server.pid, socketPath)), minute, requests, p99Ms: Math.round(p99Ms) })
}
await server.stop()
rmSync(folder, { recursive: true, force: true })

const warm = table[warmUp] as Minute
const highest = Math.max(...table.slice(warmUp).map(({ residentMib }) => residentMib))
const last = table.at(-1) as Minute
const figures = {
  weightsMib: start.weightsMib,
  idleMib: start.residentMib,
  warmMib: warm.residentMib,
  highestMib: highest,
  lastMib: last.residentMib,
  grownPerWeights: (highest - warm.residentMib) / start.weightsMib,
}
const result = { bench: "soak", ...origin, minutes, warmUp, seconds, connections, figures, table }
// A run that was only tried does not replace a kept one.
if (minutes >= 60 && seconds === 60)
  writeFileSync(join(resultsFolder, "soak.json"), `${JSON.stringify(result, undefined, 2)}\n`)
process.stdout.write(`${JSON.stringify(figures)}\n`)
// The goal: after an hour of load no more than a tenth of the weights over what the warm worker had.
process.exit(figures.grownPerWeights <= 0.1 && last.queued === 0 ? 0 : 1)

function print(row: Minute): void {
  table.push(row)
  const cells = [row.minute, row.requests, row.p99Ms, row.residentMib.toFixed(1), row.anonymousMib.toFixed(1)]
  const widths = [6, 8, 6, 12, 13]
  process.stdout.write(`${cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join("  ")}\n`)
}

async function ready(): Promise<void> {
  for (;;) {
    const { weightsMib } = await stateOf(server.pid, socketPath)
    const answered = await createMixedLoad()({ address: { path: socketPath }, connections: 1, seconds: 0.1 }).catch(
      () => undefined,
    )
    if (answered !== undefined && weightsMib > 0) return
    await sleep(100)
  }
}

function readArguments(): { minutes: number; warmUp: number; seconds: number; connections: number } {
  try {
    const option = { type: "string" } as const
    const { values } = parseArgs({
      options: { minutes: option, "warm-up": option, seconds: option, connections: option },
    })
    const whole = (name: keyof typeof values, byDefault: number): number => {
      const value = Number(values[name] ?? byDefault)
      if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`)
      return value
    }
    return {
      minutes: whole("minutes", 60),
      warmUp: whole("warm-up", 5),
      seconds: whole("seconds", 60),
      connections: whole("connections", 8),
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return process.exit(2)
  }
}
