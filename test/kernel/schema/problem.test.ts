import { describe, expect, test } from "vitest"
import { closest, formatPath, oneOf, suggestion } from "../../../ts/kernel/schema/problem.ts"

test.each([
  [[], "(document)"],
  [["routing"], "routing"],
  [["routing", "decisions", 0, "name"], "routing.decisions[0].name"],
  [["listeners", 12], "listeners[12]"],
  [["global", "model_catalog", "deployments", "a.b c"], 'global.model_catalog.deployments["a.b c"]'],
  [['quo"te'], '["quo\\"te"]'],
])("path %j reads %s", (path, text) => expect(formatPath(path)).toBe(text))

describe("suggestions", () => {
  const known = ["decisions", "signals", "strategy"]

  test.each([
    ["decisons", "decisions"],
    ["Signals", "signals"],
    ["stratgey", "strategy"],
    ["sgnls", "signals"],
    ["projections", undefined],
    ["x", undefined],
  ])("%s → %s", (word, near) => expect(closest(word, known)).toBe(near))

  test("the nearest word wins", () => expect(closest("cast", ["coast", "cart", "cast"])).toBe("cast"))

  test("of one set are found for so many words alone", () => {
    const names = new Set(Array.from({ length: 1000 }, (_, index) => `model-number-${index}`))
    const found = Array.from({ length: 1000 }, (_, index) => suggestion(`modle-number-${index}`, names)).filter(Boolean)
    expect(found).toHaveLength(100)
    expect(suggestion("modle-number-1", [...names])).toBe(' (did you mean "model-number-1"?)')
  })

  test("are put into words, or left out", () => {
    expect(suggestion("decisons", known)).toBe(' (did you mean "decisions"?)')
    expect(suggestion("nothing", known)).toBe("")
  })
})

test.each([
  [[], ""],
  [["a"], '"a"'],
  [["a", "b"], '"a" or "b"'],
  [["a", 1, true], '"a", 1 or true'],
])("one of %j reads %s", (values, text) => expect(oneOf(values)).toBe(text))
