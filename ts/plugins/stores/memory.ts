// Keeps everything in the memory of one process. Nothing survives a restart and nothing is shared between processes.

import { defineStore, Type } from "../../kernel/index.ts"

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
  // Most documents of edge hosts need no store.
  setup: async (options, host) => (await import("../_shared/stores/memory-store.ts")).openMemoryStore(options, host),
})
