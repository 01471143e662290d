import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/safety.ts"

const labels = ["safe", "unsafe"]
const categories = ["violence", "privacy", "weapons"]
const hazard = { labels: categories, categories: ["privacy", "weapons"], threshold: 0.6 }
const rules = [
  { name: "any", threshold: 0.5 },
  { name: "private", threshold: 0.5, hazard },
]
const labelsOf = (head: string) => (head.startsWith("hazard.") ? categories : undefined)

/** The facts of a text that is this unsafe, with these scores of its kinds of harm; and what was asked about. */
async function read(
  unsafe: number,
  kinds: readonly number[] = [0, 0, 0],
  given: readonly object[] = rules,
): Promise<{ readonly facts: readonly Fact[]; readonly asked: readonly (string | undefined)[] }> {
  const asked: (string | undefined)[] = []
  const classify = (_: string, head?: string): readonly number[] => {
    asked.push(head)
    return head?.startsWith("hazard.") === true ? kinds : [1 - unsafe, unsafe]
  }
  const reader = await readerOf(signal as never, {
    rules: given as never,
    before: [],
    inference: { labels, labelsOf, classify },
  })
  return { facts: await reader("How do I do that?"), asked }
}

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    invalidRules: [
      { name: "typo", threshold: 0.5, unsafe_labels: ["bad"] },
      { name: "every", threshold: 0.5, unsafe_labels: ["safe", "unsafe"] },
      { name: "kind", threshold: 0.5, hazard: { ...hazard, categories: ["hate"] } },
    ],
    inference: { labels, labelsOf },
  }))
    test(name, run)
})

test("the probability of unsafe is compared with the threshold, which matches as well", async () => {
  const [any] = rules
  expect((await read(0.5, [], [any as object])).facts).toEqual([
    { rule: "any", state: "match", confidence: 0.5, value: 0.5 },
  ])
  expect((await read(0.25, [], [any as object])).facts).toEqual([
    { rule: "any", state: "no_match", confidence: 0.25, value: 0.25 },
  ])
})

test("a kind of harm is asked for where the text is unsafe, and the likeliest of the rule's counts, alone", async () => {
  const [, only] = rules
  const found = await read(0.75, [1, 0.5, 0.625], [only as object])
  expect(found).toEqual({
    facts: [{ rule: "private", state: "match", confidence: 0.625, value: 0.625 }],
    asked: ["safety.private", "hazard.private"],
  })
  // 0.5 and 0.5 are not 1: the scores are independent.
  expect((await read(0.75, [1, 0.5, 0.5], [only as object])).facts).toMatchObject([{ state: "no_match", value: 0.5 }])
  expect(await read(0.25, [1, 1, 1], [only as object])).toEqual({
    facts: [{ rule: "private", state: "no_match", confidence: 0, value: 0 }],
    asked: ["safety.private"],
  })
})

test("several unsafe labels add up", async () => {
  const reader = await readerOf(signal as never, {
    rules: [{ name: "any", threshold: 0.6, labels: ["fine", "odd", "bad"], unsafe_labels: ["odd", "bad"] }] as never,
    before: [],
    inference: { labels: ["fine", "odd", "bad"], classify: () => [0.25, 0.25, 0.5] },
  })
  expect(await reader("text")).toEqual([{ rule: "any", state: "match", confidence: 0.75, value: 0.75 }])
})

test("what was not read whole leaves the question open, unless something was found", async () => {
  const factsFor = async (unsafe: number): Promise<readonly Fact[]> =>
    (
      await readerOf(signal as never, {
        rules: [{ name: "any", threshold: 0.5 }] as never,
        before: [],
        inference: { labels, classify: () => [1 - unsafe, unsafe], unknownTokens: () => 1 },
      })
    )("text")
  expect(await factsFor(0.25)).toEqual([{ rule: "any", state: "unknown", confidence: 0, reason: "unread_words" }])
  expect(await factsFor(0.75)).toEqual([
    { rule: "any", state: "match", confidence: 0.75, value: 0.75, atLeast: true, reason: "unread_words" },
  ])
})

describe("languages", () => {
  const german = "Schreibe mir bitte einen kurzen Brief an meine Versicherung wegen des Schadens am Auto."
  const english = "Write a short letter to my insurance about the damage of the car, please."
  const factOf = async (text: string, settings: object, unsafe = 0.25) => {
    const reader = await readerOf(signal as never, {
      rules: [{ name: "any", threshold: 0.5 }] as never,
      settings: settings as never,
      before: [],
      inference: { labels, classify: () => [1 - unsafe, unsafe] },
    })
    return (await reader(text))[0]
  }

  test("that the settings do not name leave what was not found unknown", async () => {
    const languages = ["en"]
    expect(await factOf(german, { languages })).toEqual({
      rule: "any",
      state: "unknown",
      confidence: 0,
      reason: "unsupported_language",
    })
    expect(await factOf(english, { languages })).toMatchObject({ state: "no_match" })
    expect(await factOf(german, { languages }, 0.75)).toMatchObject({ state: "match" })
  })

  test("are all of them where nothing is said, because the document binds the model", async () => {
    for (const settings of [{}, { languages: "any" }])
      expect(await factOf(german, settings)).toMatchObject({ state: "no_match" })
  })
})

test("a model that was made for something else has no answer", async () => {
  const reader = await readerOf(signal as never, {
    rules: rules as never,
    before: [],
    inference: { labels: ["a", "b"] },
  })
  expect(await reader("text")).toMatchObject([
    { rule: "any", state: "unknown", reason: "failed" },
    { rule: "private", state: "unknown", reason: "failed" },
  ])
})
