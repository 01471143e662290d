// Resident memory, idle and after a load, of the bare proxy, of rtr with keyword rules, and of rtr with its worker.

import { setTimeout as sleep } from "node:timers/promises"
import { type Address, local } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { type PreparedRequest, prepareRequest } from "../_shared/load/prepared-request.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { childrenOf, rssMibOf } from "../_shared/server-process.ts"
import { requestsOf } from "../overhead/requests.ts"
import { startBare } from "../overhead/targets/bare.ts"
import { startDirect } from "../overhead/targets/direct.ts"
import { startRtr } from "../overhead/targets/rtr.ts"
import { createTextMaker } from "../inference/texts.ts"
import { packageFolder } from "../inference/worker.ts"
import { quickstartPort, startBackends, startQuickstart } from "./quickstart.ts"

export interface Memory {
  readonly idleMib: number
  readonly afterLoadMib: number
}

const connections = 64

export async function measureMemory(options: BenchOptions, hasModels: boolean): Promise<Record<string, Memory>> {
  const figures: Record<string, Memory> = {}
  const backend = await startDirect(options)
  for (const start of [startBare, startRtr]) {
    const contender = await start(options)
    const idleMib = await settled(contender.server.pid)
    await load(contender.address, requestsOf(contender, "json"), options.seconds)
    await load(contender.address, requestsOf(contender, "sse"), options.seconds)
    figures[contender.name] = { idleMib, afterLoadMib: await settled(contender.server.pid) }
    await contender.server.stop()
    say(`Memory of ${contender.name}: ${JSON.stringify(figures[contender.name])}`)
  }
  await backend.server.stop()
  return hasModels ? { ...figures, ...(await measureWithModels(options)) } : figures
}

async function measureWithModels(options: BenchOptions): Promise<Record<string, Memory>> {
  const backends = await startBackends()
  const router = await startQuickstart(options)
  const [worker = 0] = childrenOf(router.pid)
  const idle = { router: await settled(router.pid), worker: await settled(worker) }
  const texts = createTextMaker(packageFolder, 1)
  const nextRequest = (): PreparedRequest =>
    prepareRequest({
      path: "/v1/chat/completions",
      body: { model: "MoM", messages: [{ role: "user", content: texts.ofTokens(128) }] },
      expected: ['"message"'],
    })
  await load(local(quickstartPort), nextRequest, options.seconds)
  const after = { router: await settled(router.pid), worker: await settled(worker) }
  await Promise.all([router, ...backends].map((server) => server.stop()))
  const figures = {
    "rtr with models": { idleMib: idle.router, afterLoadMib: after.router },
    "its worker": { idleMib: idle.worker, afterLoadMib: after.worker },
  }
  say(`Memory with models: ${JSON.stringify(figures)}`)
  return figures
}

async function load(address: Address, nextRequest: () => PreparedRequest, seconds: number): Promise<void> {
  await runLoad({ address, connections, seconds, nextRequest })
}

/** After a second of rest. */
async function settled(pid: number): Promise<number> {
  await sleep(1000)
  return Math.round(rssMibOf(pid))
}
