// Command line of the accuracy bench.

import { availableParallelism, homedir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { repository } from "../_shared/options.ts"
import { tasks } from "./tasks/index.ts"

export interface AccuracyOptions {
  /** A folder or a built-in name; the built-in packages with heads of the router if absent. */
  readonly package: string | undefined
  /** Names of the tasks; all that a package serves if empty. */
  readonly tasks: readonly string[]
  /** Of each set; all if absent. */
  readonly rows: number | undefined
  readonly json: boolean
  readonly cache: string
  readonly rtrun: string
  readonly threads: number
  /** How far answers may leave 32-bit arithmetic. */
  readonly profile: string
}

const usage = `usage: node bench/accuracy/run.ts [options]
  --package DIR     a folder or a built-in name (signals, guard or decide)
  --task A,B        only these of ${tasks.map(({ name }) => name).join(",")}
  --rows N          so many rows of each set
  --json            prints the result instead of its tables
  --profile NAME    exact, or max_speed as the router starts its workers (max_speed)
  --threads N       processor threads of the worker (all cores)
  --cache FOLDER    where results of partial runs go
  --rtrun FILE      command of another checkout or of an installed package`

/** Reads the command line. Ends the process with its usage when an option is wrong. */
export function readAccuracyOptions(): AccuracyOptions {
  try {
    const { values } = parseArgs({
      options: {
        package: { type: "string" },
        task: { type: "string", default: "" },
        rows: { type: "string" },
        json: { type: "boolean", default: false },
        cache: { type: "string", default: process.env["RTR_BENCH_CACHE"] ?? join(homedir(), ".cache/rtr-bench") },
        rtrun: { type: "string", default: join(repository, "bin/rtrun.js") },
        threads: { type: "string", default: String(availableParallelism()) },
        profile: { type: "string", default: "max_speed" },
      },
    })
    const wanted = values.task.split(",").filter((name) => name !== "")
    const unknown = wanted.find((task) => !tasks.some(({ name }) => name === task))
    if (unknown !== undefined)
      throw new Error(`--task names "${unknown}"; the tasks are ${tasks.map(({ name }) => name).join(", ")}`)
    return {
      package: values.package,
      tasks: wanted,
      rows: values.rows === undefined ? undefined : whole("rows", values.rows),
      json: values.json,
      cache: resolve(values.cache),
      rtrun: resolve(values.rtrun),
      threads: whole("threads", values.threads),
      profile: values.profile,
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return process.exit(2)
  }
}

function whole(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0, got "${text}"`)
  return value
}
