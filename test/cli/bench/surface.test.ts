import { describe, expect, test } from "vitest"
import { chooseSurface } from "../../../ts/cli/bench/surface.ts"
import type { ModelCard } from "../../../ts/cli/bench/worker-process.ts"

const card = (changes: Partial<ModelCard>): ModelCard => ({
  id: "m",
  family: "f",
  surfaces: [],
  question_types: [],
  heads: [],
  limits: { truncate_tokens: 128 },
  profile: "exact",
  engine: "onnxruntime",
  device: "cpu",
  ...changes,
})

describe("chooseSurface", () => {
  test("asks for vectors where a model has both vectors and heads", () => {
    const surface = chooseSurface(card({ surfaces: ["classify", "embeddings", "bundle"] }))
    expect([surface.path, surface.body("t")]).toEqual(["/v1/embeddings", { input: "t", encoding_format: "base64" }])
    expect(surface.tokens({ usage: { prompt_tokens: 7, total_tokens: 7 } })).toBe(7)
  })

  test.each([
    [["text", "pair"], "t"],
    [["pair"], [{ text: "t", text_pair: "yes" }]],
    [["grounded"], [{ context: "t", question: "yes", answer: "no" }]],
  ])("gives a head that reads %j what it reads", (inputs, input) => {
    const surface = chooseSurface(card({ surfaces: ["classify"], heads: [{ name: "h", inputs }] }))
    expect(surface.body("t")).toEqual({ head: "h", input, options: { overflow: "truncate" } })
    expect(surface.tokens({ usage: { input_tokens: 5 } })).toBe(5)
  })

  test("asks a question of a type that the model answers", () => {
    const typeFor = (...types: readonly string[]): unknown => {
      const body = chooseSurface(card({ surfaces: ["decisions"], question_types: types })).body("t")
      return (body as { questions: { it: { type: string } } }).questions.it.type
    }
    expect([typeFor("choice", "noul"), typeFor("choice")]).toEqual(["noul", "choice"])
  })

  test("refuses a model that serves no texts", () => {
    expect(() => chooseSurface(card({ surfaces: ["bundle"] }))).toThrow(/Cannot measure the model: it serves bundle/)
  })
})
