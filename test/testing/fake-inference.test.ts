import { RtrError } from "rtr"
import { createFakeInference, createFakeQuestions } from "rtr/testing"
import { describe, expect, test } from "vitest"

const embed = (text: string) => ({ kind: "embed", deployment: "d", text }) as const
const classify = (text: string) => ({ kind: "classify", deployment: "d", text }) as const

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  [...(a ?? [])].reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0)

describe("answers", () => {
  test("come in the order of the questions and are remembered", async () => {
    const inference = createFakeInference({ labels: ["a", "b"], classify: () => [0.25, 0.75], embed: () => [3, 4] })
    const tasks = [classify("x"), embed("y")]
    expect(await inference.bundle(tasks)).toEqual([
      { kind: "classify", classification: { labels: ["a", "b"], probabilities: Float32Array.from([0.25, 0.75]) } },
      { kind: "embed", vector: Float32Array.from([0.6, 0.8]) },
    ])
    expect(inference.calls).toEqual([tasks])
  })

  test("give each label the same when nothing is said", async () => {
    expect(await createFakeInference().bundle([classify("x")])).toEqual([
      { kind: "classify", classification: { labels: ["yes", "no"], probabilities: Float32Array.from([0.5, 0.5]) } },
    ])
  })

  test("mark nothing when nothing is said, else what reaches the threshold of the question", async () => {
    const mark = (given: object) => ({ kind: "spans", deployment: "d", text: "x", ...given }) as const
    expect(await createFakeInference().bundle([mark({})])).toEqual([{ kind: "spans", spans: [] }])
    const part = { label: "PERSON", start: 0, end: 1, probability: 0.5 }
    const inference = createFakeInference({ spans: (text) => (text === "x" ? [part] : []) })
    expect(await inference.bundle([{}, { threshold: 0.5 }, { threshold: 0.6 }, { text: "y" }].map(mark))).toEqual(
      [[part], [part], [], []].map((spans) => ({ kind: "spans", spans })),
    )
    expect(await createFakeQuestions(inference).spans("x", { threshold: 0.4 })).toEqual([part])
    expect(await createFakeQuestions(inference).spans("x", { threshold: 0.6 })).toEqual([])
  })

  test("are errors when told to fail", async () => {
    const error = new RtrError("overloaded", "busy")
    expect(await createFakeInference({ failWith: error }).bundle([embed("x"), classify("y")])).toEqual([
      { kind: "error", error },
      { kind: "error", error },
    ])
  })

  test("can take their time", async () => {
    const startedAt = performance.now()
    await createFakeInference({ delayMs: 20 }).bundle([embed("x")])
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(15)
  })
})

describe("vectors", () => {
  const vectorOf = async (text: string): Promise<Float32Array> => createFakeQuestions(createFakeInference()).embed(text)

  test("have length 1 and are the same for the same text", async () => {
    const [a, b] = [await vectorOf("I want my money back"), await vectorOf("I want my money back")]
    expect(dot(a, a)).toBeCloseTo(1, 5)
    expect(a).toEqual(b)
  })

  test("of texts that share words are more alike", async () => {
    const [text, near, far] = [
      await vectorOf("refund my order"),
      await vectorOf("refund the order"),
      await vectorOf("sunny weather tomorrow"),
    ]
    expect(dot(text, near)).toBeGreaterThan(dot(text, far))
  })

  test("of nothing are zero", async () => expect(dot(await vectorOf(""), await vectorOf(""))).toBe(0))
})

describe("asking", () => {
  test("gives classification, vector and vectors", async () => {
    const ask = createFakeQuestions(createFakeInference({ embed: (text) => [Number(text)], classify: () => [1, 0] }))
    expect(await ask.classify("x")).toEqual({ labels: ["yes", "no"], probabilities: Float32Array.from([1, 0]) })
    expect(await ask.embed("5")).toEqual(Float32Array.of(1))
    expect(await ask.embedAll(["5", "-5"])).toEqual([Float32Array.of(1), Float32Array.of(-1)])
  })

  test("throws the error of an answer", async () => {
    const error = new RtrError("overloaded", "busy")
    const ask = createFakeQuestions(createFakeInference({ failWith: error }))
    await expect(ask.classify("x")).rejects.toBe(error)
    await expect(ask.embed("x")).rejects.toBe(error)
    await expect(ask.embedAll(["x"])).rejects.toBe(error)
  })

  test("throws when there is no answer", async () => {
    const ask = createFakeQuestions({ ...createFakeInference(), bundle: async () => [] })
    await expect(ask.embed("x")).rejects.toMatchObject({ code: "internal_error" })
  })
})

describe("typed questions and rankings", () => {
  test("prefer nothing when nothing is said", async () => {
    const { decide } = createFakeQuestions(createFakeInference())
    expect([
      await decide("x", { type: "choice", choices: ["a", { key: "b" }] }),
      await decide("x", { type: "choice", criteria: { a: "first", b: null } }),
      await decide("x", { type: "noul" }),
      await decide("x", { type: "score", levels: ["low", "middle", "high"] }),
      await decide("x", { type: "set", labels: ["a"] }),
      await decide("x", { type: "span", criteria: ["a"] }),
    ]).toEqual([
      { type: "choice", choice: "a", probabilities: { a: 0.5, b: 0.5 }, confidence: 0 },
      { type: "choice", choice: "a", probabilities: { a: 0.5, b: 0.5 }, confidence: 0 },
      { type: "noul", noul: 0.5 },
      { type: "score", score: 1, probabilities: { 0: 1 / 3, 1: 1 / 3, 2: 1 / 3 }, confidence: 0 },
      { type: "set", selected: [], probabilities: { a: 0 } },
      { type: "span", noul: 0, spans: [] },
    ])
  })

  test("answer what they are told", async () => {
    const { decide, rerank } = createFakeQuestions(
      createFakeInference({
        decide: (text) => ({ type: "noul", noul: text.length / 10 }),
        rerank: (query, document) => (query.length + document.length) / 10,
      }),
    )
    expect([await decide("abc", { type: "noul" }), await rerank("a", ["b", "cd"])]).toEqual([
      { type: "noul", noul: 0.3 },
      { scores: [0.2, 0.3] },
    ])
  })

  test("rank documents that share words first", async () => {
    const { rerank } = createFakeQuestions(createFakeInference())
    const { scores } = await rerank("refund my order", ["sunny weather", "refund the order", ""])
    expect(scores.indexOf(Math.max(...scores))).toBe(1)
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
  })

  test("tell that a part was not read", async () => {
    const questions = createFakeQuestions(createFakeInference({ unknownTokens: () => 1 }))
    const answers = await Promise.all([
      questions.classify("x"),
      questions.spans("x"),
      questions.embed("x"),
      questions.decide("x", { type: "noul" }),
      questions.rerank("x", ["y"]),
    ])
    expect(answers.map(({ truncated }) => truncated?.code)).toEqual(answers.map(() => "unread_words"))
  })
})

test("the fake has no deployments and closes without a word", async () => {
  const inference = createFakeInference()
  expect([inference.status(), await inference.close()]).toEqual([[], undefined])
})
