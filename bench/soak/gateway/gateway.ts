// A real `rtr serve` with its worker and a scripted backend, under good and hostile clients at the same time.

import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { freePorts } from "../../_shared/free-ports.ts"
import { connectInspector, inspectArguments } from "../../_shared/inspector.ts"
import { local } from "../../_shared/load/address.ts"
import { runLoad } from "../../_shared/load/closed-loop.ts"
import { repository } from "../../_shared/options.ts"
import { node, startServer } from "../../_shared/server-process.ts"
import { documentOf } from "./document.ts"
import { createGoodRequests } from "./good-requests.ts"
import { type HealthFigures, startHealthPoll } from "./health.ts"
import { attack, hostileClients } from "./hostile-clients.ts"
import { descriptorsOf, readRouterState, type RouterState } from "./router-state.ts"
import type { BackendCounts } from "./script.ts"
import { leaveStream, readSlowly } from "./slow-readers.ts"

/** A stretch of load, and what the router had when it was over and nobody asked any more. */
export interface GatewayMinute extends RouterState {
  readonly good: number
  readonly p99Ms: number
  /** Streams that were read slowly or left. */
  readonly streams: number
  readonly hostile: number
  /** What hostile clients got and should not have. */
  readonly wrong: readonly string[]
  /** Documents by which good requests were served. */
  readonly documents: number
  readonly health: HealthFigures
  /** Requests of good clients that reached the backend a second time. */
  readonly twice: number
}

/** How the router ended, and worker processes that it left behind. */
export interface Closing {
  readonly exit: number | string
  readonly left: readonly number[]
}

export interface Gateway {
  /** Rejects at the first good request that fails. */
  load(options: { readonly seconds: number; readonly connections: number }): Promise<GatewayMinute>
  stop(): Promise<Closing>
}

/** Rests of clients, in milliseconds: the load is to be even, not the most that the machine can do. */
const goodPauseMs = 20
const hostilePauseMs = 40
const reloadMs = 3000

export async function startGateway(rtr: string = join(repository, "bin/rtr.js")): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-soak-"))
  const [front = 0, management = 0, metrics = 0, backend = 0, inspected = 0] = await freePorts(5)
  const file = join(folder, "config.json")
  let revision = 0
  const nextDocument = (): void => {
    // Replaced by a rename, so that nobody reads half a document.
    writeFileSync(`${file}.new`, JSON.stringify(documentOf({ front, management, backend }, revision++)))
    renameSync(`${file}.new`, file)
  }
  nextDocument()
  const upstream = await startServer({
    name: "backend",
    command: node,
    args: [join(import.meta.dirname, "backend.ts"), String(backend)],
    address: local(backend),
  })
  const router = await startServer({
    name: "rtr",
    command: node,
    args: [...inspectArguments(inspected), rtr, "serve", "--config", file, "--metrics-port", String(metrics)],
    address: local(front),
  })
  const inspector = await connectInspector(inspected)
  const poll = startHealthPoll(front)
  const address = local(front)
  const nextRequest = createGoodRequests()
  let attacks = 0

  return {
    async load({ seconds, connections }) {
      const until = performance.now() + seconds * 1000
      const isOver = (): boolean => performance.now() >= until
      const wrong = new Set<string>()
      const versions = new Set<string | undefined>()
      const counted = { streams: 0, hostile: 0 }
      const beHostile = async (): Promise<void> => {
        while (!isOver()) {
          const client = hostileClients[attacks++ % hostileClients.length] as (typeof hostileClients)[number]
          const outcome = await attack(address, client, attacks)
          if (!client.allowed.includes(outcome)) wrong.add(`${client.name}: ${outcome}`)
          counted.hostile += 1
          await sleep(hostilePauseMs)
        }
      }
      const stream = async (): Promise<void> => {
        while (!isOver()) {
          await (counted.streams++ % 2 === 0 ? readSlowly : leaveStream)(address)
          await sleep(goodPauseMs)
        }
      }
      const reload = async (): Promise<void> => {
        while (!isOver()) {
          nextDocument()
          await sleep(Math.min(reloadMs, Math.max(0, until - performance.now())))
        }
      }
      const [{ requests, p99Ms }] = await Promise.all([
        runLoad({
          address,
          connections,
          seconds,
          pauseMs: goodPauseMs,
          nextRequest,
          onReply: (reply) => versions.add(reply.header("x-rtr-config-version")),
        }),
        stream(),
        reload(),
        ...Array.from({ length: 3 }, beHostile),
      ])
      const health = await poll.take()
      await rest(router.pid)
      const state = await readRouterState(router.pid, inspector)
      // The collection stops the router for a moment, which is not its fault.
      await poll.take()
      const { twice } = (await (await fetch(`http://127.0.0.1:${backend}`)).json()) as BackendCounts
      return { ...state, ...counted, good: requests, p99Ms, wrong: [...wrong], documents: versions.size, health, twice }
    },
    async stop() {
      const { workers } = await readRouterState(router.pid, inspector)
      inspector.close()
      poll.stop()
      const exit = await router.stop()
      await upstream.stop()
      rmSync(folder, { recursive: true, force: true })
      return { exit, left: workers.filter(isRunning) }
    },
  }
}

/** Waits until nothing is closed any more, for five seconds at most. */
async function rest(pid: number): Promise<void> {
  let descriptors = descriptorsOf(pid)
  let same = 0
  for (let time = 0; time < 50 && same < 5; time += 1) {
    await sleep(100)
    const now = descriptorsOf(pid)
    same = now === descriptors ? same + 1 : 0
    descriptors = now
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
