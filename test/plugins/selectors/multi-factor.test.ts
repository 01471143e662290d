import { type Candidate, isRtrError, type ModelFigures } from "rtr"
import { chatRequest, selectorContract, selectorReaderOf, signalInput, textTurn } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/multi-factor.ts"
import { referenceCases } from "./reference/cases.ts"

describe("contract", () => {
  const lexicographic = {
    strategy: "lexicographic",
    priorities: [{ factor: "quality", tolerance: 0.1 }, { factor: "cost" }],
  }
  for (const { name, run } of selectorContract(selector, {
    options: { weights: { quality: 0.4, cost: 0.6 }, slo: { max_inflight: 50 }, on_no_candidates: "first" },
    invalidOptions: [
      { objective: { strategy: "lexicographic" } },
      { objective: { priorities: [{ factor: "cost" }] } },
      { objective: lexicographic, weights: { cost: 1 } },
      { objective: { strategy: "lexicographic", priorities: [{ factor: "cost" }, { factor: "cost" }] } },
      { quality: { index: "b", on_missing: "disable_quality", min_score: 1 } },
    ],
  }))
    test(name, run)
  for (const { name, run } of selectorContract(selector, { options: { objective: lexicographic } }))
    test(`by priority: ${name}`, run)
})

interface Model {
  readonly quality?: number | null
  readonly price?: number | null
  readonly completion?: number
  readonly inFlight?: number
  readonly perTokenMs?: readonly number[]
  readonly firstByteMs?: readonly number[]
}

async function choose(options: Readonly<Record<string, unknown>>, models: readonly Model[], text = "x") {
  const candidates = models.map(({ quality, price, completion = 0 }, index): Candidate => ({
    model: `m${index}`,
    score: 1,
    pricing:
      price == null
        ? undefined
        : { currency: "USD", promptPer1m: price, completionPer1m: completion, cachedInputPer1m: price },
    card: quality == null ? undefined : { quality_score: quality, benchmark_scores: { b: quality } },
  }))
  const figures = (model: string): ModelFigures => ({
    inFlight: 0,
    firstByteMs: [],
    perTokenMs: [],
    ...(models[Number(model.slice(1))] as object),
  })
  const reader = await selectorReaderOf(selector, { options, figures }, candidates)
  return reader.select({ ...signalInput(text), request: chatRequest([textTurn("user", text)]) })
}

const three: readonly Model[] = [
  { quality: 0.9, price: 10, inFlight: 4, perTokenMs: [30, 30, 30] },
  { quality: 0.7, price: 2, inFlight: 2, perTokenMs: [10, 10, 10] },
  { quality: 0.5, price: 0, inFlight: 0, perTokenMs: [20, 20, 20] },
]

test("each factor is put on a scale from 0 to 1 and weighed", async () => {
  // quality 1, 0.5, 0; latency 0, 1, 0.5; cost 0, 0.8, 1; load 0, 0.5, 1. Equal weights: 0.25, 0.7, 0.625.
  expect(await choose({}, three)).toEqual({
    candidate: 1,
    confidence: expect.closeTo((0.7 - 0.625) / 0.7 + 0.5, 12),
    reason: "the best weighted score (0.7), of 3 candidates",
    scores: [0.25, 0.7, 0.625].map((score) => expect.closeTo(score, 12)),
  })
  // 6 : 2 are 0.75 and 0.25: 0.75, 0.75 · 0.5 + 0.25 · 0.8 = 0.575, 0.25.
  expect(await choose({ weights: { quality: 6, cost: 2 } }, three)).toMatchObject({
    candidate: 0,
    confidence: expect.closeTo((0.75 - 0.575) / 0.75 + 0.5, 12),
  })
  // All zero counts as no weights.
  expect(await choose({ weights: { quality: 0, cost: 0 } }, three)).toMatchObject({ candidate: 1 })
})

test("what is not known counts 0, what nobody has counts for nobody, equals count a half", async () => {
  // quality of the first alone: 0.5 for it; cost unknown to all.
  expect(await choose({ weights: { quality: 1, cost: 1 } }, [{}, { quality: 0.2 }])).toMatchObject({
    candidate: 1,
    confidence: 1,
  })
  expect(await choose({ weights: { cost: 1 } }, [{}, {}])).toMatchObject({ candidate: 0, confidence: 0.5 })
})

test("limits exclude before anything is weighed; what is not known exceeds none", async () => {
  const slo = { max_tpot_ms: 25, max_cost_per_1m: 1, max_inflight: 0, max_ttft_ms: 100 }
  expect(await choose({ slo, weights: { quality: 1 } }, three)).toMatchObject({
    candidate: 2,
    confidence: 1,
    scores: [0, 0, 0.5],
    excluded: [0, 1],
  })
  expect(await choose({ slo, weights: { quality: 1 } }, [...three, { quality: 0.6 }])).toMatchObject({ candidate: 3 })
  expect(await choose({ slo: { max_inflight: 3 }, weights: { quality: 1 } }, three)).toMatchObject({ candidate: 1 })
})

