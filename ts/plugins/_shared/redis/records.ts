// Records in Redis: found by id, and by fields in the order of their age.

import type { JsonValue, RecordStore, StoredRecord, StoreFields } from "../../../kernel/index.ts"
import { checkCreatedAt, checkText, readLimit, tagsOf, toJson } from "../stores/input.ts"
import { cursorAfter, type Position, readPage } from "../stores/order.ts"
import { type CollectionHost, createCollection } from "./collection.ts"

/** The server serves nobody else while it looks at so many. */
const lookedAtOnce = 500
/** A reply may have so much and one more value. */
const bytesAtOnce = 8 * 2 ** 20

interface Scan {
  readonly act: "read" | "count" | "delete"
  readonly order: "newest" | "oldest"
  readonly after: Position | undefined
  readonly tags: readonly string[]
  /** How many are wanted. */
  readonly most: number
}

export function createRedisRecords(name: string, host: CollectionHost): RecordStore {
  const entries = createCollection("records", name, host)
  /** Goes on until there are enough, or no more. */
  const scan = async ({ act, order, after, tags, most }: Scan): Promise<{ count: number; found: StoredRecord[] }> => {
    const found: StoredRecord[] = []
    let count = 0
    for (let place = after; ;) {
      const [word, more, age = "", id = "", ...parts] = await entries.runSwept(
        "scan",
        act,
        order,
        String(lookedAtOnce),
        String(most - count),
        String(bytesAtOnce),
        place === undefined ? "" : String(place.createdAt),
        place?.id ?? "",
        ...tags,
      )
      count += Number(more)
      for (let part = 0; part < parts.length; part += 4) found.push(toRecord(parts.slice(part, part + 4) as string[]))
      if (word === "end" || count >= most) return { count, found }
      place = { createdAt: Number(age), id: String(id) }
    }
  }
  const every = { order: "oldest", after: undefined, most: Number.MAX_SAFE_INTEGER } as const
  return {
    async put(record, options) {
      const { id, fields, value } = record
      const age = checkCreatedAt(record)
      const tags = tagsOf(fields)
      await entries.write("put", { id, json: toJson(value), options }, String(age), toJson(fields), ...tags)
    },
    async get(id) {
      const [, age, fields, json] = (await entries.read(id, "createdAt", "fields", "json")) ?? []
      return typeof age === "string" && typeof fields === "string" && typeof json === "string"
        ? toRecord([id, age, fields, json])
        : undefined
    },
    async delete(id) {
      return (await entries.run("delete", checkText("id", id))) === 1
    },
    async query(query = {}) {
      const limit = readLimit(query.limit, 100)
      const tags = tagsOf(query.where ?? {})
      const { order, after } = readPage(query)
      // One record more than wanted says whether there is a next page.
      const { found } = await scan({ act: "read", order, after, tags, most: limit + 1 })
      const records = found.slice(0, limit)
      const last = records.at(-1)
      return { records, ...(last !== undefined && found.length > limit && { next: cursorAfter(order, last) }) }
    },
    async count(where = {}) {
      return (await scan({ ...every, act: "count", tags: tagsOf(where) })).count
    },
    async deleteWhere(where) {
      return (await scan({ ...every, act: "delete", tags: tagsOf(where) })).count
    },
  }
}

function toRecord([id = "", age, fields = "{}", json = "null"]: readonly string[]): StoredRecord {
  return {
    id,
    createdAt: Number(age),
    fields: JSON.parse(fields) as StoreFields,
    value: JSON.parse(json) as JsonValue,
  }
}
