// How long commands and servers take to start, beside Node itself, the bare proxy and the other gateways.

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { BenchOptions } from "../_shared/options.ts"
import { type Contender, interleave } from "../_shared/rounds.ts"
import { node, type ServerProcess } from "../_shared/server-process.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { startBare } from "../overhead/targets/bare.ts"
import { startLitellm } from "../overhead/targets/litellm.ts"
import { startPortkey } from "../overhead/targets/portkey.ts"
import { startRtr } from "../overhead/targets/rtr.ts"
import { startQuickstart } from "./quickstart.ts"

export interface StartUpFigures {
  readonly milliseconds: Readonly<Record<string, Spread>>
  readonly ratios: Readonly<Record<string, Spread>>
}

const execute = promisify(execFile)

export async function measureStartUp(options: BenchOptions, hasModels: boolean): Promise<StartUpFigures> {
  const contenders: Contender<number>[] = [
    { name: "node", measure: () => timeCommand([node, "-e", "0"]) },
    { name: "rtr-version", measure: () => timeCommand([node, options.rtr, "--version"]) },
    { name: "bare", measure: () => timeServer(async () => (await startBare(options)).server) },
    { name: "rtr-keywords", measure: () => timeServer(async () => (await startRtr(options)).server) },
    ...(hasModels ? [{ name: "rtr-models", measure: () => timeServer(() => startQuickstart(options)) }] : []),
    { name: "portkey", measure: () => timeServer(async () => (await startPortkey(options)).server) },
    { name: "litellm", measure: () => timeServer(async () => (await startLitellm(options)).server) },
  ]
  // The first start of anything reads it from the disk.
  for (const { measure } of contenders) await measure()
  const samples = await interleave("start-up", options.rounds, contenders, (ms) => `${ms.toFixed(0)} ms`)
  const of = (name: string): readonly number[] => samples.get(name) ?? []
  return {
    milliseconds: Object.fromEntries([...samples].map(([name, list]) => [name, spreadOf(list)])),
    ratios: {
      versionPerNode: spreadOfPairs(of("rtr-version"), of("node"), ratio),
      keywordsPerBare: spreadOfPairs(of("rtr-keywords"), of("bare"), ratio),
      keywordsPerPortkey: spreadOfPairs(of("rtr-keywords"), of("portkey"), ratio),
      keywordsPerLitellm: spreadOfPairs(of("rtr-keywords"), of("litellm"), ratio),
    },
  }
}

async function timeCommand([command = "", ...args]: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  await execute(command, args)
  return performance.now() - startedAt
}

/** From spawning to the open port. */
async function timeServer(start: () => Promise<ServerProcess>): Promise<number> {
  const server = await start()
  await server.stop()
  return server.readyMs
}
