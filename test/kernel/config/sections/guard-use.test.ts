import { guardUses, guardWarnings } from "rtr"
import { expect, test } from "vitest"
import { documentWith, resolve } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const loaded = (changes: Readonly<Record<string, unknown>>) => ({
  document: resolve(documentWith(changes)).document,
  registry,
})
const guarded = {
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

test("decisions that ask for guards are told, with what each rule reads and means", () => {
  expect(guardUses(loaded({}))).toEqual([])
  expect(guardUses(loaded(guarded))).toEqual([
    {
      decision: "rush",
      guard: "jailbreak",
      rule: "attack",
      onUnscanned: "block",
      readsEverything: true,
      allowedUnread: new Set(),
    },
    {
      decision: "rush",
      guard: "pii",
      rule: "last",
      onUnscanned: "allow",
      readsEverything: false,
      allowedUnread: new Set(["image"]),
    },
  ])
  const settings = { "global.model_catalog.modules.prompt_guard": { on_unscanned: "allow" } }
  expect(guardUses(loaded({ ...guarded, ...settings })).map(({ onUnscanned }) => onUnscanned)).toEqual([
    "allow",
    "allow",
  ])
})

test("a listener that lets clients name a model is told where guards are in use", () => {
  const listener = (name: string, port: number, models?: readonly string[]) => ({
    name,
    address: "127.0.0.1",
    port,
    ...(models !== undefined && { models }),
  })
  const listeners = [
    listener("open", 1),
    listener("closed", 2, ["MoM"]),
    listener("both", 3, ["MoM", "large"]),
    listener("unknown", 4, ["MoM", "gone"]),
  ]
  const messagesOf = (changes: object) =>
    guardWarnings(loaded({ ...changes, listeners })).map(({ path, message }) => [path.join("."), message])
  expect(messagesOf({})).toEqual([])
  expect(messagesOf(guarded)).toEqual([
    [
      "listeners.0.models",
      expect.stringMatching(/^lets clients of "open" name any model, .* models: \[MoM\] forbids it$/),
    ],
    ["listeners.2.models", expect.stringMatching(/^lets clients of "both" name "large", /)],
  ])
})
