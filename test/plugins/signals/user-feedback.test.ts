import type { Fact, Turn } from "rtr"
import { createFakeInference, createFakeQuestions, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import { assistant, inputOf, toolTurn, user } from "../../fakes/signal-input.ts"
import signal from "../../../ts/plugins/signals/user-feedback.ts"

const labels = ["NONE", "SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT"]
const names = ["satisfied", "need_clarification", "wrong_answer", "want_different"]
const rules = names.map((name) => ({ name }))

const dialogue = [user("2 + 2?"), assistant(" It is 5. "), user("That is wrong.")]

interface Read {
  readonly facts: readonly Fact[]
  /** Texts that the model was asked about. */
  readonly asked: readonly string[]
}

async function read(
  probabilities: readonly number[],
  messages: readonly Turn[] = dialogue,
  settings = {},
): Promise<Read> {
  const inference = createFakeInference({ labels, classify: () => probabilities })
  const reader = await signal.setup(rules, { settings })
  const facts = await reader.read(inputOf(messages), createFakeQuestions(inference))
  return { facts, asked: inference.calls.flat().map((task) => task.text) }
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).facts.flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

const sure = (label: string, probability = 0.9): readonly number[] =>
  labels.map((each) => (each === label ? probability : (1 - probability) / 4))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    invalidRules: [{ name: "SAT" }, { name: "none" }, { name: "toString" }],
    before: [user("2 + 2?"), assistant("It is 5.")],
    inference: { labels },
  }))
    test(name, run)
})

test.each([
  ["SAT", "satisfied"],
  ["NEED_CLARIFICATION", "need_clarification"],
  ["WRONG_ANSWER", "wrong_answer"],
  ["WANT_DIFFERENT", "want_different"],
])("%s is %s", async (label, name) => expect(await matching(sure(label))).toEqual([name]))

test("a turn without a verdict matches nothing", async () => expect(await matching(sure("NONE"))).toEqual([]))

test("the fact has the probability of its label", async () => {
  expect((await read([0, 0, 0.125, 0.75, 0.125])).facts).toEqual([
    { rule: "satisfied", state: "no_match", confidence: 0, value: 0 },
    { rule: "need_clarification", state: "no_match", confidence: 0.125, value: 0.125 },
    { rule: "wrong_answer", state: "match", confidence: 0.75, value: 0.75 },
    { rule: "want_different", state: "no_match", confidence: 0.125, value: 0.125 },
  ])
})

test("only the likeliest label matches, from the threshold on, which is 0.7 when left out", async () => {
  expect([await matching(sure("SAT", 0.71)), await matching(sure("SAT", 0.69))]).toEqual([["satisfied"], []])
  expect(await matching(sure("SAT", 0.5), dialogue, { threshold: 0.5 })).toEqual(["satisfied"])
  expect(await matching([0, 0.4, 0, 0.6, 0], dialogue, { threshold: 0.3 })).toEqual(["wrong_answer"])
  expect(await matching([0.6, 0.4, 0, 0, 0], dialogue, { threshold: 0.3 })).toEqual([])
})

test("the model reads what the user says, and the answer it is about", async () => {
  expect((await read(sure("SAT"))).asked).toEqual(["That is wrong.\n\nassistant: It is 5."])
})

test("the last answer with text before the user's turn counts", async () => {
  const messages = [
    user("one"),
    assistant("first"),
    user("two"),
    assistant("second"),
    assistant(null),
    toolTurn("result"),
    user("three"),
    assistant("later"),
  ]
  expect((await read(sure("SAT"), messages)).asked).toEqual(["three\n\nassistant: second"])
})

test.each<[string, readonly Turn[]]>([
  ["a first question", [user("hello")]],
  ["an answer behind the last user message", [user("hello"), assistant("hi")]],
  ["an answer without text", [user("a"), assistant(null), user("b")]],
  ["a turn without text", [user("a"), assistant("x"), user(" ")]],
  ["no user message", [assistant("x")]],
  ["no messages", []],
])("%s asks no model and matches nothing", async (_, messages) => {
  const { facts, asked } = await read(sure("SAT"), messages)
  expect(asked).toEqual([])
  expect(facts).toEqual(names.map((rule) => ({ rule, state: "no_match", confidence: 0, value: 0 })))
})

test("a failing model makes the facts unknown where there is an answer", async () => {
  const reader = await signal.setup(rules, { settings: {} })
  const inference = createFakeInference({ labels: ["yes", "no"] })
  await expect(reader.read(inputOf(dialogue), createFakeQuestions(inference))).rejects.toMatchObject({
    code: "invalid_model_output",
  })
})

test.each([
  [{}, true],
  [{ threshold: 0.5 }, true],
  [{ threshold: 2 }, false],
  [{ enabled: true }, false],
])("options of all: %j are valid: %s", (options, valid) =>
  expect(Value.Check(signal.settings?.schema as never, options)).toBe(valid),
)

test("a thumb alone is no word that the model could read, whatever the answer says", async () => {
  const { facts, asked } = await read(sure("SAT"), [user("2 + 2?"), assistant("It is 4."), user("👍")])
  expect(facts).toEqual(names.map((rule) => ({ rule, state: "unknown", confidence: 0, reason: "unread_words" })))
  expect(asked).toEqual([])
})
