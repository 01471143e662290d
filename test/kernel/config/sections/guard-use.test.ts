import { guardUses, documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { guarded, loaded, loadedWith } from "../../../fakes/loaded-guards.ts"

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
      unread: new Set(["found"]),
    },
    {
      decision: "rush",
      guard: "pii",
      rule: "last",
      onUnscanned: "allow",
      readsEverything: false,
      allowedUnread: new Set(["image"]),
      unread: new Set(["decision_no_match", "found"]),
    },
  ])
  const settings = { "global.model_catalog.modules.prompt_guard": { on_unscanned: "allow" } }
  expect(guardUses(loaded({ ...guarded, ...settings })).map(({ onUnscanned }) => onUnscanned)).toEqual([
    "allow",
    "allow",
  ])
})

test("a decision of a recipe is told with its recipe", () => {
  const condition = { type: "pii", name: "last" }
  const routing = {
    signals: { pii: [{ name: "last" }] },
    decisions: [{ name: "rush", rules: condition, modelRefs: [{ model: "large" }] }],
  }
  const changes = {
    "routing.signals.pii": [{ name: "last" }],
    "routing.decisions.0.rules": { operator: "AND", conditions: [condition] },
  }
  const uses = guardUses(loadedWith(changes, { recipes: [{ name: "support", routing }] }))
  expect(uses.map(({ decision, recipe }) => [decision, recipe])).toEqual([
    ["rush", undefined],
    ["rush", "support"],
  ])
})

test.each([
  ["allow", undefined, undefined, "decision_no_match"],
  ["allow", "match", undefined, "decision_match"],
  ["allow", "fail_request", undefined, "decision_fail_request"],
  ["allow", "match", "no_match", "not_found"],
  ["allow", undefined, "match", "found"],
  ["block", "no_match", "no_match", "found"],
  ["block", "fail_request", "no_match", "decision_fail_request"],
])("on_unscanned %s, on_unknown %s and on_error %s: %s", (on_unscanned, on_unknown, on_error, expected) => {
  const rules = { operator: "AND", conditions: [{ type: "pii", name: "last", on_error }], on_unknown }
  const written = JSON.parse(JSON.stringify(rules)) as object
  const [use] = guardUses(
    loaded({ "routing.signals.pii": [{ name: "last", on_unscanned }], "routing.decisions.0.rules": written }),
  )
  expect([...(use?.unread ?? [])]).toEqual([expected])
})

test("a guard that only a projection reads is in use like one that a condition asks for", () => {
  const input = (type: string, name: string, weight = 1) => ({ type, name, weight })
  const projections = {
    scores: [
      {
        name: "danger",
        method: "weighted_sum",
        inputs: [input("jailbreak", "attack"), input("jailbreak", "unused", 0)],
      },
      { name: "private", method: "weighted_sum", inputs: [input("pii", "last")] },
      { name: "total", method: "weighted_sum", inputs: [input("projection", "danger"), input("keyword", "urgent")] },
    ],
    mappings: [
      {
        name: "levels",
        source: "total",
        outputs: [
          { name: "high", gte: 1 },
          { name: "low", lt: 1 },
        ],
      },
      { name: "persons", source: "private", outputs: [{ name: "personal", gte: 1 }] },
    ],
  }
  const asking = (rules: object) => ({
    ...guarded,
    "routing.projections": projections,
    "routing.decisions.0.rules": rules,
  })
  const usesOf = (rules: object) =>
    guardUses(loaded(asking(rules))).map(({ rule, through, unread }) => [rule, through, [...unread]])
  const high = { type: "projection", name: "high" }
  const personal = { type: "projection", name: "personal", on_error: "match" }
  const either = { operator: "OR", conditions: [high, personal, { type: "jailbreak", name: "attack" }] }
  expect(usesOf({ operator: "AND", conditions: [high] })).toEqual([["attack", [`projection "high"`], ["found"]]])
  expect(usesOf({ operator: "AND", conditions: [high], on_unknown: "fail_request" })).toEqual([
    ["attack", [`projection "high"`], ["found"]],
  ])
  expect(usesOf({ operator: "AND", conditions: [{ ...personal, on_error: undefined }] })).toEqual([
    ["last", [`projection "personal"`], ["decision_no_match"]],
  ])
  expect(usesOf(either)).toEqual([
    ["attack", undefined, ["found"]],
    ["last", [`projection "personal"`], ["found"]],
  ])
  expect(documentWarnings(loaded(asking({ operator: "AND", conditions: [high] })))).not.toEqual([])
})
