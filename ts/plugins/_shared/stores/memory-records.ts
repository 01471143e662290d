// Records in memory, kept as JSON text so that nobody can change what is stored.

import type { JsonValue, RecordStore, StoredRecord, StoreFields } from "../../../kernel/index.ts"
import { checkCreatedAt, checkText, expiryOf, readLimit, tagsOf, toJson } from "./input.ts"
import type { MemoryHost } from "./memory-host.ts"
import { createMemoryTable } from "./memory-table.ts"
import { compareText, createFirst, cursorAfter, type Position, readPage } from "./order.ts"

interface Entry extends Position {
  readonly tags: readonly string[]
  readonly fields: string
  readonly value: string
}

export function createMemoryRecords(host: MemoryHost): RecordStore {
  const { clock, checkOpen } = host
  const table = createMemoryTable<Entry>(host)
  const matching = (where: StoreFields): readonly Entry[] => {
    checkOpen()
    const wanted = tagsOf(where)
    return table.filter(({ tags }) => wanted.every((tag) => tags.includes(tag)))
  }
  const open = (id: string): string => {
    checkOpen()
    return checkText("id", id)
  }
  return {
    async put(record, options) {
      const { id, fields, value } = record
      const entry = {
        id: open(id),
        createdAt: checkCreatedAt(record),
        tags: tagsOf(fields),
        fields: toJson(fields),
        value: toJson(value),
      }
      table.put(id, entry, expiryOf(options, clock()), entry.value.length)
    },
    async get(id) {
      const entry = table.get(open(id))
      return entry && toRecord(entry)
    },
    delete: async (id) => table.delete(open(id)),
    async query(query = {}) {
      const limit = readLimit(query.limit, 100)
      const { order, after } = readPage(query)
      const sign = order === "oldest" ? 1 : -1
      const compare = (one: Position, other: Position): number =>
        sign * (one.createdAt - other.createdAt || compareText(one.id, other.id))
      const first = createFirst<Entry>(limit + 1, compare)
      for (const entry of matching(query.where ?? {}))
        if (after === undefined || compare(entry, after) > 0) first.offer(entry)
      const page = first.items().slice(0, limit)
      const last = page.at(-1)
      return {
        records: page.map(toRecord),
        ...(last !== undefined && first.items().length > limit && { next: cursorAfter(order, last) }),
      }
    },
    count: async (where = {}) => matching(where).length,
    async deleteWhere(where) {
      const found = matching(where)
      for (const { id } of found) table.delete(id)
      return found.length
    },
  }
}

function toRecord({ id, createdAt, fields, value }: Entry): StoredRecord {
  return { id, createdAt, fields: JSON.parse(fields) as StoreFields, value: JSON.parse(value) as JsonValue }
}
