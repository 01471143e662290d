import { describe, expect, test } from "vitest"
import { canonicalRules, checkRules, type RuleEntry } from "../../../../ts/kernel/config/sections/rules.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"

const urgent: RuleEntry = { type: "keyword", name: "urgent" }
const declared = new Map([
  ["keyword", new Set(["urgent", "refund"])],
  ["decision", new Set(["kind:code", "kind:writing"])],
])
const problemsOf = (rules: RuleEntry): readonly string[] =>
  checkRules(rules, ["rules"], declared).map(({ path, message }) => `${formatPath(path)}: ${message}`)

describe("canonical form", () => {
  test.each<[string, RuleEntry | undefined, RuleEntry]>([
    ["no rules match always", undefined, { operator: "AND", conditions: [] }],
    ["an empty map matches always", {}, { operator: "AND", conditions: [] }],
    ["AND without conditions matches always", { operator: "AND", conditions: [] }, { operator: "AND", conditions: [] }],
    ["AND may leave its list out", { operator: "AND" }, { operator: "AND", conditions: [] }],
    ["a condition at the root stands in an AND", urgent, { operator: "AND", conditions: [urgent] }],
    ["an operator that is left out is AND", { conditions: [urgent] }, { operator: "AND", conditions: [urgent] }],
    [
      "operators are written in capitals",
      { operator: "oR", conditions: [urgent] },
      { operator: "OR", conditions: [urgent] },
    ],
    [
      "NOT keeps its one condition",
      { operator: "not", conditions: [urgent] },
      { operator: "NOT", conditions: [urgent] },
    ],
    [
      "every level is made so",
      { conditions: [{ operator: "or", conditions: [{ conditions: [urgent] }] }] },
      { operator: "AND", conditions: [{ operator: "OR", conditions: [{ operator: "AND", conditions: [urgent] }] }] },
    ],
    [
      "the policy for unknown facts stays at the root",
      { ...urgent, on_unknown: "match" },
      { operator: "AND", conditions: [urgent], on_unknown: "match" },
    ],
    [
      "the policy for one condition stays with it",
      { ...urgent, on_error: "match" },
      { operator: "AND", conditions: [{ ...urgent, on_error: "match" }] },
    ],
    [
      "an operator from the environment stays as written",
      { operator: "${op:-or}", conditions: [urgent] },
      { operator: "${op:-or}", conditions: [urgent] },
    ],
  ])("%s", (_, rules, canonical) => {
    expect(canonicalRules(rules)).toEqual(canonical)
    expect(canonicalRules(canonical)).toEqual(canonical)
  })
})

describe("accepted", () => {
  test.each<[string, RuleEntry]>([
    ["no conditions at the root", {}],
    ["an empty AND at the root", { operator: "AND", conditions: [] }],
    ["a condition at the root", urgent],
    ["a condition at the root with a policy", { ...urgent, on_unknown: "fail_request" }],
    ["an operator that is left out", { conditions: [urgent] }],
    ["NOT of one", { operator: "NOT", conditions: [{ operator: "or", conditions: [urgent, urgent] }] }],
    ["a type that accepts every name", { type: "domain", name: "anything" }],
    ["a predicate", { ...urgent, predicate: { gte: 0.5 } }],
  ])("%s", (_, rules) => expect(problemsOf(rules)).toEqual([]))
})

describe("refused", () => {
  test.each<[string, RuleEntry, readonly string[]]>([
    ["OR of nothing", { operator: "OR", conditions: [] }, ["rules.conditions: of OR must not be empty"]],
    ["OR without a list", { operator: "or" }, ["rules.conditions: of OR must not be empty"]],
    [
      "an empty AND below the root",
      { conditions: [{ operator: "AND", conditions: [] }] },
      ["rules.conditions[0].conditions: of AND must not be empty"],
    ],
    ["an empty map below the root", { conditions: [{}] }, ["rules.conditions[0].conditions: of AND must not be empty"]],
    [
      "NOT of nothing",
      { operator: "NOT", conditions: [] },
      ["rules.conditions: of NOT must hold exactly one condition, got 0"],
    ],
    [
      "NOT of two",
      { operator: "Not", conditions: [urgent, urgent] },
      ["rules.conditions: of NOT must hold exactly one condition, got 2"],
    ],
    [
      "a condition that is a combination too",
      { ...urgent, operator: "AND", conditions: [urgent] },
      ["rules: is a condition (type) and a combination (operator, conditions) at once; choose one"],
    ],
    [
      "a condition with an empty list",
      { ...urgent, conditions: [] },
      ["rules: is a condition (type) and a combination (operator, conditions) at once; choose one"],
    ],
    ["a condition without a name", { type: "keyword" }, ["rules.name: is missing"]],
    [
      "a rule that is not declared",
      { conditions: [urgent, { type: "keyword", name: "urgnt" }] },
      [
        'rules.conditions[1].name: refers to keyword rule "urgnt", which routing.signals does not declare (did you mean "urgent"?)',
      ],
    ],
    [
      "a rule of several facts without a label",
      { type: "decision", name: "kind" },
      ['rules.label: is missing; it must be "code" or "writing"'],
    ],
    [
      "a combination with a name",
      { operator: "AND", name: "x", conditions: [urgent] },
      ["rules.name: belongs to a condition with a type, not to a combination"],
    ],
    [
      "a combination with a predicate",
      { operator: "AND", predicate: { gt: 1 }, conditions: [urgent] },
      ["rules.predicate: belongs to a condition with a type, not to a combination"],
    ],
    [
      "a combination with on_error",
      { operator: "AND", on_error: "match", conditions: [urgent] },
      ["rules.on_error: belongs to a condition with a type, not to a combination"],
    ],
    [
      "on_unknown below the root",
      { conditions: [{ ...urgent, on_unknown: "match" }] },
      ["rules.conditions[0].on_unknown: stands at the root of the rules only; use on_error for one condition"],
    ],
    [
      "a predicate that cannot hold",
      { ...urgent, predicate: { gt: 2, lt: 1 } },
      ["rules.predicate: can never hold: no number is above 2 and below 1"],
    ],
    [
      "everything that is wrong, at once",
      { operator: "OR", name: "x", conditions: [{ type: "keyword" }, { operator: "NOT" }] },
      [
        "rules.name: belongs to a condition with a type, not to a combination",
        "rules.conditions[0].name: is missing",
        "rules.conditions[1].conditions: of NOT must hold exactly one condition, got 0",
      ],
    ],
  ])("%s", (_, rules, problems) => expect(problemsOf(rules)).toEqual(problems))
})
