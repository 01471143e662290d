// What stands between a client and a backend that speak different protocols.

import type { Address } from "../_shared/load/address.ts"
import type { BenchOptions } from "../_shared/options.ts"
import type { ServerProcess } from "../_shared/server-process.ts"
import type { Protocol } from "./protocols.ts"

export interface Contender {
  readonly name: string
  readonly address: Address
  readonly headers: Readonly<Record<string, string>>
  /** The model whose backend speaks this protocol. */
  readonly models: Readonly<Record<Protocol, string>>
  /** Nothing translates: a client speaks the backend's protocol itself. */
  readonly isDirect?: true
  /** Its clients speak to backends of their own protocol: nothing is translated on the same way through the server. */
  readonly isSame?: true
  readonly server: ServerProcess
}

/** Installs what is missing and starts the contender. */
export type StartContender = (options: BenchOptions) => Promise<Contender>
