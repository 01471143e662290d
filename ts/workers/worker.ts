// What a lease sees of a worker, whether this router started it or the operator did.

import type { DeploymentStatus } from "../kernel/index.ts"
import type { PackageHead } from "../kernel/runtime/node.ts"

/** State of one model of a worker, before anybody's bindings are compared with it. */
export interface ModelState {
  readonly status: DeploymentStatus["state"]
  readonly reason?: string
  /** Undefined until they are read, and for a worker that does not list them. */
  readonly heads?: readonly PackageHead[]
}

export interface WorkerAddress {
  readonly origin: string
  readonly socketPath?: string
}

export interface Worker {
  /** Process name as `/startup-status` shows it. */
  readonly process: string
  readonly address: WorkerAddress
  readonly restarts: number
  /** Undefined while the worker does not answer for this model. */
  model(servedName: string): ModelState | undefined
  /** Ends polling, and the process if this router started it. Resolves when nothing of it is left. */
  stop(): Promise<void>
}
