import { type Decided, RtrError } from "rtr"
import { createFakeInference, readerOf, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/judgment.ts"
import { watchedKernel } from "../../fakes/watched-kernel.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

const choice: Rule = {
  name: "topic",
  question: {
    type: "choice",
    instructions: "What is it about?",
    choices: [{ key: "billing", description: "money" }, { key: "weather" }],
  },
}
const noul: Rule = { name: "refund", question: { type: "noul", instructions: "Does somebody want money back?" } }
const score: Rule = {
  name: "mood",
  question: { type: "score", instructions: "How content?", levels: ["angry", "calm", "happy"] },
  predicate: { lt: 0.5 },
}
const set: Rule = { name: "traits", question: { type: "set", labels: ["rude", "urgent"], threshold: 0.4 } }
const span: Rule = { name: "parts", question: { type: "span", labels: ["city", "person"] } }

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [choice, noul, score, set, span],
    invalidRules: [
      { name: "a", question: { type: "choice" } },
      { name: "b", question: { type: "noul", labels: ["x"] } },
      { name: "c", question: { type: "score", levels: ["low", "high"] } },
      { name: "d", question: { type: "noul", threshold: 0.5 } },
      { name: "e", question: { type: "noul" }, predicate: { gt: 1, lt: 0 } },
      { name: "f", question: { type: "set", labels: ["x", "x"] } },
      { name: "i", question: { type: "set", labels: ["x"] }, abstain_at: 0.5 },
      { name: "g", question: { type: "score", labels: ["x"] }, predicate: { gt: 0 } },
    ],
  }))
    test(name, run)
})

const read = async (rule: Rule, answer: Decided) =>
  (
    await (
      await readerOf(signal as never, {
        rules: [rule] as never,
        inference: { decide: () => answer },
      })
    )("some text")
  ).map(({ rule: name, state, confidence, value }) => [name, state, confidence, value])

describe("facts", () => {
  test("a choice matches the option that was chosen, with the probabilities of all", async () => {
    const probabilities = { billing: 0.7, weather: 0.3 }
    expect(await read(choice, { type: "choice", choice: "billing", probabilities, confidence: 0.2 })).toEqual([
      ["topic:billing", "match", 0.7, 0.7],
      ["topic:weather", "no_match", 0.3, 0.3],
    ])
    const likely: Rule = { ...choice, predicate: { gte: 0.25 } }
    expect(await read(likely, { type: "choice", choice: "billing", probabilities, confidence: 0.2 })).toEqual([
      ["topic:billing", "match", 0.7, 0.7],
      ["topic:weather", "match", 0.3, 0.3],
    ])
  })

  test.each([
    [0.5, undefined, "match"],
    [0.49, undefined, "no_match"],
    [0.49, { gte: 0.4 }, "match"],
    [0.9, { lt: 0.2 }, "no_match"],
  ])("yes with %d and %j is %s", async (probability, predicate, state) => {
    const rule = predicate === undefined ? noul : { ...noul, predicate }
    expect(await read(rule, { type: "noul", noul: probability })).toEqual([["refund", state, probability, probability]])
  })

  test("a score is compared by its expected level", async () => {
    const answer = (expected: number): Decided => ({
      type: "score",
      score: expected,
      probabilities: {},
      confidence: 0.6,
    })
    expect(await read(score, answer(0.4))).toEqual([["mood", "match", 0.6, 0.4]])
    expect(await read(score, answer(1.4))).toEqual([["mood", "no_match", 0.6, 1.4]])
  })

  test("a set matches the labels that were selected, spans those that were found", async () => {
    const probabilities = { rude: 0.45, urgent: 0.1 }
    expect(await read(set, { type: "set", selected: ["rude"], probabilities })).toEqual([
      ["traits:rude", "match", 0.45, 0.45],
      ["traits:urgent", "no_match", 0.1, 0.1],
    ])
    const spans = [0.6, 0.8].map((probability) => ({ label: "city", start: 0, end: 4, probability }))
    expect(await read(span, { type: "span", noul: 0.9, spans })).toEqual([
      ["parts:city", "match", 0.8, 0.8],
      ["parts:person", "no_match", 0, 0],
    ])
  })

  const probabilities = { billing: 0.7, weather: 0.3 }
  const unsure = (abstainProbability: number): readonly (readonly [Rule, Decided, string[]])[] => [
    [
      choice,
      { type: "choice", choice: "billing", probabilities, confidence: 0.2, abstainProbability },
      ["topic:billing", "topic:weather"],
    ],
    [noul, { type: "noul", noul: 0.9, abstainProbability }, ["refund"]],
    [score, { type: "score", score: 0.4, probabilities: {}, confidence: 0.6, abstainProbability }, ["mood"]],
  ]

  test("an answer that should rather not be used is unknown, for every option", async () => {
    for (const [rule, answer, names] of unsure(0.5))
      expect(await read({ ...rule, abstain_at: 0.5 }, answer)).toEqual(
        names.map((name) => [name, "unknown", 0, undefined]),
      )
    for (const [rule, answer] of unsure(0.49))
      expect((await read({ ...rule, abstain_at: 0.5 }, answer))[0]?.[1]).toBe("match")
  })

  test("where a rule says nothing, answers of every type are unknown from 0.5 on", async () => {
    const states = (abstainProbability: number) =>
      Promise.all(unsure(abstainProbability).map(async ([rule, answer]) => (await read(rule, answer))[0]?.[1]))
    expect(await states(0.49)).toEqual(["match", "match", "match"])
    expect(await states(0.5)).toEqual(["unknown", "unknown", "unknown"])
    expect(await states(1)).toEqual(["unknown", "unknown", "unknown"])
  })

  test("a rule says from where on its answers are unknown; 1 uses all", async () => {
    const states = (rule: Rule, answer: Decided, abstainAt: number) =>
      read({ ...rule, abstain_at: abstainAt }, answer).then((facts) => facts[0]?.[1])
    for (const [rule, answer] of unsure(0.3))
      expect([await states(rule, answer, 0.3), await states(rule, answer, 0.31)]).toEqual(["unknown", "match"])
    for (const [rule, answer] of unsure(1)) expect(await states(rule, answer, 1)).toBe("match")
  })

  test("an answer to another question is none", async () => {
    await expect(read(noul, { type: "set", selected: [], probabilities: {} })).rejects.toThrow(RtrError)
  })
})

test("a condition names an option by its label", async () => {
  const asked: string[] = []
  const { ask } = await watchedKernel({
    inference: createFakeInference({
      decide: (text) => {
        asked.push(text)
        return { type: "choice", choice: "billing", probabilities: { billing: 0.9, weather: 0.1 }, confidence: 0.8 }
      },
    }),
    changes: {
      "routing.signals": { decision: [choice] },
      "routing.decisions": [
        {
          name: "money",
          rules: { type: "decision", name: "topic", label: "billing" },
          modelRefs: [{ model: "large" }],
        },
      ],
    },
  })
  const { headers } = await ask("I was charged twice")
  expect([headers.get("x-rtr-selected-decision"), headers.get("x-rtr-selected-confidence"), asked]).toEqual([
    "money",
    "0.9000",
    ["I was charged twice"],
  ])
})
