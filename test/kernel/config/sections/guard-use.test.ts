import { guardUses, guardWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith, resolve } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const loaded = (changes: Readonly<Record<string, unknown>>) => ({
  document: resolve(documentWith(changes)).document,
  registry,
})
/** With recipes, which a document of the fakes cannot have. */
const loadedWith = (changes: Readonly<Record<string, unknown>>, recipes: object) => {
  const { document, ...rest } = loaded(changes)
  return { ...rest, document: { ...document, ...recipes } as typeof document }
}
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
  expect(guardWarnings(loaded(asking({ operator: "AND", conditions: [high] })))).not.toEqual([])
})

test("a listener that lets clients name a model is told where guards are in use", () => {
  const used = { ...guarded, "routing.signals.jailbreak": [{ name: "attack" }] }
  const listener = (name: string, port: number, models?: readonly string[]) => ({
    name,
    address: "127.0.0.1",
    port,
    ...(models !== undefined && { models }),
  })
  const listeners = [listener("open", 1), listener("closed", 2, ["MoM"]), listener("both", 3, ["MoM", "large"])]
  const messagesOf = (changes: object) =>
    guardWarnings(loaded({ ...changes, listeners })).map(({ path, message }) => [path.join("."), message])
  expect(messagesOf({})).toEqual([])
  expect(messagesOf(used)).toEqual([
    [
      "listeners.0.models",
      expect.stringMatching(/^lets clients of "open" name any model, .* models: \[MoM\] forbids it$/),
    ],
    ["listeners.2.models", expect.stringMatching(/^lets clients of "both" name "large", /)],
  ])
  const teams = {
    recipes: [{ name: "support", routing: {} }],
    entrypoints: [{ model_names: ["acme/support"], recipe: "support" }],
  }
  const adviceFor = (changes: object): string | undefined =>
    guardWarnings(loadedWith({ ...used, ...changes }, teams))[0]?.message
  expect(adviceFor({})).toMatch(/; models: \[MoM, acme\/support\] forbids it$/)
  expect(adviceFor({ listeners: [listener("a", 1, ["auto", "large"])] })).toMatch(/; models: \[auto\] forbids it$/)
  const named = { ...used, "global.router.auto_model_name": "Mine" }
  expect(guardWarnings(loaded(named)).map(({ message }) => message)).toEqual([
    expect.stringMatching(/; models: \[Mine\] forbids it$/),
  ])
})

const warningsOf = (changes: Readonly<Record<string, unknown>>, recipes: object = {}): readonly string[] =>
  guardWarnings(loadedWith({ "listeners.0.models": ["MoM"], ...changes }, recipes)).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  )

test("a guard that no decision asks for is warned about", () => {
  const told = (path: string, type: string, name: string): string =>
    `${path}: stops nothing: no decision asks for it; write a decision with rules: { type: ${type}, name: ${name} }`
  expect(warningsOf(guarded)).toEqual([told("routing.signals.jailbreak[1]", "jailbreak", "unused")])
  const recipe = { name: "other", routing: { signals: { pii: [{ name: "mine" }] } } }
  expect(warningsOf({}, { recipes: [recipe] })).toEqual([told("recipes[0].routing.signals.pii[0]", "pii", "mine")])
  // One that reads replies is asked for by nobody.
  expect(warningsOf({ "routing.signals.jailbreak": [{ name: "said", direction: "response" }] })).toEqual([])
})

test("a guard that a plugin reads is asked for", () => {
  const plugins = [{ type: "fast_response", configuration: { message: "no" } }]
  const changes = { "routing.signals.pii": [{ name: "mine" }], "routing.decisions.0.plugins": plugins }
  const given = loaded({ "listeners.0.models": ["MoM"], ...changes })
  expect(guardWarnings(given)).toHaveLength(1)
  const found = registry.find("plugin", "fast_response") as NonNullable<ReturnType<typeof registry.find<"plugin">>>
  const reading = { ...found, module: { ...found.module, after: () => ["pii"] } }
  const ofReader = {
    ...registry,
    find: (kind: string, id: string) => (id === reading.id ? reading : registry.find(kind as never, id)),
  }
  expect(guardWarnings({ ...given, registry: ofReader as typeof registry })).toEqual([])
})

test("decisions behind one that matches every request are warned about, and whose guards these are", () => {
  const told = (what: string): string =>
    `routing.decisions[1]: "all" matches every request and comes before "rush", which is never chosen${what}`
  const withCatchAll = (all: object, rush: object = {}, changes: object = {}): readonly string[] =>
    warningsOf({
      ...Object.fromEntries(Object.entries(rush).map(([key, value]) => [`routing.decisions.0.${key}`, value])),
      "routing.decisions.1": { name: "all", modelRefs: [{ model: "small" }], ...all },
      ...changes,
    })
  const rules = "give it rules, or a priority below 0"
  expect(withCatchAll({ priority: 1 })).toEqual([told(`; ${rules}`)])
  expect(withCatchAll({ priority: 1, rules: { operator: "AND", conditions: [] } })).toEqual([told(`; ${rules}`)])
  expect(withCatchAll({ tier: 1, priority: -1 }, { tier: 2 })).toEqual([told("; give it rules, or a tier above 2")])
  const guards = {
    "routing.signals.pii": [{ name: "mine" }],
    "routing.decisions.0.rules": { type: "pii", name: "mine" },
  }
  expect(withCatchAll({ priority: 1 }, {}, guards)).toEqual([
    told(`, so that the guards of "rush" stop nothing; ${rules}`),
  ])
  const third = { name: "last", priority: -5, rules: { type: "keyword", name: "urgent" } }
  expect(withCatchAll({ priority: 1 }, {}, { "routing.decisions.2": third })).toEqual([
    'routing.decisions[1]: "all" matches every request and comes before "rush", "last", which are never chosen; give it rules, or a priority below -5',
  ])
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`routing.decisions.${index + 2}`, { ...third, name: `last-${index}` }]),
  )
  expect(withCatchAll({ priority: 1 }, {}, many)[0]).toContain('"last-8" and 3 more, which are never chosen')
  // A second one behind the first is one of those that are never chosen.
  const second = { name: "more", priority: 0, modelRefs: [{ model: "small" }] }
  expect(withCatchAll({ priority: 1 }, { priority: -1 }, { "routing.decisions.2": second })).toHaveLength(1)

  const reachable: readonly (readonly [object, object?, object?])[] = [
    [{}],
    [{ priority: 1 }, { priority: 2 }],
    [{ priority: 1 }, { priority: 1 }],
    [{ priority: 9, tier: 2 }, { tier: 1 }],
    [{ priority: 9, tier: 2 }, { tier: 2 }],
    [{ priority: 1 }, {}, { "routing.strategy": "confidence" }],
    [{ priority: 1 }, {}, { "global.router.strategy": "confidence" }],
    [{ priority: 1, rules: { type: "keyword", name: "urgent" } }],
    [{ priority: 1, rules: { operator: "NOT", conditions: [{ type: "keyword", name: "urgent" }] } }],
    // A decision with a tier lets the confidence decide between those without.
    [{ priority: 1 }, {}, { "routing.decisions.2": { ...third, priority: 5, tier: 3 }, "routing.decisions.1.tier": 0 }],
  ]
  expect(reachable.map((each) => withCatchAll(...each).filter((line) => line.includes('"rush"')))).toEqual(
    reachable.map(() => []),
  )
  // The lower tier wins whatever the confidence is.
  expect(withCatchAll({}, { tier: 1 }, { "routing.strategy": "confidence" })).toHaveLength(1)
})
