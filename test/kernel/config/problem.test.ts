import { describe, expect, test } from "vitest"
import {
  closest,
  ConfigError,
  formatPath,
  formatProblem,
  oneOf,
  suggestion,
} from "../../../ts/kernel/config/problem.ts"

test.each([
  [[], "(document)"],
  [["routing"], "routing"],
  [["routing", "decisions", 0, "name"], "routing.decisions[0].name"],
  [["listeners", 12], "listeners[12]"],
  [["global", "model_catalog", "deployments", "a.b c"], 'global.model_catalog.deployments["a.b c"]'],
  [['quo"te'], '["quo\\"te"]'],
])("path %j reads %s", (path, text) => expect(formatPath(path)).toBe(text))

test("a problem reads file, place, path and message", () => {
  const problem = { path: ["routing", "decisions", 0], message: "is wrong", code: "invalid" } as const
  expect(formatProblem({ ...problem, position: { line: 12, column: 5 } }, "config.yaml")).toBe(
    "config.yaml:12:5 routing.decisions[0]: is wrong",
  )
  expect(formatProblem(problem, "config.yaml")).toBe("config.yaml routing.decisions[0]: is wrong")
})

describe("ConfigError", () => {
  const problem = (message: string) => ({ path: ["a"], message, code: "invalid" }) as const

  test("lists every problem under one heading", () => {
    const error = new ConfigError("c.yaml", [problem("is wrong"), problem("is also wrong")])
    expect(error.message).toBe("Cannot use c.yaml: 2 problems\n  c.yaml a: is wrong\n  c.yaml a: is also wrong")
    expect([error.code, error.problems.length]).toEqual(["invalid_config", 2])
  })

  test("counts one problem as one", () => {
    expect(new ConfigError("c.yaml", [problem("is wrong")]).message).toContain("Cannot use c.yaml: 1 problem\n")
  })
})

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
