import { describe, expect, test } from "vitest"
import { ConfigError, formatProblem } from "../../../ts/kernel/config/config-error.ts"

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

  test("lists the first of thousands of problems, and no long one in full", () => {
    const problems = Array.from({ length: 17_500 }, (_, index) => problem(`is wrong ${index} ${"x".repeat(5000)}`))
    const { message, problems: all } = new ConfigError("c.yaml", problems)
    const lines = message.split("\n")
    expect([lines[0], lines.length, lines.at(-1)]).toEqual([
      "Cannot use c.yaml: 17500 problems",
      52,
      "  and 17450 more",
    ])
    expect([Math.max(...lines.map(({ length }) => length)), all.length]).toEqual([1002, 17_500])
  })

  test("counts one problem as one", () => {
    expect(new ConfigError("c.yaml", [problem("is wrong")]).message).toContain("Cannot use c.yaml: 1 problem\n")
  })
})
