// Another server of the embeddings endpoint.

import type { Address } from "../_shared/load/address.ts"
import type { ServerProcess } from "../_shared/server-process.ts"

/** Running, and asked where it listens. */
export interface Rival extends ServerProcess {
  readonly address: Address
}
