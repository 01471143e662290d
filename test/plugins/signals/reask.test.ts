import type { Fact, Turn } from "rtr"
import { createFakeInference, createFakeQuestions, signalContract, signalInput, textTurn } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/reask.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** Texts are angles: their vectors are alike by the cosine of their difference. */
const embed = (text: string): readonly number[] => {
  const angle = (Number.parseFloat(text) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)

/** The user's messages, oldest first, each with an answer behind it. */
async function read(rules: readonly Rule[], texts: readonly string[]) {
  const inference = createFakeInference({ embed })
  const questions = createFakeQuestions(inference)
  const reader = await signal.setup(rules, { settings: {}, embedAll: questions.embedAll })
  const before = texts.slice(0, -1).flatMap((text): Turn[] => [textTurn("user", text), textTurn("assistant", "0")])
  const facts: readonly Fact[] = await reader.read(signalInput(texts.at(-1) ?? "", before), questions)
  return { facts, asked: inference.calls.flat().map(({ text }) => text) }
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).facts.flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

const once: Rule = { name: "once", threshold: 0.8, lookback_turns: 1 }
const twice: Rule = { name: "twice", threshold: 0.8, lookback_turns: 2 }

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [once, twice],
    before: [textTurn("user", "the same text"), textTurn("assistant", "an answer")],
  }))
    test(name, run)
})

// cos 30° = 0.866, cos 36° = 0.809, cos 40° = 0.766.
test.each<[readonly string[], readonly string[]]>([
  [["0"], []],
  [["0", "30"], ["once"]],
  [["0", "40"], []],
  [["0", "30", "36"], ["twice"]],
  [["90", "0", "30"], ["once"]],
  [["0", "90", "30"], []],
  [["-30", "0", "36"], ["once"]],
])("messages at %j degrees: %j", async (texts, names) => expect(await matching([once, twice], texts)).toEqual(names))

test("the confidence is the least likeness of the messages that count", async () => {
  const { facts } = await read([twice], ["0", "30", "36"])
  expect(facts).toEqual([
    { rule: "twice", state: "match", confidence: expect.closeTo(cos(36), 5), value: expect.closeTo(cos(36), 5) },
  ])
})

test("of rules that match only those that look back furthest do, also several", async () => {
  const loose: Rule = { name: "loose", threshold: 0.5, lookback_turns: 2 }
  expect(await matching([once, twice, loose], ["0", "30", "36"])).toEqual(["twice", "loose"])
  expect(await matching([once, twice, loose], ["0", "30", "80"])).toEqual([])
  expect(await matching([once, twice, loose], ["0", "10", "50"])).toEqual(["loose"])
})

test("without settings the last message counts, from 0.8", async () => {
  expect(await matching([{ name: "bare" }], ["0", "36"])).toEqual(["bare"])
  expect(await matching([{ name: "bare" }], ["0", "40"])).toEqual([])
})

test("only as many messages are embedded as a rule looks at, blank ones never", async () => {
  expect((await read([twice], ["1", "2", "3", "4", "5"])).asked).toEqual(["5", "4", "3"])
  expect((await read([twice], ["1", " ", "3", "4"])).asked).toEqual(["4", "3", "1"])
  expect((await read([twice], ["1"])).asked).toEqual([])
})

test.each([
  [{}, true],
  [{ threshold: 1, lookback_turns: 32 }, true],
  [{ threshold: 1.1 }, false],
  [{ lookback_turns: 0 }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
