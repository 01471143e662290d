// Where the router is that a command talks to: what the command line says, else what the document says, else the default.

import { existsSync } from "node:fs"
import type { ReadAddress, ReadAddresses } from "rtr/node"
import { printWarning } from "./print.ts"

export interface FoundAddress {
  readonly url: string
  /** Who said so, for messages: a place in a document, or the default. */
  readonly from: string
  /** A key that the document has for this address. */
  readonly key?: string | undefined
  /** The variable of such a key, where it is not set. */
  readonly unset?: string | undefined
  /** The one name of automatic routing that this address allows, where it allows one alone. */
  readonly onlyName?: string | undefined
}

export interface AddressOptions {
  /** The document that the command line names. One that cannot be read is an error; of the usual one it is a warning. */
  readonly config: string | undefined
  readonly read: (addresses: ReadAddresses) => ReadAddress & Pick<FoundAddress, "key" | "unset" | "onlyName">
  /** The address without a document. */
  readonly usual: string
  /** The option that names another address, such as `--endpoint`. */
  readonly option: string
}

/** The document that commands read when none is named and it is there. */
const usualDocument = "config.yaml"

/** What the document says, or the usual address when there is none. */
export async function documentAddress({ config, read, usual, option }: AddressOptions): Promise<FoundAddress> {
  const path = config ?? (existsSync(usualDocument) ? usualDocument : undefined)
  if (path === undefined) return { url: usual, from: "the default" }
  const [{ readAddresses }, { isRtrError }] = await Promise.all([import("rtr/node"), import("rtr")])
  try {
    const { url, place, ...rest } = read(await readAddresses(path))
    return { url, from: `${place} of ${path}`, ...rest }
  } catch (error) {
    if (config !== undefined || !isRtrError(error)) throw error
    printWarning(`${error.message}; asking ${usual}, ${option} names another address`)
    return { url: usual, from: "the default" }
  }
}
