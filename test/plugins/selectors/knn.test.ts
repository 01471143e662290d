import { selectorContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { readNeighbours } from "../../../ts/plugins/_shared/selection/neighbours.ts"
import selector from "../../../ts/plugins/selectors/knn.ts"
import { referenceCases } from "./reference/cases.ts"
import { mathFeatures, trainedCases, trainedContract } from "./reference/trained-cases.ts"

const artefact = {
  algorithm: "knn",
  trained: true,
  k: 1,
  embeddings: [mathFeatures(1), mathFeatures(-1)],
  labels: ["b", "other"],
}

trainedCases("knn", selector, artefact)

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, trainedContract("knn", artefact))) test(name, run)
})

test("the nearest texts vote with nine tenths of their quality and one of their speed", () => {
  const known = {
    embeddings: [
      [1, 0],
      [1, 0.1],
      [0, 1],
    ],
    labels: ["good", "fast", "good"],
    qualities: [0.8, 0.75, 1],
    // 10 s halves the speed: 0.72 + 0.05 = 0.77, and 0.675 + 0.1 = 0.775.
    latencies: [10_000_000_000, 0, 0],
  }
  const nearest = (k: number, features: readonly number[]): string =>
    readNeighbours({ ...known, k })(Float64Array.from(features))
  expect([nearest(1, [5, 0]), nearest(2, [5, 0]), nearest(3, [5, 0]), nearest(1, [0, 9])]).toEqual([
    "good",
    "fast",
    "good",
    "good",
  ])
  // Of equal votes the first name wins.
  expect(readNeighbours({ k: 2, embeddings: [[1], [1]], labels: ["b", "a"] })(Float64Array.of(1))).toBe("a")
})

test("a thousand random choices are those of the reference", () => {
  type Input = { readonly artefact: Readonly<Record<string, unknown>>; readonly features: readonly number[] }
  for (const { input, expected } of referenceCases<Input, string>("knn"))
    expect(readNeighbours(input.artefact)(Float64Array.from(input.features)), JSON.stringify(input)).toBe(expected)
})
