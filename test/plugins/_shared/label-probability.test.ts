import { expect, test } from "vitest"
import { probabilityOf } from "../../../ts/plugins/_shared/label-probability.ts"

const classification = { labels: ["a", "b"], probabilities: Float32Array.from([0.25, 0.75]) }

test("a label has its probability", () => expect(probabilityOf(classification, "b")).toBe(0.75))

test("a label that the model does not have is an error that names those it has", () => {
  expect(() => probabilityOf(classification, "c")).toThrow(
    expect.objectContaining({
      code: "invalid_model_output",
      message: 'Cannot read the classifier\'s answer: it has no label "c", only a, b',
    }),
  )
})

test("a probability that is no number is an error", () => {
  const given = { labels: ["a", "b"], probabilities: Float32Array.from([0.5, Number.NaN]) }
  expect(probabilityOf(given, "a")).toBe(0.5)
  expect(() => probabilityOf(given, "b")).toThrow(expect.objectContaining({ code: "invalid_model_output" }))
})

test("a label without a probability is an error", () => {
  expect(() => probabilityOf({ labels: ["a", "b"], probabilities: Float32Array.from([1]) }, "b")).toThrow("no label")
})
