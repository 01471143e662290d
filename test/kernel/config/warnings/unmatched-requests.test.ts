import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { loaded, loadedWith } from "../../../fakes/loaded-guards.ts"

const told = (recipe = ""): string =>
  `${recipe}routing.decisions: choose no model for a request that matches none of them, which is refused with no_model_selected; write providers.defaults.model, or a decision without rules`

const warningsOf = (changes: Readonly<Record<string, unknown>>, recipes: object = {}): readonly string[] =>
  documentWarnings(loadedWith({ "providers.defaults": undefined, ...changes }, recipes)).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  )

const keyword = { type: "keyword", name: "urgent" }
const complexity = { type: "complexity", name: "hard:easy" }
const withComplexity = {
  "routing.signals.complexity": [
    { name: "hard", threshold: 0.1, hard: { candidates: ["a"] }, easy: { candidates: ["b"] } },
  ],
}

test("requests that no decision matches are told of where no model stands for them", () => {
  expect(warningsOf({})).toEqual([told()])
  expect(warningsOf({ "routing.decisions.0.rules": keyword })).toEqual([told()])
  expect(
    warningsOf({
      "routing.decisions.0.rules": { operator: "AND", conditions: [complexity, keyword] },
      ...withComplexity,
    }),
  ).toEqual([told()])
  const decisions = [{ name: "a", rules: keyword, modelRefs: [{ model: "small" }] }]
  expect(
    warningsOf({ "routing.decisions": undefined }, { recipes: [{ name: "one", routing: { decisions } }] }),
  ).toEqual([told("recipes[0].")])
})

test("decisions that may match every request are no matter of this", () => {
  expect(documentWarnings(loaded({}))).toEqual([])
  expect(warningsOf({ "routing.decisions": undefined })).toEqual([])
  expect(warningsOf({ "routing.decisions.1": { name: "all", modelRefs: [{ model: "small" }] } })).toEqual([])
  for (const rules of [
    { operator: "NOT", conditions: [keyword] },
    { operator: "OR", conditions: [keyword, { operator: "NOT", conditions: [keyword] }] },
    { operator: "OR", conditions: [keyword, { type: "keyword", name: "calm" }] },
    { type: "keyword", name: "without" },
    { ...keyword, predicate: { lt: 1 } },
  ])
    expect([
      rules,
      warningsOf({
        ...withComplexity,
        "routing.signals.keywords.1": { name: "without", operator: "NOR", keywords: ["a"] },
        "routing.signals.keywords.2": { name: "calm", operator: "AND", keywords: ["a"] },
        "routing.decisions.0.rules": rules,
      }),
    ]).toEqual([rules, []])
  expect(warningsOf({ providers: undefined })).toEqual([])
})
