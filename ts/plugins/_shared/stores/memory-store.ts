// All shapes of the store in memory, by name.

import type { OpenStore } from "../../../kernel/index.ts"
import { checkDimensions, checkText, closedError } from "./input.ts"
import { createMemoryKeyValues } from "./memory-key-values.ts"
import { createMemoryRecords } from "./memory-records.ts"
import { createMemoryVectors } from "./memory-vectors.ts"

interface Limits {
  readonly max_entries?: number
  readonly max_bytes?: number
}

export function openMemoryStore(
  { max_entries: maxEntries = 100_000, max_bytes: maxBytes = Infinity }: Limits,
  { clock }: { readonly clock: () => number },
): OpenStore {
  const opened = new Map<string, unknown>()
  let closed = false
  const host = {
    clock,
    maxEntries,
    maxBytes,
    checkOpen() {
      if (closed) throw closedError()
    },
  }
  const byName = <Shape>(shape: string, name: string, open: () => Shape): Shape => {
    const key = `${shape}:${checkText("name", name)}`
    if (!opened.has(key)) opened.set(key, open())
    return opened.get(key) as Shape
  }
  return {
    kv: (name) => byName("kv", name, () => createMemoryKeyValues(host)),
    records: (name) => byName("records", name, () => createMemoryRecords(host)),
    vectors: (name, { dimensions }) =>
      byName("vectors", name, () => createMemoryVectors(host)).withWidth(checkDimensions(dimensions)),
    health: async () => (closed ? "the store is closed" : undefined),
    async close() {
      closed = true
      opened.clear()
    },
  }
}
