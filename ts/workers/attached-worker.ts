// A worker that the operator runs; it is polled, never started or stopped.

import { setTimeout as sleep } from "node:timers/promises"
import type { Transport } from "../kernel/index.ts"
import { createHealthReader, type Health } from "./health.ts"
import type { WorkerLog } from "./log.ts"
import type { ModelState, Worker, WorkerAddress } from "./worker.ts"

const readyPollMs = 5000
const waitingPollMs = 500
/** A worker that is not ready for so long is told of. */
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
  readonly #stopped = new AbortController()

  constructor(endpoint: string, servedName: string, host: AttachedHost) {
    this.#servedName = servedName
    this.address = addressOf(endpoint)
    void this.#watch(endpoint, host)
  }

  model(servedName: string): ModelState | undefined {
    return this.#health?.get(servedName)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
  }

  async #watch(endpoint: string, { transport, log, changed }: AttachedHost): Promise<void> {
    const { signal } = this.#stopped
    let waitingSince: number | undefined
    let isTold = false
    // The operator may restart it between two polls, with another model.
    const reader = createHealthReader(transport, this.address, "always")
    while (!signal.aborted) {
      const health = await reader.read()
      if (signal.aborted) return
      this.#health = health
      changed()
      const status = health?.get(this.#servedName)?.status
      const ready = status === "ready"
      waitingSince = ready ? undefined : (waitingSince ?? performance.now())
      const isLate = waitingSince !== undefined && performance.now() - waitingSince >= tellAfterMs
      if (isLate && !isTold)
        log("warning", "waiting_for_attached_worker", {
          endpoint,
          served_name: this.#servedName,
          found: health === undefined ? "no worker answers" : (status ?? "it serves no model of that name"),
        })
      isTold = isLate
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
