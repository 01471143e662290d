import type { Candidate, ModelFigures } from "rtr"
import { selectorContract, selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/latency-aware.ts"
import { referenceCases } from "./reference/cases.ts"

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, {
    options: { tpot_percentile: 90, ttft_percentile: 95, description: "the fastest" },
    invalidOptions: [{}, { description: "x" }, { tpot_percentile: 0 }],
  }))
    test(name, run)
})

interface Times {
  readonly perTokenMs: readonly number[]
  readonly firstByteMs: readonly number[]
}

async function choose(options: Readonly<Record<string, unknown>>, times: readonly Times[]) {
  const candidates = times.map((_, index): Candidate => ({
    model: `m${index}`,
    score: 1,
    pricing: undefined,
    card: undefined,
  }))
  const figures = (model: string): ModelFigures => ({ inFlight: 0, ...(times[Number(model.slice(1))] as Times) })
  return (await selectorReaderOf(selector, { options, figures }, candidates)).select(signalInput("x"))
}

const times = (perTokenMs: readonly number[], firstByteMs: readonly number[] = []): Times => ({
  perTokenMs,
  firstByteMs,
})

test("the lowest mean of value by least value wins, and the distance to the second is the confidence", async () => {
  // tpot 10 and 20, ttft 300 and 100: (10/10 + 300/100) / 2 = 2 and (20/10 + 100/100) / 2 = 1.5; (2 - 1.5) / 2 = 0.25.
  const both = [times([10, 10, 10], [300, 300, 300]), times([20, 20, 20], [100, 100, 100])]
  expect(await choose({ tpot_percentile: 50, ttft_percentile: 50 }, both)).toEqual({
    candidate: 1,
    confidence: 0.25,
    reason: "1.5 times the fastest on average of 2 metrics",
  })
  expect(await choose({ tpot_percentile: 50, ttft_percentile: 0 }, both)).toMatchObject({
    candidate: 0,
    confidence: 0.5,
  })
})

test("a percentile is the observation of that rank", async () => {
  // The 75th of four is the third: 30 and 10. The 100th: 40 and 90.
  const two = [times([10, 40, 20, 30]), times([10, 10, 90, 10])]
  expect(await choose({ tpot_percentile: 75 }, two)).toMatchObject({ candidate: 1, confidence: (3 - 1) / 3 })
  expect(await choose({ tpot_percentile: 100 }, two)).toMatchObject({ candidate: 0, confidence: (2.25 - 1) / 2.25 })
})

test("a candidate with fewer than three observations is left out; with none left the first is taken", async () => {
  const three = [times([1, 1]), times([50, 50, 50]), times([60, 60, 60], [5])]
  expect(await choose({ tpot_percentile: 90 }, three)).toMatchObject({ candidate: 1 })
  expect(await choose({ tpot_percentile: 90 }, three.slice(0, 2))).toMatchObject({ candidate: 1, confidence: 1 })
  expect(await choose({ ttft_percentile: 90 }, three)).toEqual({
    candidate: 0,
    confidence: 0,
    reason: "no candidate has enough observations, so the first",
  })
})

test("a thousand random choices are those of the reference", async () => {
  type Input = { readonly options: Readonly<Record<string, number>>; readonly figures: readonly Times[] }
  for (const { input, expected } of referenceCases<Input, object>("latency_aware")) {
    const { candidate, confidence } = await choose(input.options, input.figures)
    expect({ candidate, confidence }, JSON.stringify(input)).toEqual(nearly(expected))
  }
})

const nearly = (expected: object): object =>
  Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [
      key,
      key === "confidence" ? expect.closeTo(value as number, 9) : value,
    ]),
  )
