// A worker that the operator runs; it is polled, never started or stopped.

import { setTimeout as sleep } from "node:timers/promises"
import type { Transport } from "../kernel/index.ts"
import { createHealthReader, type Health } from "./health.ts"
import type { WorkerLog } from "./log.ts"
import type { ModelState, Worker, WorkerAddress } from "./worker.ts"

const readyPollMs = 5000
const waitingPollMs = 500
/** A worker that is not ready for so long after the start is told of. */
const tellAfterMs = 3000

export interface AttachedHost {
  readonly transport: Transport
  readonly log: WorkerLog
  /** Is called after each poll. */
  changed(): void
}

export class AttachedWorker implements Worker {
  readonly process = "attached"
  readonly restarts = 0
  readonly address: WorkerAddress
  readonly #servedName: string
  #health: Health | undefined
  /** Why the model is not served; undefined before the first poll and while the worker tells its state. */
  #missing: string | undefined
  #wasReady = false
  readonly #stopped = new AbortController()

  constructor(endpoint: string, servedName: string, host: AttachedHost) {
    this.#servedName = servedName
    this.address = addressOf(endpoint)
    void this.#watch(endpoint, host)
  }

  model(servedName: string): ModelState | undefined {
    const found = this.#health?.get(servedName)
    if (found !== undefined || this.#missing === undefined) return found
    return { status: this.#wasReady ? "degraded" : "starting", reason: this.#missing }
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
  }

  async #watch(endpoint: string, { transport, log, changed }: AttachedHost): Promise<void> {
    const { signal } = this.#stopped
    const startedAt = performance.now()
    let isTold = false
    const tell = (level: "info" | "warning", event: string, fields: object = {}): void =>
      log(level, event, { endpoint, served_name: this.#servedName, ...fields })
    // The operator may restart it between two polls, with another model.
    const reader = createHealthReader(transport, this.address, "always")
    while (!signal.aborted) {
      const health = await reader.read()
      if (signal.aborted) return
      const status = health?.get(this.#servedName)?.status
      const ready = status === "ready"
      this.#health = health
      this.#missing =
        health === undefined
          ? `no worker answers: ${reader.failure}`
          : status === undefined
            ? "the worker serves no model of that name"
            : undefined
      this.#wasReady ||= ready
      changed()
      if (ready && isTold) tell("info", "attached_worker_ready")
      const isToTell = !ready && (this.#wasReady || performance.now() - startedAt >= tellAfterMs)
      if (isToTell && !isTold)
        tell("warning", this.#wasReady ? "attached_worker_lost" : "waiting_for_attached_worker", {
          found: this.#missing ?? status,
        })
      isTold = isToTell
      await sleep(ready ? readyPollMs : waitingPollMs, undefined, { ref: false, signal }).catch(() => {})
    }
  }
}

const socketPrefix = "unix://"

function addressOf(endpoint: string): WorkerAddress {
  return endpoint.startsWith(socketPrefix)
    ? { origin: "http://localhost", socketPath: endpoint.slice(socketPrefix.length) }
    : { origin: endpoint.replace(/\/+$/, "") }
}
