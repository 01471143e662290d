// A worker that the operator runs; it is polled, never started or stopped.

import { setTimeout as sleep } from "node:timers/promises"
import type { Transport } from "../kernel/index.ts"
import { createHealthReader, type Health } from "./health.ts"
import type { ModelState, Worker, WorkerAddress } from "./worker.ts"

const readyPollMs = 5000
const waitingPollMs = 500

export class AttachedWorker implements Worker {
  readonly process = "attached"
  readonly restarts = 0
  readonly address: WorkerAddress
  readonly #servedName: string
  #health: Health | undefined
  readonly #stopped = new AbortController()

  /** `changed` is called after each poll. */
  constructor(endpoint: string, servedName: string, transport: Transport, changed: () => void) {
    this.#servedName = servedName
    this.address = addressOf(endpoint)
    void this.#watch(transport, changed)
  }

  model(servedName: string): ModelState | undefined {
    return this.#health?.get(servedName)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
  }

  async #watch(transport: Transport, changed: () => void): Promise<void> {
    const { signal } = this.#stopped
    // The operator may restart it between two polls, with another model.
    const reader = createHealthReader(transport, this.address, "always")
    while (!signal.aborted) {
      const health = await reader.read()
      if (signal.aborted) return
      this.#health = health
      changed()
      const ready = health?.get(this.#servedName)?.status === "ready"
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
