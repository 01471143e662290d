import type { Fact } from "rtr"
import { createFakeInference, createFakeQuestions, signalContract, signalInput } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/modality.ts"

const labels = ["AR", "DIFFUSION", "BOTH"]
const rules = labels.map((name) => ({ name }))
const keywords = { keywords: ["draw", "Picture of"], both_keywords: ["explain"] }

interface Read {
  readonly facts: readonly Fact[]
  readonly asked: number
}

async function read(probabilities: readonly number[], settings = {}, text = "draw a cat"): Promise<Read> {
  const inference = createFakeInference({ labels, classify: () => probabilities })
  const reader = await signal.setup(rules, { settings })
  const facts = await reader.read(signalInput(text), createFakeQuestions(inference))
  return { facts, asked: inference.calls.length }
}
/** The rules that match, with their confidence. */
async function verdict(...given: Parameters<typeof read>): Promise<Readonly<Record<string, number>>> {
  const { facts } = await read(...given)
  return Object.fromEntries(
    facts.flatMap(({ rule, state, confidence }) => (state === "match" ? [[rule, Number(confidence.toFixed(3))]] : [])),
  )
}

describe("contract", () => {
  const invalidRules = [{ name: "ar" }, { name: "image" }]
  for (const { name, run } of signalContract(signal, { rules, invalidRules, inference: { labels } })) test(name, run)
})

describe("contract of the hybrid method", () => {
  const settings = { method: "hybrid", ...keywords }
  for (const { name, run } of signalContract(signal, { rules, settings, inference: { labels } })) test(name, run)
})

describe("the classifier", () => {
  test("matches its likeliest word, with its probability", async () => {
    expect((await read([0.125, 0.75, 0.125])).facts).toEqual([
      { rule: "AR", state: "no_match", confidence: 0, value: 0.125 },
      { rule: "DIFFUSION", state: "match", confidence: 0.75, value: 0.75 },
      { rule: "BOTH", state: "no_match", confidence: 0, value: 0.125 },
    ])
  })

  test("matches nothing below the threshold, which is 0 when left out", async () => {
    expect(await verdict([0.3, 0.3, 0.4])).toEqual({ BOTH: 0.4 })
    expect(await verdict([0.3, 0.3, 0.4], { confidence_threshold: 0.5 })).toEqual({})
    expect(await verdict([0, 0.5, 0.5], { confidence_threshold: 0.5 })).toEqual({ DIFFUSION: 0.5 })
  })

  test.each([
    ["classifier", "keywords", keywords],
    ["classifier", "lower_threshold_ratio", { lower_threshold_ratio: 0.5 }],
    ["keyword", "confidence_threshold", { ...keywords, confidence_threshold: 0.5 }],
  ])("of method %s with %s is refused, because that does nothing", async (method, key, more) => {
    await expect(
      Promise.resolve().then(() => signal.setup(rules, { settings: { method, ...more } as never })),
    ).rejects.toThrow(`Cannot detect modality by method "${method}" with ${key}, which it does not use`)
  })

  test("made for something else has no answer", async () => {
    const reader = await signal.setup(rules, { settings: {} })
    const ask = createFakeQuestions(createFakeInference({ labels: ["text", "image"] }))
    await expect(reader.read(signalInput("x"), ask)).rejects.toMatchObject({ code: "invalid_model_output" })
  })
})

