// Items of kept responses by their ids, which a later request may send in the place of the items.

import { type KeyValueStore, RtrError, type WireObject } from "../../../../kernel/index.ts"
import { isObject, isText, toList } from "../../dialect/wire.ts"
import { isReference } from "../wire.ts"
import { bytesOfHistory, maxHistoryBytes } from "./chain.ts"
import type { ResponseStore } from "./response-store.ts"
import { withThinker } from "./thoughts.ts"

/** Most items of one response that can be referred to: each is a write of its own. */
const maxItems = 200
/** Stores may work on the event loop; everything else has its turn after so many reads. */
const readInOneTurn = 20

export type Found = ReadonlyMap<string, WireObject>

export interface References {
  /** From now on the items of a reply can be found. */
  add(owner: string, response: string, items: readonly WireObject[]): Promise<void>
  /**
   * What an input refers to, as it is kept, by id. Throws `not_found` for what is not there, and `context_length_exceeded` for too
   * much. `hold` counts the memory that this takes.
   */
  find(owner: string, input: readonly WireObject[], hold: (bytes: number) => void): Promise<Found>
}

export function createReferences(
  values: KeyValueStore,
  { store, ttlMs }: { readonly store: ResponseStore; readonly ttlMs: number },
): References {
  const keyOf = (id: string, owner: string): string => `${id} ${owner}`
  /** All items of the response that has this one: who refers to one of them often refers to others, too. */
  const readBeside = async (id: string, owner: string, hold: (bytes: number) => void): Promise<Found> => {
    const at = isId(id) ? (await values.get(keyOf(id, owner)))?.value : undefined
    const found = isText(at) ? await store.find(at, owner) : undefined
    if (found === undefined) return new Map()
    hold(bytesOfHistory(found.size))
    const items = toList(found.response["output"]).filter(isObject)
    return new Map(
      items.flatMap((item) => (hasId(item) ? [[item.id, withThinker(item, found.thoughtBy)] as const] : [])),
    )
  }
  return {
    async add(owner, response, items) {
      const ids = items
        .filter(hasId)
        .slice(0, maxItems)
        .map(({ id }) => id)
      await Promise.all(ids.map(async (id) => values.set(keyOf(id, owner), response, { ttlMs })))
    },
    async find(owner, input, hold) {
      const read = new Map<string, WireObject>()
      const items = new Map<string, WireObject>()
      let reads = 0
      const sizes = new Map<string, number>()
      let bytes = 0
      for (const [index, item] of input.entries()) {
        if (!isReference(item)) continue
        const id = isText(item["id"]) ? item["id"] : ""
        if (!read.has(id)) {
          for (const [beside, found] of await readBeside(id, owner, hold)) read.set(beside, found)
          reads += 1
          if (reads % readInOneTurn === 0) await new Promise((resolve) => setTimeout(resolve))
        }
        const found = read.get(id)
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
      hold(bytesOfHistory(bytes))
      return items
    },
  }
}

const encoder = new TextEncoder()

/** Whatever a client or a backend writes is a key, and stands in errors, only if it can be an id. */
const isId = (id: string): boolean => /^[\w-]{1,200}$/.test(id)

const hasId = (item: WireObject): item is WireObject & { readonly id: string } => isText(item["id"]) && isId(item["id"])

const noItem = (id: string, index: number): RtrError =>
  new RtrError(
    "not_found",
    `Cannot find the item${isId(id) ? ` "${id}"` : ""} that input[${index}] refers to: it is in the output of no response that was kept for this API key, or that was deleted or has expired; send the item itself`,
  )
