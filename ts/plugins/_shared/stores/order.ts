// The order of keys, the first few of many in some order, and the place where a page ends.

import type { RecordQuery } from "../../../kernel/index.ts"
import { invalidInput } from "./input.ts"

/** Orders well-formed texts by code point, which is the order of their UTF-8 bytes. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)]
    if (a !== b) return rankOf(a) - rankOf(b)
  }
  return one.length - other.length
}

/** Surrogates stand for the code points above all others, but their code units do not. */
const rankOf = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** The first `limit` of the items that it is offered. */
export interface First<Item> {
  /** Returns the last of the first once there are `limit`; what comes after that one need not be offered. */
  offer(item: Item): Item | undefined
  items(): readonly Item[]
}

/** Keeps the first `limit` items in order, without sorting them all. */
export function createFirst<Item>(limit: number, compare: (one: Item, other: Item) => number): First<Item> {
  const items: Item[] = []
  return {
    offer(item) {
      let [low, high] = [0, items.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (compare(items[middle] as Item, item) <= 0) low = middle + 1
        else high = middle
      }
      if (low < limit) {
        items.splice(low, 0, item)
        if (items.length > limit) items.pop()
      }
      return items.length === limit ? items[limit - 1] : undefined
    },
    items: () => items,
  }
}

export type Order = NonNullable<RecordQuery["order"]>

/** Place of a record among all: its age, then its id. */
export interface Position {
  readonly createdAt: number
  readonly id: string
}

/** The order of a query, and the place after which its page starts. Throws `invalid_input` for a cursor of something else. */
export function readPage(query: RecordQuery): { readonly order: Order; readonly after: Position | undefined } {
  const { order = "newest", cursor } = query
  if (order !== "newest" && order !== "oldest") throw invalidInput("order must be newest or oldest")
  if (cursor === undefined) return { order, after: undefined }
  let read: unknown
  try {
    read = JSON.parse(decodeURIComponent(cursor))
  } catch {
    read = undefined
  }
  const [cursorOrder, createdAt, id] = Array.isArray(read) ? (read as unknown[]) : []
  if (cursorOrder !== order || typeof createdAt !== "number" || typeof id !== "string")
    throw invalidInput("cursor must be the next of a page in the same order")
  return { order, after: { createdAt, id } }
}

/** The cursor of the page after a record. */
export function cursorAfter(order: Order, { createdAt, id }: Position): string {
  return encodeURIComponent(JSON.stringify([order, createdAt, id]))
}
