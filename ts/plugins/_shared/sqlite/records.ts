// Records in SQLite: found by id, and by fields in the order of their age.

import type { JsonValue, RecordStore, StoredRecord } from "../../../kernel/index.ts"
import { checkCreatedAt, checkText, expiryOf, readLimit, tagsOf, toJson } from "../stores/input.ts"
import { cursorAfter, readPage } from "../stores/order.ts"
import { startTurns } from "../stores/turns.ts"
import { type CollectionHost, createCollection, fromBytes, readFields, type ScanRow, toBytes } from "./collection.ts"

/** Items that are looked at in one go when the fields leave few. */
const scannedPerLook = 500

interface Row {
  readonly position: number
  readonly fields: string
  readonly value: string
}

export function createSqliteRecords(name: string, host: CollectionHost): RecordStore {
  const { connection, clock } = host
  const { read, write, sql } = connection
  const items = createCollection("records", name, host)
  return {
    async put(record, options) {
      const { id, fields, value } = record
      const item = {
        key: checkText("id", id),
        position: checkCreatedAt(record),
        tags: tagsOf(fields),
        fields: toJson(fields),
        value: toJson(value),
        expires: expiryOf(options, clock()),
      }
      await write(() => items.put(item))
    },
    async get(id) {
      checkText("id", id)
      const row = (await read(() => items.get(id))) as Row | undefined
      return row && toRecord(id, row)
    },
    async delete(id) {
      checkText("id", id)
      return write(() => items.remove(id))
    },
    async query(query = {}) {
      const limit = readLimit(query.limit, 100)
      const tags = tagsOf(query.where ?? {})
      const { order, after: start } = readPage(query)
      const found: StoredRecord[] = []
      const turns = startTurns()
      let after: Pick<ScanRow, "position" | "key"> | undefined = start && {
        position: start.createdAt,
        key: toBytes(start.id),
      }
      // One record more than wanted says whether there is a next page.
      for (let look = limit + 1; found.length <= limit; look = scannedPerLook) {
        const rows = await read(() => {
          const scanned = items.scan({ tags, order, after, limit: look })
          for (const { seq, key, matches } of scanned) {
            if (matches === 0 || found.length > limit) continue
            const row = sql("SELECT position, fields, value FROM items WHERE seq = ?").get(seq) as Row
            found.push(toRecord(fromBytes(key), row))
          }
          return scanned
        })
        after = rows.at(-1)
        if (rows.length < look) break
        if (turns.over()) await turns.next()
      }
      const records = found.slice(0, limit)
      const last = records.at(-1)
      return { records, ...(last !== undefined && found.length > limit && { next: cursorAfter(order, last) }) }
    },
    count: async (where = {}) => items.count(tagsOf(where)),
    deleteWhere: async (where) => items.deleteMatching(tagsOf(where)),
  }
}

function toRecord(id: string, { position, fields, value }: Row): StoredRecord {
  return { id, createdAt: position, fields: readFields(fields), value: JSON.parse(value) as JsonValue }
}
