// Command-line options that every bench has.

import { availableParallelism, homedir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"

export interface BenchOptions {
  /** Short rounds that show whether everything works; the numbers mean little and do not replace the kept results. */
  readonly quick: boolean
  readonly rounds: number
  /** Length of one measurement. */
  readonly seconds: number
  /** Where rivals are installed, outside the repository. */
  readonly cache: string
  /** Command that starts the router. */
  readonly rtr: string
  /** The same command of another checkout, to compare two states of the code in one run. */
  readonly against: string | undefined
  /** Command that starts the worker. */
  readonly rtrun: string
  /** Processor threads of every model runtime. */
  readonly threads: number
  readonly only: readonly string[]
  readonly profile: boolean
}

export interface Defaults {
  readonly rounds: number
  readonly seconds: number
}

export const repository: string = join(import.meta.dirname, "../..")

/** Reads the command line. Ends the process with its usage when an option is wrong. */
export function readOptions(usage: string, defaults: Defaults): BenchOptions {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: "boolean", default: false },
        rounds: { type: "string" },
        seconds: { type: "string" },
        cache: { type: "string", default: process.env["RTR_BENCH_CACHE"] ?? join(homedir(), ".cache/rtr-bench") },
        rtr: { type: "string", default: join(repository, "bin/rtr.js") },
        against: { type: "string" },
        rtrun: { type: "string", default: join(repository, "bin/rtrun.js") },
        threads: { type: "string", default: String(availableParallelism()) },
        only: { type: "string", default: "" },
        profile: { type: "boolean", default: false },
      },
    })
    const { quick } = values
    return {
      quick,
      rounds: number("rounds", values.rounds ?? String(quick ? 1 : defaults.rounds)),
      seconds: number("seconds", values.seconds ?? String(quick ? 1 : defaults.seconds)),
      cache: resolve(values.cache),
      rtr: resolve(values.rtr),
      against: values.against === undefined ? undefined : resolve(values.against),
      rtrun: resolve(values.rtrun),
      threads: number("threads", values.threads),
      only: values.only.split(",").filter((name) => name !== ""),
      profile: values.profile,
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}\n`)
    return process.exit(2)
  }
}

function number(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() === "" || !(value > 0)) throw new Error(`--${name} must be a number above 0, got "${text}"`)
  return value
}
