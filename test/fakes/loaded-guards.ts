// A document and its modules, as the functions about guards take them.

import type { LoadedGuards } from "../../ts/kernel/config/sections/guard-use.ts"
import { documentWith, resolve } from "./document.ts"
import { registry } from "./registry.ts"

export const loaded = (changes: Readonly<Record<string, unknown>>): LoadedGuards => ({
  document: resolve(documentWith(changes)).document,
  registry,
})
/** With recipes, which a document of the fakes cannot have. */
export const loadedWith = (changes: Readonly<Record<string, unknown>>, recipes: object): LoadedGuards => {
  const { document, ...rest } = loaded(changes)
  return { ...rest, document: { ...document, ...recipes } as typeof document }
}

/** A document with guards of which one is not asked for. */
export const guarded = {
  "routing.signals.jailbreak": [{ name: "attack" }, { name: "unused" }],
  "routing.signals.pii": [{ name: "last", include_history: false, on_unscanned: "allow", allow_unread: ["image"] }],
  "routing.decisions.0.rules": {
    operator: "OR",
    conditions: [
      { type: "keyword", name: "urgent" },
      { operator: "NOT", conditions: [{ type: "jailbreak", name: "attack" }] },
      { type: "pii", name: "last" },
      { type: "pii", name: "last", on_error: "match" },
    ],
  },
}
