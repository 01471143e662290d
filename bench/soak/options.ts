// Command-line options of the soak.

import { parseArgs } from "node:util"

export interface SoakOptions {
  /** The router with a worker and a backend, under good and hostile clients; the worker alone without it. */
  readonly gateway: boolean
  /** The worker alone, with a panic a minute at each place that can have one. */
  readonly panics: boolean
  readonly minutes: number
  readonly warmUp: number
  readonly seconds: number
  readonly connections: number
}

const usage = `usage: node bench/soak/run.ts [options]
  --gateway         soak the router instead of the worker: good and hostile clients at the same time
  --panics          put a panic into the worker once a minute, at each place that can have one
  --minutes N       length of the load after the warm-up (60)
  --warm-up N       minutes before memory is compared: buffers, arenas and the result cache get their size in them (5)
  --seconds N       length of a minute, to see that everything works (60)
  --connections N   requests at the same time (8); with --gateway those of good clients`

/** Ends the process with the usage when an option is wrong. */
export function readSoakOptions(): SoakOptions {
  try {
    const option = { type: "string" } as const
    const { values } = parseArgs({
      options: {
        gateway: { type: "boolean", default: false },
        panics: { type: "boolean", default: false },
        minutes: option,
        "warm-up": option,
        seconds: option,
        connections: option,
      },
    })
    if (values.gateway && values.panics) throw new Error("--panics is for the worker; leave --gateway out")
    const whole = (name: "minutes" | "warm-up" | "seconds" | "connections", byDefault: number): number => {
      const value = Number(values[name] ?? byDefault)
      if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`)
      return value
    }
    return {
      gateway: values.gateway,
      panics: values.panics,
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
