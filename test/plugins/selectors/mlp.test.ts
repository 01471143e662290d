import { selectorContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { readNetwork } from "../../../ts/plugins/_shared/selection/network.ts"
import selector from "../../../ts/plugins/selectors/mlp.ts"
import { referenceCases } from "./reference/cases.ts"
import { mathFeatures, trainedCases, trainedContract } from "./reference/trained-cases.ts"

const network = { algorithm: "mlp", trained: true, model_names: ["b", "other"], feature_dim: 15 }

const artefact = {
  ...network,
  layers: [{ type: "linear", weight: [mathFeatures(1), mathFeatures(-1)], bias: [0, 0] }],
}

trainedCases("mlp", selector, artefact)

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, trainedContract("mlp", artefact))) test(name, run)
})

test("layers compute one after the other, and the highest output wins", () => {
  const layers = [
    // 2x - 1 and -x; after the batch norm (2x - 1 - 1) / 2 · 3 + 1 and -x; without what is below 0.
    { type: "linear", weight: [[2], [-1]], bias: [-1, 0] },
    { type: "batch_norm", weight: [3, 1], bias: [1, 0], running_mean: [1, 0], running_var: [4, 1], eps: 0 },
    { type: "relu" },
    { type: "dropout" },
    {
      type: "linear",
      weight: [
        [1, 0],
        [0, 1],
      ],
    },
  ]
  const choose = readNetwork({ ...network, feature_dim: 1, layers })
  // x = 1: 1 and 0. x = -1: 0 and 1. x = 1/3: 3 · (-4/3) / 2 + 1 = -1 and -1/3, both 0: the last of equals.
  expect([1, -1, 1 / 3].map((value) => choose(Float64Array.of(value)))).toEqual(["b", "other", "other"])
})

test("layers that do not fit together are refused", () => {
  const linear = { type: "linear", weight: [[1], [2]], bias: [0, 0] }
  for (const layers of [
    [],
    [{ type: "sigmoid" }, linear],
    [
      {
        ...linear,
        weight: [
          [1, 2],
          [3, 4],
        ],
      },
    ],
    [{ ...linear, bias: [1] }],
    [linear, linear],
    [{ type: "batch_norm", weight: [1, 2] }, linear],
  ])
    expect(() => readNetwork({ ...network, feature_dim: 1, layers }), JSON.stringify(layers)).toThrow(TypeError)
})

test("a thousand random choices are those of the reference", () => {
  type Input = { readonly artefact: Readonly<Record<string, unknown>>; readonly features: readonly number[] }
  let compared = 0
  for (const { input, expected } of referenceCases<Input, { name: string; near: boolean }>("mlp")) {
    if (expected.near) continue
    compared += 1
    expect(readNetwork(input.artefact)(Float64Array.from(input.features)), JSON.stringify(input)).toBe(expected.name)
  }
  expect(compared).toBeGreaterThan(980)
})
