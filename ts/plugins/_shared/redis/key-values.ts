// Values by key in Redis. The number of the write is the version.

import type { JsonValue, KeyValueStore } from "../../../kernel/index.ts"
import { checkText, readLimit, sumOf, toJson } from "../stores/input.ts"
import { compareText } from "../stores/order.ts"
import { type CollectionHost, createCollection } from "./collection.ts"

export function createRedisKeyValues(name: string, host: CollectionHost): KeyValueStore {
  const entries = createCollection("kv", name, host)
  return {
    async get(key) {
      const [version, json] = (await entries.read(key, "json")) ?? []
      return typeof version === "string" && typeof json === "string"
        ? { value: JSON.parse(json) as JsonValue, version }
        : undefined
    },
    async set(key, value, options) {
      return String(await entries.write("set", { id: key, json: toJson(value), options }))
    },
    async compareAndSet(key, expected, value, options) {
      const version = await entries.write("compareAndSet", { id: key, json: toJson(value), options }, expected ?? "")
      return version === null ? undefined : String(version)
    },
    async increment(key, amount, options) {
      sumOf(0, amount)
      const reply = await entries.write("increment", { id: key, json: String(amount), options })
      const [sum, before] = reply as readonly [string | null, string?]
      return sum === null ? sumOf(JSON.parse(before ?? "null"), amount) : Number(sum)
    },
    async delete(key) {
      return (await entries.run("delete", checkText("key", key))) === 1
    },
    async keys({ prefix = "", after, limit } = {}) {
      checkText("key", prefix)
      if (after !== undefined) checkText("key", after)
      const start = after !== undefined && compareText(after, prefix) >= 0 ? `(${after}` : `[${prefix}`
      // No UTF-8 text holds the byte 255, which the script puts behind the prefix.
      const wanted = String(readLimit(limit, 1000))
      const [, ...keys] = await entries.runSwept("keys", start, `(${prefix}`, wanted)
      return keys as readonly string[]
    },
  }
}
