import type { Candidate } from "rtr"
import { selectorContract, selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/static.ts"

describe("contract", () => {
  for (const { name, run } of selectorContract(selector)) test(name, run)
})

const candidates = (...scores: readonly number[]): readonly Candidate[] =>
  scores.map((score, index) => ({ model: `m${index}`, score, pricing: undefined, card: undefined }))
const choose = async (...scores: readonly number[]) =>
  (await selectorReaderOf(selector, {}, candidates(...scores))).select(signalInput("x"))

test.each([
  ["the first without scores", [1, 1, 1], 0, "the first candidate"],
  ["the highest score", [0.2, 0.9, 0.5], 1, "the highest score (0.9)"],
  ["the first of equal scores", [0.5, 0.9, 0.9], 1, "the highest score (0.9)"],
  ["the first when the best is exactly 1, which says nothing", [0.2, 0.5, 1], 0, "the first candidate"],
  ["a score above 1", [1, 1, 1.5], 2, "the highest score (1.5)"],
  ["a negative score that is the highest", [-2, -1], 1, "the highest score (-1)"],
])("%s is taken", async (_, scores, candidate, reason) => {
  expect(await choose(...scores)).toEqual({ candidate, confidence: 1, reason })
})

test("the choice does not depend on the text", async () => {
  const { select } = await selectorReaderOf(selector, {}, candidates(0.1, 0.2))
  expect([await select(signalInput("a")), await select(signalInput("b"))].map(({ candidate }) => candidate)).toEqual([
    1, 1,
  ])
})
