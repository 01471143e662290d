// What every module says of itself.

import type { DocumentPath } from "../error.ts"

/** Version of the contracts, as the manifest tells it. */
export const hostApiVersion = 2

export type RuntimeName = "node" | "deno" | "edge"

export interface ModuleBase {
  /** One line that says what the module does; shown by the manifest, the docs and the command line. */
  readonly about: string
  /** Hosts that the module works on; left out when it works on every one. */
  readonly runtimes?: readonly RuntimeName[]
}

/**
 * Reports one thing that is wrong; `path` is relative to the value that was checked. A `"warning"` is for what has no effect
 * or can never match: the document is served all the same.
 */
export type Report = (path: DocumentPath, message: string, severity?: "warning") => void

export type MaybePromise<Value> = Value | Promise<Value>