describe("a text in another language than the model was measured in", () => {
  const german = "Male mir bitte ein Bild von einer Katze auf dem Dach unseres Hauses"
  const unknown = labels.map((rule) => ({ rule, state: "unknown", confidence: 0, reason: "unsupported_language" }))

  test("is unknown, and no model is asked", async () => {
    expect(await read([0, 1, 0], {}, german)).toEqual({ facts: unknown, asked: 0 })
  })

  test("is asked about where the settings have the language", async () => {
    for (const languages of [["en", "de"], "any"])
      expect(await verdict([0, 1, 0], { languages }, german)).toEqual({ DIFFUSION: 1 })
  })

  test("has the answer of the keywords with hybrid", async () => {
    const settings = { method: "hybrid", keywords: ["bild von"] }
    expect(await verdict([1, 0, 0], settings, german)).toEqual({ DIFFUSION: 0.8 })
  })

  test("is asked about where the document binds a model of its own", async () => {
    const document = { global: { model_catalog: { bindings: { modality_detector: {} } } } }
    const reader = await signal.setup(rules, { settings: {}, document })
    const ask = createFakeQuestions(createFakeInference({ labels, classify: () => [0, 1, 0] }))
    expect(await reader.read(signalInput(german), ask)).toMatchObject([{}, { state: "match" }, {}])
  })
})

describe("keywords", () => {
  const settings = { method: "keyword", ...keywords }

  test.each([
    ["What is a cat?", { AR: 0.8 }],
    ["Explain cats", { AR: 0.8 }],
    ["DRAW a cat", { DIFFUSION: 0.8 }],
    ["a picture OF a cat", { DIFFUSION: 0.8 }],
    ["draw a cat and Explain it", { BOTH: 0.75 }],
  ])("of %j say %j", async (text, expected) => expect(await verdict([], settings, text)).toEqual(expected))

  test("ask no model", async () => {
    expect((await read([], settings)).asked).toBe(0)
    expect(signal.asks?.(rules, settings as never)).toEqual([])
    expect(signal.asks?.(rules, {})).toEqual(["inference.classify"])
  })

  test.each(["keyword", "hybrid"])("are needed by method %s", async (method) => {
    await expect(async () =>
      signal.setup(rules, { settings: { method, both_keywords: ["x"] } as never }),
    ).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: `Cannot detect modality by method "${method}" without keywords; name some under global.model_catalog.modules.modality_detector.keywords`,
      }),
    )
  })
})

describe("hybrid", () => {
  const settings = { method: "hybrid", ...keywords, confidence_threshold: 0.75, lower_threshold_ratio: 0.5 }

  test.each<[string, readonly number[], Readonly<Record<string, number>>]>([
    ["a sure classifier wins", [0.75, 0.25, 0], { AR: 0.75 }],
    ["an unsure one that agrees is averaged with the keywords", [0.25, 0.5, 0.25], { DIFFUSION: 0.65 }],
    ["an unsure one wins from the lower threshold on", [0.375, 0.3125, 0.3125], { AR: 0.375 }],
    ["below it the keywords win", [0.374, 0.313, 0.313], { DIFFUSION: 0.8 }],
  ])("%s", async (_, probabilities, expected) => expect(await verdict(probabilities, settings)).toEqual(expected))

  test("has 0.6 and 0.7 when nothing is said", async () => {
    const plain = { method: "hybrid", ...keywords }
    expect(await verdict([0.61, 0.2, 0.19], plain)).toEqual({ AR: 0.61 })
    expect(await verdict([0.43, 0.3, 0.27], plain)).toEqual({ AR: 0.43 })
    expect(await verdict([0.41, 0.3, 0.29], plain)).toEqual({ DIFFUSION: 0.8 })
  })
})

test.each(["", " "])("nothing to read (%j) asks no model and matches nothing", async (text) => {
  expect(await read([1, 0, 0], {}, text)).toEqual({
    facts: labels.map((rule) => ({ rule, state: "no_match", confidence: 0, value: 0 })),
    asked: 0,
  })
})

test.each([
  [{}, true],
  [{ method: "hybrid", ...keywords, confidence_threshold: 0.5, lower_threshold_ratio: 0.5 }, true],
  [{ method: "magic" }, false],
  [{ keywords: [""] }, false],
  [{ lower_threshold_ratio: 2 }, false],
  [{ prompt_prefixes: ["draw"] }, false],
])("options of all: %j are valid: %s", (options, valid) =>
  expect(Value.Check(signal.settings?.schema as never, options)).toBe(valid),
)
