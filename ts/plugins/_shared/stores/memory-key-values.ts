// Values by key in memory, kept as JSON text so that nobody can change what is stored.

import type { JsonValue, KeyValueStore, WriteOptions } from "../../../kernel/index.ts"
import { checkText, expiryOf, readLimit, sumOf, toJson } from "./input.ts"
import type { MemoryHost } from "./memory-host.ts"
import { createMemoryTable } from "./memory-table.ts"
import { compareText, createFirst } from "./order.ts"

export function createMemoryKeyValues(host: MemoryHost): KeyValueStore {
  const { clock, checkOpen } = host
  const table = createMemoryTable<{ readonly key: string; readonly json: string; readonly version: string }>(host)
  let written = 0
  const put = (key: string, json: string, expires: number | null): string => {
    const version = String(++written)
    table.put(key, { key, json, version }, expires, json.length)
    return version
  }
  const open = (key: string): string => {
    checkOpen()
    return checkText("key", key)
  }
  return {
    async get(key) {
      const entry = table.get(open(key))
      return entry && { value: JSON.parse(entry.json) as JsonValue, version: entry.version }
    },
    set: async (key, value, options?: WriteOptions) => put(open(key), toJson(value), expiryOf(options, clock())),
    async compareAndSet(key, expected, value, options) {
      const [json, expires] = [toJson(value), expiryOf(options, clock())]
      return table.get(open(key))?.version === expected ? put(key, json, expires) : undefined
    },
    async increment(key, amount, options) {
      const firstExpiry = expiryOf(options, clock())
      const before = table.get(open(key))
      const sum = sumOf(before === undefined ? 0 : JSON.parse(before.json), amount)
      put(key, toJson(sum), before === undefined ? firstExpiry : table.expiry(key))
      return sum
    },
    delete: async (key) => table.delete(open(key)),
    async keys({ prefix = "", after, limit } = {}) {
      open(prefix)
      if (after !== undefined) checkText("key", after)
      const first = createFirst(readLimit(limit, 1000), compareText)
      const isWanted = (key: string): boolean =>
        key.startsWith(prefix) && (after === undefined || compareText(key, after) > 0)
      for (const { key } of table.filter((entry) => isWanted(entry.key))) first.offer(key)
      return first.items()
    },
  }
}
