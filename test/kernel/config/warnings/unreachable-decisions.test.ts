import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { loaded } from "../../../fakes/loaded-guards.ts"

const warningsOf = (changes: Readonly<Record<string, unknown>>): readonly string[] =>
  documentWarnings(loaded({ "listeners.0.models": ["MoM"], ...changes })).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  )

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
