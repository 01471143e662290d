import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/domain.ts"

const labels = [
  "biology",
  "business",
  "chemistry",
  "computer science",
  "economics",
  "engineering",
  "health",
  "history",
  "law",
  "math",
  "other",
  "philosophy",
  "physics",
  "psychology",
]

/** A distribution with these probabilities; what is left is spread over the other labels. */
function distribution(given: Readonly<Record<string, number>>): readonly number[] {
  const rest = 1 - Object.values(given).reduce((sum, probability) => sum + probability, 0)
  const others = labels.length - Object.keys(given).length
  return labels.map((label) => given[label] ?? rest / others)
}

type Rule = Parameters<typeof signal.setup>[0][number]

async function read(
  rules: readonly Rule[],
  probabilities: Readonly<Record<string, number>>,
  domain: Readonly<Record<string, unknown>> = {},
  text = "some text",
): Promise<readonly Fact[]> {
  const inference = { labels, classify: () => distribution(probabilities) }
  return (await readerOf(signal as never, { rules: rules as never, settings: { domain }, inference }))(text)
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [{ name: "law" }, { name: "science", mmlu_categories: ["physics", "math"] }],
    inference: { labels, classify: () => distribution({ law: 0.9 }) },
  }))
    test(name, run)
})

const every = labels.map((name) => ({ name }))

describe("a classifier that is sure", () => {
  test("matches the domain of its first label, with its probability", async () => {
    expect(await read([{ name: "law" }, { name: "math" }], { law: 0.9, math: 0.05 })).toEqual([
      { rule: "law", state: "match", confidence: expect.closeTo(0.9, 6), value: expect.closeTo(0.9, 6) },
      { rule: "math", state: "no_match", confidence: expect.closeTo(0.05, 6), value: expect.closeTo(0.05, 6) },
    ])
  })

  test("matches no second label, even above the threshold", async () => {
    expect(await matching(every, { law: 0.55, math: 0.44 }, { threshold: 0.4 })).toEqual(["law"])
  })
})

describe("a classifier that wavers", () => {
  const wavering = { law: 0.3, math: 0.28 }

  test("matches every label that reaches the threshold", async () => {
    expect(await matching(every, wavering, { threshold: 0.25 })).toEqual(["law", "math"])
    expect(await matching(every, wavering, { threshold: 0.29 })).toEqual(["law"])
  })

  test("matches none below it", async () => {
    expect(await matching(every, wavering)).toEqual([])
    expect(await matching(every, wavering, { threshold: 0.31 })).toEqual([])
  })
})

describe("the threshold", () => {
  test("is one half when nothing is said", async () => {
    expect(await matching(every, { law: 0.5 })).toEqual(["law"])
    expect(await matching(every, { law: 0.49 })).toEqual([])
  })

  test("holds for the probability itself", async () => {
    expect(await matching(every, { law: 0.75 }, { threshold: 0.75 })).toEqual(["law"])
    expect(await matching(every, { law: 0.75 }, { threshold: 0.76 })).toEqual([])
  })
})

describe("the fallback", () => {
  test("is matched when no label reaches the threshold, with what it has of a probability", async () => {
    expect(await read([{ name: "other" }], { law: 0.3 }, { fallback_category: "other" })).toEqual([
      { rule: "other", state: "match", confidence: expect.closeTo(0.7 / 13, 5), value: expect.closeTo(0.7 / 13, 5) },
    ])
  })

  test("is not needed when one does", async () => {
    expect(await matching(every, { law: 0.9 }, { fallback_category: "other" })).toEqual(["law"])
  })
})

