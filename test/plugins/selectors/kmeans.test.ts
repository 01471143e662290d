import { selectorContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { readClusters } from "../../../ts/plugins/_shared/selection/clusters.ts"
import selector from "../../../ts/plugins/selectors/kmeans.ts"
import { referenceCases } from "./reference/cases.ts"
import { mathFeatures, trainedCases, trainedContract } from "./reference/trained-cases.ts"

const artefact = {
  algorithm: "kmeans",
  trained: true,
  centroids: [mathFeatures(1), mathFeatures(-1)],
  cluster_models: ["b", "other"],
}

trainedCases("kmeans", selector, artefact)

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, trainedContract("kmeans", artefact))) test(name, run)
})

test("the nearest centre has the model, the first of equally near ones", () => {
  const choose = readClusters({
    centroids: [
      [0, 0],
      [4, 0],
    ],
    cluster_models: ["a", "b"],
  })
  // Squares: 1.9² + 1 to 2.1² + 1; 2.1² to 1.9²; equal.
  expect([choose(Float64Array.of(1.9, 1)), choose(Float64Array.of(2.1, 0)), choose(Float64Array.of(2, 7))]).toEqual([
    "a",
    "b",
    "a",
  ])
})

test("a thousand random choices are those of the reference", () => {
  type Input = { readonly artefact: Readonly<Record<string, unknown>>; readonly features: readonly number[] }
  for (const { input, expected } of referenceCases<Input, string>("kmeans"))
    expect(readClusters(input.artefact)(Float64Array.from(input.features)), JSON.stringify(input)).toBe(expected)
})
