import { selectorContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { readMachine } from "../../../ts/plugins/_shared/selection/support-vectors.ts"
import selector from "../../../ts/plugins/selectors/svm.ts"
import { referenceCases } from "./reference/cases.ts"
import { mathFeatures, trainedCases, trainedContract } from "./reference/trained-cases.ts"

const machine = { algorithm: "svm", trained: true, gamma: 1, kernel_type: "Linear", model_names: ["b", "other"] }

const artefact = {
  ...machine,
  linear_classifiers: [
    { model_name: "b", weights: mathFeatures(1), rho: 0 },
    { model_name: "other", weights: mathFeatures(-1), rho: 0 },
  ],
}

trainedCases("svm", selector, artefact)

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, trainedContract("svm", artefact))) test(name, run)
})

test("pairs vote over the likeness to their support vectors", () => {
  const two = {
    ...machine,
    svc: { support_vectors: [[1], [3]], n_support: [1, 1], dual_coef: [[-1, 1]], intercept: [-2] },
  }
  // -1 · x + 3 · x - 2 = 2x - 2: below 0 is the first of two.
  const choose = readMachine(two)
  expect([choose(Float64Array.of(0.9)), choose(Float64Array.of(1.1))]).toEqual(["b", "other"])
  // e^-(x-1)² less e^-(x-3)²: nearer to 1 below 2.
  const radial = readMachine({
    ...two,
    kernel_type: "Rbf",
    svc: { support_vectors: [[1], [3]], n_support: [1, 1], dual_coef: [[-1, 1]], intercept: [0] },
  })
  expect([radial(Float64Array.of(1.9)), radial(Float64Array.of(2.1))]).toEqual(["b", "other"])
})

test("parameters at the top are those of older exports", () => {
  const old = { ...machine, support_vectors: [[1], [3]], n_support: [1, 1], dual_coef: [[-1, 1]], intercept: [-2] }
  expect(readMachine(old)(Float64Array.of(9))).toBe("other")
})

test("parts that do not fit together are refused", () => {
  const svc = { support_vectors: [[1], [3]], n_support: [1, 1], dual_coef: [[-1, 1]], intercept: [0] }
  for (const wrong of [
    { kernel_type: "Poly" },
    { gamma: 0 },
    { model_names: [] },
    { svc: { ...svc, n_support: [1, 2] } },
    { svc: { ...svc, dual_coef: [[1]] } },
    { svc: { ...svc, intercept: [] } },
    { svc: { ...svc, support_vectors: [[1], [3, 4]] } },
    { linear_classifiers: [{ model_name: "nobody", weights: [1], rho: 0 }] },
  ])
    expect(() => readMachine({ ...machine, ...wrong }), JSON.stringify(wrong)).toThrow(TypeError)
})

test("a thousand random choices are those of the reference", () => {
  type Input = { readonly artefact: Readonly<Record<string, unknown>>; readonly features: readonly number[] }
  for (const { input, expected } of referenceCases<Input, string>("svm"))
    expect(readMachine(input.artefact)(Float64Array.from(input.features)), JSON.stringify(input)).toBe(expected)
})
