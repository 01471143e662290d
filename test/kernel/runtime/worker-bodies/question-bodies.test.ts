import type { InferenceTask, TypedQuestion } from "rtr"
import { expect, test } from "vitest"
import {
  fromDecisionsReply,
  fromRerankReply,
  toDecisionsBody,
  toGroundedBody,
  toImageBody,
  toRerankBody,
} from "../../../../ts/kernel/runtime/worker-bodies/question-bodies.ts"

const text = "👍 Ann"
const question = (type: TypedQuestion["type"], changes: object = {}): InferenceTask<"decide"> => ({
  kind: "decide",
  deployment: "d",
  text,
  question: { type },
  ...changes,
})
const ranking = (changes: object = {}): InferenceTask<"rerank"> => ({
  kind: "rerank",
  deployment: "d",
  text: "query",
  documents: ["a", "b"],
  ...changes,
})
const served = { model: "m", overflow: "truncate" } as const

/** The answer, or the code of the error. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

test("a question becomes a body of one state and one question", () => {
  const body = { model: "m", state: text, questions: { q: { type: "noul" } } }
  expect([
    toDecisionsBody(question("noul"), { ...served, maxTokens: 64 }),
    toDecisionsBody(question("noul", { whole: true }), served),
    toDecisionsBody(question("noul"), { model: "m", overflow: "reject" }),
  ]).toEqual([
    { ...body, options: { overflow: "truncate" } },
    { ...body, options: { overflow: "window" } },
    { ...body, options: { overflow: "window" } },
  ])
})

test("a ranking becomes a body with its documents", () => {
  const body = { model: "m", query: "query", documents: ["a", "b"] }
  expect([
    toRerankBody(ranking(), { ...served, maxTokens: 64 }),
    toRerankBody(ranking({ whole: true }), served),
  ]).toEqual([
    { ...body, options: { overflow: "truncate", max_tokens: 64 } },
    { ...body, options: { overflow: "reject" } },
  ])
})

test("an answer goes with its context", () => {
  const task = { kind: "spans", deployment: "d", text, grounds: { context: "Bob" } } as const
  expect(toGroundedBody({ ...task, head: "h", threshold: 0.5 }, "m")).toEqual({
    model: "m",
    head: "h",
    input: [{ context: "Bob", answer: text }],
    options: { overflow: "window", threshold: 0.5 },
  })
})

test("each type of question has its own answer", () => {
  const probabilities = { a: 0.75, b: 0.25 }
  const span = { label: "NAME", start: 2, end: 5, text: "Ann", probability: 0.5 }
  const cases: readonly (readonly [TypedQuestion["type"], reply: object, decided: object])[] = [
    [
      "choice",
      { answers: { q: { type: "choice", choice: "a", probabilities, confidence: 0.5, abstain_probability: 0.1 } } },
      { type: "choice", choice: "a", probabilities, confidence: 0.5, abstainProbability: 0.1 },
    ],
    ["noul", { answers: { q: { type: "noul", noul: 0.25 } } }, { type: "noul", noul: 0.25 }],
    [
      "score",
      { answers: { q: { type: "score", score: 1.5, legend: {}, probabilities, confidence: 0.5 } } },
      { type: "score", score: 1.5, probabilities, confidence: 0.5 },
    ],
    [
      "noul",
      { answers: { q: { type: "noul", noul: 0.25, abstain_probability: 0.625 } } },
      { type: "noul", noul: 0.25, abstainProbability: 0.625 },
    ],
    [
      "score",
      {
        answers: {
          q: { type: "score", score: 1.5, legend: {}, probabilities, confidence: 0.5, abstain_probability: 0.75 },
        },
      },
      { type: "score", score: 1.5, probabilities, confidence: 0.5, abstainProbability: 0.75 },
    ],
    [
      "set",
      { answers: { "q.a": { type: "noul", noul: 0.75 } }, sets: { q: { selected: ["a"], probabilities } } },
      { type: "set", selected: ["a"], probabilities },
    ],
    [
      "span",
      { answers: { q: { type: "noul", noul: 0.5 } }, spans: { q: [span] } },
      { type: "span", noul: 0.5, spans: [{ label: "NAME", start: 3, end: 6, probability: 0.5 }] },
    ],
    ["span", { answers: { q: { type: "noul", noul: 0.5 } } }, { type: "span", noul: 0.5, spans: [] }],
  ]
  for (const [type, reply, decided] of cases)
    expect(fromDecisionsReply(reply, question(type))).toEqual({ kind: "decide", decided })
})

test("a decision that failed, was made of a part, or makes no sense is an error", () => {
  const noul = { type: "noul", noul: 0.5 }
  const part = { answers: { q: noul }, usage: { input_tokens: 9, output_tokens: 0, tokens_lower_bound: true } }
  const cases: readonly (readonly [task: InferenceTask<"decide">, reply: unknown, code: unknown])[] = [
    [question("noul"), { answers: { q: { type: "noul", error: "scan_budget_exceeded" } } }, "scan_budget_exceeded"],
    [question("noul"), { answers: { q: { type: "noul", error: "no_such_code" } } }, "unavailable"],
    [question("noul", { whole: true }), part, "max_length_exceeded"],
    [question("noul"), part, { kind: "decide", decided: noul }],
    [question("noul"), { answers: { q: { noul: null } } }, "invalid_model_output"],
    [question("noul"), { answers: {} }, "invalid_model_output"],
    [question("noul"), null, "invalid_model_output"],
    [question("choice"), { answers: { q: { probabilities: {}, confidence: 1 } } }, "invalid_model_output"],
    [question("choice"), { answers: { q: { choice: "a", confidence: 1 } } }, "invalid_model_output"],
    [question("set"), { answers: {} }, "invalid_model_output"],
    [question("span"), { answers: { q: noul }, spans: { q: [{ start: 0, end: 99 }] } }, "invalid_model_output"],
  ]
  for (const [task, reply, expected] of cases)
    expect([reply, outcomeOf(() => fromDecisionsReply(reply, task))]).toEqual([reply, expected])
})

test("scores are in the order of the documents, and every document has one", () => {
  const first = { index: 0, relevance_score: 0.25, input: { truncated: true } }
  const second = { index: 1, relevance_score: 0.75 }
  const cases: readonly (readonly [task: InferenceTask<"rerank">, reply: unknown, code: unknown])[] = [
    [ranking(), { results: [second, first] }, { kind: "rerank", ranking: { scores: [0.25, 0.75] } }],
    [ranking({ whole: true }), { results: [second, first] }, "max_length_exceeded"],
    [ranking(), { results: [second, { index: 0, error: { code: "invalid_input" } }] }, "invalid_input"],
    [ranking(), { results: [second] }, "invalid_model_output"],
    [ranking(), { results: [second, { ...first, index: 2 }] }, "invalid_model_output"],
    [ranking(), { results: [second, { ...first, relevance_score: null }] }, "invalid_model_output"],
    [ranking(), {}, "invalid_model_output"],
    [ranking(), null, "invalid_model_output"],
  ]
  for (const [task, reply, expected] of cases)
    expect([reply, outcomeOf(() => fromRerankReply(reply, task))]).toEqual([reply, expected])
})

test("an image is one part of the input", () => {
  expect(toImageBody("data:image/png;base64,AA==", "vision")).toEqual({
    model: "vision",
    input: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }],
    encoding_format: "base64",
  })
})
