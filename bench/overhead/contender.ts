// What stands between client and backend in this bench.

import type { Address } from "../_shared/load/address.ts"
import type { BenchOptions } from "../_shared/options.ts"
import type { ServerProcess } from "../_shared/server-process.ts"
import type { BenchPrompt } from "./prompts.ts"

export interface Contender {
  readonly name: string
  readonly address: Address
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Name that clients ask for. */
  readonly model: string
  /** Name that the backend must get for a prompt. */
  readonly upstreamModel: (prompt: BenchPrompt) => string
  readonly server: ServerProcess
}

/** Installs what is missing and starts the contender. */
export type StartContender = (options: BenchOptions) => Promise<Contender>
