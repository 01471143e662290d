// Kept responses by id. Each belongs to whoever made it; to everybody else it does not exist.

import { type KeyValueStore, RtrError, type Thinker, type WireObject } from "../../../../kernel/index.ts"
import { isText } from "../../dialect/wire.ts"
import { createLargeValues, type MeasuredValue } from "./large-values.ts"

export interface KeptResponse {
  /** Whose it is. */
  readonly owner: string
  /** As its client got it. */
  readonly response: WireObject
  /** The items that its request added to the conversation. */
  readonly input: readonly WireObject[]
  /** Who made it. */
  readonly thoughtBy?: Thinker | undefined
}

export interface FoundResponse extends KeptResponse {
  /** Changes with every write. */
  readonly version: string
  /** Bytes as JSON. */
  readonly size: number
}

export interface ResponseStore {
  find(id: string, owner: string): Promise<FoundResponse | undefined>
  /** Its version; undefined where it is not there. Costs little for large ones, too. */
  version(id: string): Promise<string | undefined>
  /** Writes a new one. Returns its version. Throws `request_too_large` for more than one response may have. */
  add(kept: KeptResponse): Promise<string>
  /** Writes only while nobody else has since this version. */
  replace(kept: KeptResponse, version: string): Promise<boolean>
  /** Whether it was there. */
  remove(id: string, owner: string): Promise<boolean>
  /** Throws `request_too_large` for an input that alone takes more than a response may have. */
  checkInput(input: KeptResponse["input"]): void
}

export function createResponseStore(
  values: KeyValueStore,
  { ttlMs, maxBytes }: { readonly ttlMs: number; readonly maxBytes: number },
): ResponseStore {
  const large = createLargeValues(values, { ttlMs })
  const find = async (id: string, owner: string): Promise<FoundResponse | undefined> => {
    if (!isId(id)) return undefined
    const found = await large.get(id)
    if (found === undefined) return undefined
    const kept = found.value as unknown as Stored
    return kept.owner === owner ? { ...kept, version: found.version } : undefined
  }
  /** With its size. Throws `request_too_large` for more than one response may have. */
  const measured = (kept: KeptResponse): MeasuredValue => {
    const text = JSON.stringify(kept)
    const size = bytesOf(text)
    if (size > maxBytes) throw tooLarge(maxBytes)
    return { value: { ...kept, size } as never, text: `{"size":${size},${text.slice(1)}` }
  }
  return {
    find,
    version: large.version,
    checkInput(input) {
      if (bytesOf(JSON.stringify(input)) > maxBytes) throw tooLarge(maxBytes)
    },
    add: async (kept) => large.set(idOf(kept), measured(kept)),
    replace: async (kept, version) => (await large.compareAndSet(idOf(kept), version, measured(kept))) !== undefined,
    async remove(id, owner) {
      return (await find(id, owner)) !== undefined && (await large.delete(id))
    },
  }
}

interface Stored extends KeptResponse {
  readonly size: number
}

const tooLarge = (maxBytes: number): RtrError =>
  new RtrError(
    "request_too_large",
    `Cannot keep the response: with its input it takes more than the ${maxBytes} bytes that one may have; send "store": false`,
  )

const encoder = new TextEncoder()

const bytesOf = (text: string): number => encoder.encode(text).length

const idOf = ({ response }: KeptResponse): string => (isText(response["id"]) ? response["id"] : "")

/** Whatever a client writes is looked up, and stands in errors, only if it can be an id. */
const isId = (id: string): boolean => /^[\w-]{1,100}$/.test(id)

/** To whom it does not belong learns no more than where there is none. */
export const noResponse = (id: string, action = "find"): RtrError =>
  new RtrError(
    "not_found",
    `Cannot ${action} the response${isId(id) ? ` "${id}"` : ""}: it was not kept, was deleted or has expired, or another API key made it`,
  )
