// Items of kept responses by their ids, which a later request may send in the place of the items.

import { type KeyValueStore, RtrError, type WireObject } from "../../../../kernel/index.ts"
import { isObject, isText, toList } from "../../dialect/wire.ts"
import { maxHistoryBytes } from "./chain.ts"
import type { ResponseStore } from "./response-store.ts"
import { withThinker } from "./thoughts.ts"

/** Most items of one response that can be referred to: each is a write of its own. */
const maxItems = 200

export interface Found {
  /** As they are kept, by id. */
  readonly items: ReadonlyMap<string, WireObject>
  /** What they take as JSON, each as often as it is referred to. */
  readonly bytes: number
}

export interface References {
  /** From now on the items of a reply can be found. */
  add(owner: string, response: string, items: readonly WireObject[]): Promise<void>
  /** What an input refers to. Throws `not_found` for what is not there, and `context_length_exceeded` for too much. */
  find(owner: string, input: readonly WireObject[]): Promise<Found>
}

export const isReference = ({ type }: WireObject): boolean => type === "item_reference"

export function createReferences(
  values: KeyValueStore,
  { store, ttlMs }: { readonly store: ResponseStore; readonly ttlMs: number },
): References {
  const keyOf = (id: string, owner: string): string => `${id} ${owner}`
  const read = async (id: string, owner: string): Promise<WireObject | undefined> => {
    const at = isId(id) ? (await values.get(keyOf(id, owner)))?.value : undefined
    const found = isText(at) ? await store.find(at, owner) : undefined
    const item = toList(found?.response["output"]).find((each) => isObject(each) && each["id"] === id)
    return isObject(item) ? withThinker(item, found?.thoughtBy) : undefined
  }
  return {
    async add(owner, response, items) {
      const ids = items.flatMap(({ id }) => (isText(id) && isId(id) ? [id] : [])).slice(0, maxItems)
      await Promise.all(ids.map(async (id) => values.set(keyOf(id, owner), response, { ttlMs })))
    },
    async find(owner, input) {
      const items = new Map<string, WireObject>()
      const sizes = new Map<string, number>()
      let bytes = 0
      for (const [index, item] of input.entries()) {
        if (!isReference(item)) continue
        const id = isText(item["id"]) ? item["id"] : ""
        const found = items.get(id) ?? (await read(id, owner))
        if (found === undefined) throw noItem(id, index)
        items.set(id, found)
        const size = sizes.get(id) ?? encoder.encode(JSON.stringify(found)).length
        sizes.set(id, size)
        bytes += size
        if (bytes > maxHistoryBytes)
          throw new RtrError(
            "context_length_exceeded",
            `Cannot send the items that "input" refers to: they take more than ${maxHistoryBytes} bytes`,
          )
      }
      return { items, bytes }
    },
  }
}

const encoder = new TextEncoder()

/** Whatever a client or a backend writes is a key, and stands in errors, only if it can be an id. */
const isId = (id: string): boolean => /^[\w-]{1,200}$/.test(id)

const noItem = (id: string, index: number): RtrError =>
  new RtrError(
    "not_found",
    `Cannot find the item${isId(id) ? ` "${id}"` : ""} that input[${index}] refers to: it is in the output of no response that was kept for this API key, or that was deleted or has expired; send the item itself`,
  )
