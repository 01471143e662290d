// rtr with keyword rules, started as a user starts it.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { local } from "../../_shared/load/address.ts"
import type { BenchOptions } from "../../_shared/options.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import type { Contender } from "../contender.ts"
import { ports } from "../ports.ts"

const config = join(import.meta.dirname, "../router.yaml")

/** `nodeArgs` go before the script, for profiles. */
export function startRtr({ rtr }: BenchOptions, nodeArgs: readonly string[] = []): Promise<Contender> {
  return start({ name: "rtr", command: rtr, config, port: ports.router, metricsPort: ports.routerMetrics, nodeArgs })
}

/** The rtr of another checkout, with the same rules on other ports. */
export function startOther({ against, cache }: BenchOptions): Promise<Contender> {
  if (against === undefined) throw new Error('"other" needs --against FILE')
  const folder = join(cache, "other")
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, "router.yaml")
  const text = readFileSync(config, "utf8")
    .replace(`port: ${ports.router}\n`, `port: ${ports.other}\n`)
    .replace(`port: ${ports.routerManagement}\n`, `port: ${ports.otherManagement}\n`)
  writeFileSync(copy, text)
  return start({ name: "other", command: against, config: copy, port: ports.other, metricsPort: ports.otherMetrics })
}

interface StartOptions {
  readonly name: string
  readonly command: string
  readonly config: string
  readonly port: number
  readonly metricsPort: number
  readonly nodeArgs?: readonly string[]
}

async function start(options: StartOptions): Promise<Contender> {
  const address = local(options.port)
  return {
    name: options.name,
    address,
    path: "/v1/chat/completions",
    headers: {},
    model: "MoM",
    upstreamModel: ({ upstreamModel }) => upstreamModel,
    server: await startServer({
      name: options.name,
      command: node,
      args: [
        ...(options.nodeArgs ?? []),
        options.command,
        "serve",
        "--config",
        options.config,
        "--metrics-port",
        String(options.metricsPort),
      ],
      address,
    }),
  }
}