test("where every candidate is excluded the document says what follows", async () => {
  const slo = { max_cost_per_1m: 0.5 }
  const dear = [{ price: 3 }, { price: 2 }, { price: 4 }]
  expect(await choose({ slo }, dear)).toEqual({
    candidate: 1,
    confidence: 0,
    reason: "every candidate is excluded, so the cheapest",
  })
  expect(await choose({ slo, on_no_candidates: "first" }, dear)).toMatchObject({ candidate: 0 })
  const refused = await choose({ slo, on_no_candidates: "fail" }, dear).catch((error: unknown) => error)
  expect(isRtrError(refused) && refused.code).toBe("no_model_selected")
})

test("by priority, each factor keeps what is near its best", async () => {
  const priorities = [{ factor: "quality", tolerance: 0.25 }, { factor: "cost" }]
  // 0.9 less a quarter is 0.675: the first two; the cheaper of them.
  expect(await choose({ objective: { strategy: "lexicographic", priorities } }, three)).toEqual({
    candidate: 1,
    // The second has fallen at stage 1 of 3.
    confidence: 1,
    reason: "the best by priority, at last by cost, of 3 candidates",
  })
  const exact = [{ factor: "quality" }, { factor: "cost" }]
  expect(await choose({ objective: { strategy: "lexicographic", priorities: exact } }, three)).toMatchObject({
    candidate: 0,
  })
  expect(
    await choose({ objective: { strategy: "lexicographic", priorities: [{ factor: "latency" }] } }, [{}, {}]),
  ).toEqual({
    candidate: 0,
    confidence: 0.5,
    reason: "the first of equals by priority, of 2 candidates",
  })
})

test("a benchmark that a model has no result in excludes it or the quality of all", async () => {
  const models = [{ quality: 0.4, price: 5 }, { price: 1 }, { quality: 0.6, price: 9 }]
  const weights = { quality: 1, cost: 1 }
  expect(await choose({ weights, quality: { index: "b" } }, models)).toMatchObject({ candidate: 0 })
  expect(await choose({ weights, quality: { index: "b", on_missing: "disable_quality" } }, models)).toMatchObject({
    candidate: 1,
  })
  for (const least of [0.5, 50])
    expect(await choose({ weights, quality: { index: "b", min_score: least } }, models)).toMatchObject({ candidate: 2 })
  // Another scale, such as Elo: 1200 is reached by the dearer one only.
  const rated = [
    { quality: 1100, price: 1 },
    { quality: 1300, price: 9 },
  ]
  expect(await choose({ quality: { index: "b", min_score: 1200 } }, rated)).toMatchObject({ candidate: 1 })
  expect(await choose({ quality: { index: "b", min_score: 60 } }, rated)).toMatchObject({ candidate: 0 })
  expect(await choose({ weights, quality: { index: "other" }, on_no_candidates: "first" }, models)).toMatchObject({
    reason: "every candidate is excluded, so the first",
  })
})

test("whole requests are priced where the length of replies is expected", async () => {
  // 400 characters are 100 tokens: 100 · 4 + 50 · 1 = 450 and 100 · 1 + 50 · 8 = 500.
  const models = [
    { price: 4, completion: 1 },
    { price: 1, completion: 8 },
  ]
  const text = "word".repeat(100)
  expect(await choose({ weights: { cost: 1 } }, models, text)).toMatchObject({ candidate: 1 })
  expect(await choose({ weights: { cost: 1 }, expected_output_tokens: 50 }, models, text)).toMatchObject({
    candidate: 0,
  })
  // Per token: 450 / 150 = 3.
  const slo = { max_cost_per_1m: 2.9 }
  expect(await choose({ expected_output_tokens: 50, slo }, models, text)).toMatchObject({ confidence: 0 })
})

test("the metric of latency is the one that the document names", async () => {
  const models = [
    { perTokenMs: [10, 10, 10], firstByteMs: [90, 90, 90] },
    { perTokenMs: [20, 20, 20], firstByteMs: [50, 50, 50] },
  ]
  for (const [metric, candidate] of [
    [undefined, 0],
    ["tpot", 0],
    ["ttft", 1],
  ] as const)
    expect(
      await choose({ weights: { latency: 1 }, ...(metric !== undefined && { latency_metric: metric }) }, models),
    ).toMatchObject({ candidate })
})

test("a thousand random choices are those of the reference", async () => {
  type Input = { readonly options: Readonly<Record<string, unknown>>; readonly models: readonly Model[] }
  type Expected = { readonly candidate: number; readonly confidence: number } | { readonly refused: true }
  for (const { input, expected } of referenceCases<Input, Expected>("multi_factor")) {
    const confidence: unknown = expect.closeTo("refused" in expected ? 0 : expected.confidence, 9)
    const found = await choose(input.options, input.models).catch((error: { readonly code: string }) => error)
    expect(found, JSON.stringify(input)).toMatchObject(
      "refused" in expected ? { code: "no_model_selected" } : { candidate: expected.candidate, confidence },
    )
  }
})
