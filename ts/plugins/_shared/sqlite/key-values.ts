// Values by key in SQLite. The number of the write is the version.

import type { JsonValue, KeyValueStore } from "../../../kernel/index.ts"
import { checkText, expiryOf, readLimit, sumOf, toJson } from "../stores/input.ts"
import { type CollectionHost, createCollection, fromBytes, toBytes } from "./collection.ts"

interface Row {
  readonly seq: number
  readonly expires: number | null
  readonly value: string
}

export function createSqliteKeyValues(name: string, host: CollectionHost): KeyValueStore {
  const { connection, clock } = host
  const { read, write, sql } = connection
  const items = createCollection("kv", name, host)
  const find = (key: string): Row | undefined => items.get(key) as Row | undefined
  return {
    async get(key) {
      checkText("key", key)
      const row = await read(() => find(key))
      return row && { value: JSON.parse(row.value) as JsonValue, version: String(row.seq) }
    },
    async set(key, json, options) {
      const item = { key: checkText("key", key), value: toJson(json), expires: expiryOf(options, clock()) }
      return String(await write(() => items.put(item)))
    },
    async compareAndSet(key, expected, json, options) {
      const item = { key: checkText("key", key), value: toJson(json), expires: expiryOf(options, clock()) }
      return write(() => {
        const version = find(key)?.seq.toString()
        return version === expected ? String(items.put(item)) : undefined
      })
    },
    async increment(key, amount, options) {
      checkText("key", key)
      const firstExpiry = expiryOf(options, clock())
      return write(() => {
        const before = find(key)
        const sum = sumOf(before === undefined ? 0 : JSON.parse(before.value), amount)
        items.put({ key, value: toJson(sum), expires: before === undefined ? firstExpiry : before.expires })
        return sum
      })
    },
    async delete(key) {
      checkText("key", key)
      return write(() => items.remove(key))
    },
    async keys({ prefix = "", after, limit } = {}) {
      const start = toBytes(checkText("key", prefix))
      // No UTF-8 text holds the byte 255, so every key with the prefix stands before this one.
      const end = Uint8Array.of(...start, 255)
      const beyond = after === undefined ? undefined : toBytes(checkText("key", after))
      const wanted = readLimit(limit, 1000)
      const rows = await read(
        () =>
          sql(
            `SELECT key FROM items WHERE collection = ? AND key >= ? AND key < ?${beyond === undefined ? "" : " AND key > ?"}
              AND (expires IS NULL OR expires > ?) ORDER BY key LIMIT ?`,
          ).all(items.id() ?? -1, start, end, ...(beyond === undefined ? [] : [beyond]), clock(), wanted) as readonly {
            readonly key: Uint8Array
          }[],
      )
      return rows.map(({ key }) => fromBytes(key))
    },
  }
}
