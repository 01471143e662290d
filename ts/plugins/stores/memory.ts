// Keeps everything in the memory of one process. Nothing survives a restart and nothing is shared between processes.

import { defineStore, type OpenStore, Type } from "../../kernel/index.ts"
import { checkDimensions, checkText, closedError } from "../_shared/stores/input.ts"
import { createMemoryKeyValues } from "../_shared/stores/memory-key-values.ts"
import { createMemoryRecords } from "../_shared/stores/memory-records.ts"
import { createMemoryVectors } from "../_shared/stores/memory-vectors.ts"

export default defineStore({
  about: "Keeps data in the memory of one process until it ends",
  isDefault: true,
  shapes: ["kv", "records", "vectors"],
  options: Type.Object(
    {
      max_entries: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "Entries that each name may have in each shape, 100000 when left out. One more evicts the one written longest ago",
        }),
      ),
      max_bytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          description:
            "Size of the values that each name may have in each shape, no limit when left out. Those written longest ago are evicted",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  setup({ max_entries: maxEntries = 100_000, max_bytes: maxBytes = Infinity }, { clock }): OpenStore {
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
  },
})