describe("the labels of a domain", () => {
  test.each<[string, Rule, Readonly<Record<string, number>>, boolean]>([
    ["are its categories", { name: "science", mmlu_categories: ["physics", "math"] }, { math: 0.9 }, true],
    ["are no others", { name: "science", mmlu_categories: ["physics", "math"] }, { law: 0.9 }, false],
    ["are its name when it has none", { name: "law" }, { law: 0.9 }, true],
    ["are its name in any case", { name: "Computer Science" }, { "computer science": 0.9 }, true],
    ["are its name when the list is empty", { name: "law", mmlu_categories: [] }, { law: 0.9 }, true],
    ["are not its name when it has categories", { name: "law", mmlu_categories: ["math"] }, { law: 0.9 }, false],
    ["are none when its name is no label", { name: "astrology" }, { other: 0.9 }, false],
  ])("%s", async (_, rule, probabilities, matches) => {
    expect((await matching([rule], probabilities)).length === 1).toBe(matches)
  })

  test("give the highest of their probabilities as value", async () => {
    const [fact] = await read([{ name: "s", mmlu_categories: ["physics", "math", "law"] }], { math: 0.6, law: 0.2 })
    expect(fact?.value).toBeCloseTo(0.6, 6)
  })

  test("may be shared by several domains", async () => {
    const rules = [
      { name: "a", mmlu_categories: ["law"] },
      { name: "b", mmlu_categories: ["law", "math"] },
    ]
    expect(await matching(rules, { law: 0.9 })).toEqual(["a", "b"])
  })
})

test.each(["", "  ", "\n"])("nothing to read (%j) asks no model and matches nothing", async (text) => {
  expect(await read([{ name: "law" }, { name: "other" }], { law: 0.9 }, { fallback_category: "other" }, text)).toEqual([
    { rule: "law", state: "no_match", confidence: 0, value: 0 },
    { rule: "other", state: "no_match", confidence: 0, value: 0 },
  ])
})

test("a model with other labels matches by those it has", async () => {
  const inference = { labels: ["law", "cooking"], classify: () => [0.9, 0.1] }
  const reader = await readerOf(signal as never, { rules: [{ name: "law" }, { name: "math" }] as never, inference })
  expect(await reader("text")).toEqual([
    { rule: "law", state: "match", confidence: expect.closeTo(0.9, 6), value: expect.closeTo(0.9, 6) },
    { rule: "math", state: "no_match", confidence: 0, value: 0 },
  ])
})

test("names without rules imply one each", () => {
  expect(signal.implyRules?.(["law", "Computer Science", "my team"])).toEqual([
    { name: "law", description: "law", mmlu_categories: ["law"] },
    { name: "Computer Science", description: "Computer Science", mmlu_categories: ["computer science"] },
    { name: "my team", description: "my team", mmlu_categories: ["other"] },
  ])
})

describe("options", () => {
  test.each([
    [{ mmlu_categories: labels }, true],
    [{ mmlu_categories: ["Math"] }, false],
    [{ mmlu_categories: ["astrology"] }, false],
    [{ model_scores: [{ model: "m", score: 0.5 }] }, true],
    [{ model_scores: [{ model: "", score: 0.5 }] }, false],
    [{ model_scores: [{ model: "m" }] }, false],
    [{ model_scores: [{ model: "m", score: 1, use_reasoning: true }] }, false],
  ])("of a rule: %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))

  test.each([
    [{}, true],
    [{ threshold: 1, fallback_category: "other" }, true],
    [{ threshold: 1.1 }, false],
    [{ fallback_category: "astrology" }, false],
    [{ window: 1 }, false],
  ])("of all: %j are valid: %s", (options, valid) =>
    expect(Value.Check(signal.settings?.schema as never, { domain: options })).toBe(valid),
  )
})

describe("names and categories are compared with the labels of the model", () => {
  const problems = (rule: Rule, known?: readonly string[]): readonly unknown[] => {
    const told: unknown[] = []
    signal.check?.([rule], (path, message) => told.push([path, message]), { labels: known })
    return told
  }

  test("where they are known", () => {
    expect(problems({ name: "Law" }, labels)).toEqual([])
    expect(problems({ name: "contracts", mmlu_categories: ["law"] }, labels)).toEqual([])
    expect(problems({ name: "mathh" }, ["law", "math"])).toEqual([
      [
        [0, "name"],
        '"mathh" is no label of the domain model, so that the rule never matches without mmlu_categories, some of: law, math (did you mean "math"?)',
      ],
    ])
    expect(problems({ name: "any", mmlu_categories: ["law", "physics"] }, ["law", "math"])).toEqual([
      [[0, "mmlu_categories", 1], '"physics" is no label of the domain model, whose labels are: law, math'],
    ])
  })

  test("and not where only a worker knows them", () => expect(problems({ name: "lwa" })).toEqual([]))
})
