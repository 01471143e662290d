import type { Fact } from "rtr"
import { createFakeInference, readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/complexity.ts"
import { documentWith, problemsOf } from "../../fakes/document.ts"
import { chat, createFakeKernel } from "../../fakes/kernel.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** Texts are angles: their vectors are alike by the cosine of their difference. */
const embed = (text: string): readonly number[] => {
  const angle = (Number.parseFloat(text) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)

const rule: Rule = { name: "r", threshold: 0.1, hard: { candidates: ["90"] }, easy: { candidates: ["0"] } }

async function read(given: Rule, text: string, more: { settings?: object; facts?: Record<string, Fact[]> } = {}) {
  const options = { rules: [given], settings: {}, inference: { embed }, ...more }
  return (await readerOf(signal as never, options as never))(text)
}
/** What matches, and the facts that are not known. */
const level = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap(({ rule: name, state }) =>
    state === "match" ? [name.slice(2)] : state === "unknown" ? [`${name.slice(2)}?`] : [],
  )

describe("contract", () => {
  const cases = signalContract(signal, {
    rules: [
      { name: "reasoning", hard: { candidates: ["prove this"] }, easy: { candidates: ["say hello"] } },
      { ...rule, composer: { conditions: [{ type: "keyword", name: "code" }] } },
    ],
    facts: { keyword: [{ rule: "code", state: "match", confidence: 1 }] },
    invalidRules: [{ ...rule, hard_above: -0.2, easy_below: 0.2 }],
  })
  for (const { name, run } of cases) test(name, run)
})

test("the difference of both likenesses decides, and its size is confidence and value", async () => {
  // At 60°: cos 30° − cos 60° = 0.366.
  expect(await read(rule, "60")).toEqual([
    { rule: "r:easy", state: "no_match", confidence: 0 },
    { rule: "r:medium", state: "no_match", confidence: 0 },
    {
      rule: "r:hard",
      state: "match",
      confidence: expect.closeTo(0.36603, 4),
      value: expect.closeTo(0.36603, 4),
      values: {
        difference: expect.closeTo(0.36603, 4),
        hard: expect.closeTo(cos(30), 5),
        easy: expect.closeTo(cos(60), 5),
      },
    },
  ])
})

// At 49°: cos 41° − cos 49° = 0.0986; at 50°: cos 40° − cos 50° = 0.1233.
test.each([
  ["50", {}, "hard"],
  ["49", {}, "medium"],
  ["45", {}, "medium"],
  ["41", {}, "medium"],
  ["40", {}, "easy"],
  ["49", { threshold: 0.05 }, "hard"],
  ["50", { threshold: 0.75 }, "medium"],
  ["49", { hard_above: 0.025, easy_below: -0.08 }, "hard"],
  ["41", { hard_above: 0.025, easy_below: -0.08 }, "easy"],
  ["45", { hard_above: 0.025, easy_below: -0.08 }, "medium"],
  ["41", { hard_above: 0.025 }, "medium"],
  ["49", { prototype_scoring: { margin_threshold: 0.2 }, threshold: 0 }, "medium"],
] as [string, Partial<Rule>, string][])("a text at %s degrees with %j is %s", async (text, changes, expected) => {
  expect(await level({ ...rule, ...changes }, text)).toEqual([expected])
})

test("a threshold that is left out is 0.1", async () => {
  const { threshold: _, ...bare } = rule
  expect(await level(bare, "49")).toEqual(["medium"])
  expect(await level(bare, "50")).toEqual(["hard"])
})

test("banks score by the options of the rule, then those for all", async () => {
  const both: Rule = { ...rule, hard: { candidates: ["90", "0"] } }
  const hardness = async (changes: Partial<Rule>, settings: object): Promise<number | undefined> =>
    (await read({ ...both, ...changes }, "90", { settings })).find(({ state }) => state === "match")?.values?.["hard"]
  expect(await hardness({}, {})).toBeCloseTo(0.75 + 0.25 * 0.5, 5)
  const settings = { prototype_scoring: { best_weight: 0 } }
  expect(await hardness({}, settings)).toBeCloseTo(0.5, 5)
  expect(await hardness({ prototype_scoring: { top_m: 1 } }, settings)).toBeCloseTo(1, 5)
})

test("a blank text has no level", async () => expect(await level(rule, " \n")).toEqual([]))

describe("a composer", () => {
  const composed = (composer: NonNullable<Rule["composer"]>): Rule => ({ ...rule, composer })
  const code = { type: "keyword", name: "code" }
  const long = { type: "context", name: "long" }
  const facts = (keyword: Fact["state"], context: Fact["state"]) => ({
    keyword: [
      { rule: "code", state: keyword, confidence: 1, ...(keyword === "unknown" && { reason: "failed" as const }) },
    ],
    context: [{ rule: "long", state: context, confidence: 1 }],
  })

  test.each<[object, Fact["state"], Fact["state"], readonly string[]]>([
    [{ conditions: [code, long] }, "match", "match", ["hard"]],
    [{ conditions: [code, long] }, "match", "no_match", []],
    [{ operator: "OR", conditions: [code, long] }, "match", "no_match", ["hard"]],
    [{ operator: "NOT", conditions: [code] }, "match", "match", []],
    [{ operator: "NOT", conditions: [code] }, "no_match", "match", ["hard"]],
    [{ conditions: [code, long] }, "unknown", "match", ["hard?"]],
    [{ conditions: [code, long] }, "unknown", "no_match", []],
    [code, "no_match", "match", []],
  ])("%j over %s and %s leaves %j", async (composer, keyword, context, expected) => {
    expect(await level(composed(composer as never), "60", { facts: facts(keyword, context) as never })).toEqual(
      expected,
    )
  })

  test("comes after the signals that it asks, and no others", () => {
    const after = signal.after as (rules: readonly Rule[]) => readonly string[]
    expect(after([rule])).toEqual([])
    expect(after([rule, composed({ operator: "OR", conditions: [code, { conditions: [long, code] }] })])).toEqual([
      "keyword",
      "context",
    ])
  })

  const document = (composer: object) =>
    documentWith({
      "routing.signals.complexity": [{ ...rule, composer }],
      "routing.signals.keywords": [{ name: "code", operator: "OR", keywords: ["60"] }],
      "routing.decisions.0.rules": { type: "complexity", name: "r:hard" },
    })

  test("reads facts that no decision asks for", async () => {
    const kernel = await createFakeKernel({ config: document(code), inference: createFakeInference({ embed }) })
    const decision = async (text: string): Promise<string | null> =>
      (await kernel.fetch(chat(text))).headers.get("x-rtr-selected-decision")
    expect(await decision("60")).not.toBeNull()
    expect(await decision("61")).toBeNull()
  })

  test.each([
    [{ type: "keyword", name: "cod" }, 'refers to keyword rule "cod", which routing.signals does not declare'],
    [{ type: "context", name: "long" }, 'refers to context rule "long", which routing.signals does not declare'],
    [{ type: "kb", name: "sums" }, 'refers to kb rule "sums", which routing.signals does not declare'],
    [{ type: "domain", name: "law" }, "asks for rules of domain, which routing.signals does not declare"],
    [{ operator: "NOT", conditions: [code, code] }, "of NOT must hold exactly one condition"],
    [{ type: "pii", name: "x" }, "composer.type"],
  ])("%j is refused", (composer, message) => {
    expect(problemsOf(document(composer)).join("\n")).toContain(message)
  })
})

test("conditions name a level", () => {
  const document = documentWith({
    "routing.signals.complexity": [rule],
    "routing.decisions.0.rules": { type: "complexity", name: "r" },
  })
  expect(problemsOf(document).join("\n")).toContain(
    'routing.decisions[0].rules.label: is missing; it must be "easy", "medium" or "hard"',
  )
})

test.each([
  [{ hard: { candidates: ["a"] }, easy: { candidates: ["b"] } }, true],
  [{ hard: { candidates: [] }, easy: { candidates: ["b"] } }, false],
  [{ hard: { candidates: ["a"] } }, false],
  [{ hard: { candidates: ["a"], image_candidates: ["x.png"] }, easy: { candidates: ["b"] } }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
