import type { ChatRequest, Fact, Grounds, TextSpan } from "rtr"
import { createFakeInference, createFakeQuestions, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/hallucination.ts"

const rules = [{ name: "made-up" }]

describe("contract", () => {
  for (const { name, run } of signalContract(signal, { rules, invalidRules: [] })) test(name, run)
})

const answer = "It is 400 m tall and blue"
const asked = {
  turns: [
    { role: "system", blocks: [{ type: "text", text: "Be brief" }] },
    { role: "user", blocks: [{ type: "text", text: "How tall is it?" }] },
    { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text: "330 m" }] }] },
  ],
} as const

interface Given {
  readonly text?: string
  readonly asked?: object | undefined
  readonly settings?: object
  readonly spans?: readonly TextSpan[]
}

const span = (start: number, end: number, probability: number): TextSpan => ({
  label: "UNSUPPORTED",
  start,
  end,
  probability,
})
/** "400 m tall", "blue". */
const parts = [span(6, 16, 0.875), span(21, 25, 0.9375)]

async function read(given: Given = {}) {
  const grounds: (Grounds | undefined)[] = []
  const inference = createFakeInference({
    spans: (_, each) => {
      grounds.push(each)
      return given.spans ?? parts
    },
  })
  const reader = await signal.setup(rules, { settings: given.settings ?? {} } as never)
  const input = { text: given.text ?? answer, asked: "asked" in given ? given.asked : asked } as never
  const facts: readonly Fact[] = await reader.read(input, createFakeQuestions(inference) as never)
  return { fact: facts[0], grounds }
}

test("parts that the context does not support are found, from two tokens on", async () => {
  expect(await read()).toEqual({
    fact: { rule: "made-up", state: "match", confidence: 0.875, value: 0.875, quotes: ["400 m tall"] },
    grounds: [{ context: "Be brief\n330 m", question: "How tall is it?" }],
  })
})

test("each bound of the detector holds, and 0 is the usual one", async () => {
  const quotesOf = async (settings: object, spans = parts): Promise<unknown> =>
    (await read({ settings, spans })).fact?.quotes
  expect([
    await quotesOf({ min_span_length: 1 }),
    await quotesOf({ min_span_length: 0 }),
    await quotesOf({ min_span_length: 1, threshold: 0.9 }),
    await quotesOf({}, [span(6, 16, 0.75)]),
    await quotesOf({ threshold: 0.7 }, [span(6, 16, 0.75)]),
    await quotesOf({ threshold: 0.5 }, [span(6, 16, 0.55)]),
    await quotesOf({ threshold: 0.5, min_span_confidence: 0.5 }, [span(6, 16, 0.55)]),
  ]).toEqual([["400 m tall", "blue"], ["400 m tall"], ["blue"], [], ["400 m tall"], [], ["400 m tall"]])
})

test("a reply without text says nothing that could be wrong", async () => {
  expect(await read({ text: " " })).toMatchObject({ fact: { state: "no_match", quotes: [] }, grounds: [] })
})

test("without context it is unknown", async () => {
  const [system, user] = asked.turns
  const contexts: readonly (Pick<ChatRequest, "turns"> | undefined)[] = [undefined, { turns: [system, user] }]
  for (const each of contexts)
    expect(await read({ asked: each })).toMatchObject({ fact: { state: "unknown" }, grounds: [] })
})

test("documents of the request are context", async () => {
  const blocks = [
    { type: "opaque", dialect: "messages", value: { type: "search_result" }, text: "It has 330 m" },
    { type: "opaque", dialect: "messages", value: { type: "other" }, text: "Hm" },
    { type: "text", text: "It is of iron", isDocument: true },
    { type: "text", text: "How tall?" },
  ]
  const { grounds } = await read({ asked: { turns: [{ role: "user", blocks }] } })
  expect(grounds).toEqual([{ context: "It has 330 m\nIt is of iron", question: "Hm\nHow tall?" }])
})

test("a long reply is read in pieces, and a long question is left out", async () => {
  const sentence = "This tower has had many visitors from all over the world in every year since it opened. "
  const text = `${sentence.repeat(40)}${"塔".repeat(300)}${answer}`
  const [, user, tool] = asked.turns
  const long = { ...user, blocks: [{ type: "text", text: sentence.repeat(20) }] }
  const at = (name: string, length: number): TextSpan => span(name.length - length, name.length, 0.9)
  const texts: string[] = []
  const inference = createFakeInference({
    spans: (piece, grounds) => {
      texts.push(piece)
      expect(grounds).toEqual({ context: "330 m" })
      return piece.endsWith("blue") ? [at(piece, "tall and blue".length)] : []
    },
  })
  const reader = await signal.setup(rules, { settings: {} } as never)
  const [fact] = await reader.read(
    { text, asked: { turns: [long, tool] } } as never,
    createFakeQuestions(inference) as never,
  )
  expect(fact).toMatchObject({ state: "match", quotes: ["tall and blue"] })
  expect(texts.length).toBeGreaterThan(10)
  expect(texts.join("")).toBe(text)
  expect(Math.max(...texts.map((piece) => piece.length))).toBeLessThan(500)
})

test("more than models read in time is not read", async () => {
  const blocks = [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text: "a ".repeat(100_001) }] }]
  const { fact, grounds } = await read({ asked: { turns: [{ role: "tool", blocks }] } })
  expect([fact?.state, fact?.reason, grounds]).toEqual(["unknown", "input_limit", []])
})

describe("use in a document", () => {
  const toldOf = (routing: object, given: readonly object[] = []): readonly string[] => {
    const told: string[] = []
    void signal.check?.(given as never, (_, message, severity) => told.push(`${severity ?? "error"} ${message}`), {
      document: { routing },
    })
    return told
  }
  const judged = { name: "judged", plugins: [{ type: "hallucination", configuration: { enabled: true } }] }
  const fact_check = [{ name: "needs_fact_check" }]

  test("rules and plugin need each other, and the plugin a rule of fact_check", () => {
    expect([
      toldOf({ decisions: [judged], signals: { fact_check } }, rules),
      toldOf({ decisions: [{ name: "other" }] }, rules),
      toldOf({ decisions: [judged] }),
    ]).toEqual([
      [],
      ["warning reads replies, and no decision has the plugin hallucination, which acts on what it finds"],
      [
        'warning judges no reply of decision "judged": its plugin acts where a rule needs_fact_check of routing.signals.fact_check matches, and there is none',
      ],
    ])
  })

  test("nothing that comes before a reply can ask for a rule", () => {
    const early = { ...judged, rules: { operator: "NOT", conditions: [{ type: "hallucination", name: "made-up" }] } }
    const projections = { scores: [{ inputs: [{ type: "hallucination", name: "made-up" }] }] }
    expect([
      toldOf({ decisions: [early], signals: { fact_check } }, rules),
      toldOf({ decisions: [judged], signals: { fact_check }, projections }, rules),
    ]).toEqual([
      ['error reads replies, and decision "judged" asks for one before there is a reply; use its plugin hallucination'],
      ["error reads replies, and a score of projections is made of one before there is a reply"],
    ])
  })
})
