// Settings of managed workers from environment variables (spec 3, environment variables of managed runtimes).

import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { RtrError } from "../kernel/index.ts"
import type { Environment } from "../kernel/runtime/node.ts"

/** `RTRUN_READY_TIMEOUT`: seconds, or a number with s, m or h. */
export function readyTimeoutMs(environment: Environment): number {
  const text = environment["RTRUN_READY_TIMEOUT"] ?? "10m"
  const [, amount, unit = "s"] = /^(\d+)(s|m|h)?$/.exec(text) ?? []
  if (amount === undefined)
    throw new RtrError("invalid_config", `RTRUN_READY_TIMEOUT must be a duration such as 90s or 10m, got "${text}"`)
  return Number(amount) * { s: 1000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"]
}

/** `RTRUN_CPU_THREADS`, or half the processors: the rest belongs to the router itself. */
export function threadsOf(environment: Environment): number {
  const budget = availableParallelism()
  const text = environment["RTRUN_CPU_THREADS"]
  if (text === undefined) return Math.min(16, Math.max(1, Math.floor(budget / 2)))
  if (!/^[1-9]\d*$/.test(text))
    throw new RtrError("invalid_config", `RTRUN_CPU_THREADS must be a positive whole number, got "${text}"`)
  return Math.min(Number(text), budget)
}

/** `RTRUN_COMMAND`, or the `rtrun` of this package. */
export function workerCommand(environment: Environment): readonly [string, ...string[]] {
  const given = environment["RTRUN_COMMAND"]
  if (given !== undefined && given !== "") return [given]
  return [
    process.execPath,
    ...process.execArgv,
    join(dirname(fileURLToPath(import.meta.resolve("rtr/package.json"))), "bin/rtrun.js"),
  ]
}

/** Workers read prompts, not provider keys: they get what a process needs and their own settings. */
export function workerEnvironment(environment: Environment): Record<string, string> {
  const needed = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|NODE_OPTIONS|RTRUN_\w+|HUB_\w+)$/
  const given = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && needed.test(entry[0]),
  )
  // The inference library of a worker would report its use to its maker.
  return { ...Object.fromEntries(given), ORT_DISABLE_TELEMETRY: "1" }
}
