import { type Candidate, RtrError } from "rtr"
import { selectorContract, selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/router-dc.ts"
import { descriptionScores } from "../../../ts/plugins/_shared/selection/router-dc-scores.ts"
import { referenceCases } from "./reference/cases.ts"

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, {
    options: { temperature: 0.2, min_similarity: 0.7, dimension_size: 384 },
    settings: { router_dc: { use_capabilities: false } },
  }))
    test(name, run)
})

type Vectors = Readonly<Record<string, readonly number[]>>

async function choose(
  options: Readonly<Record<string, unknown>>,
  cards: readonly (object | undefined)[],
  vectors: Vectors,
) {
  const candidates = cards.map((card, index): Candidate => ({
    model: `m${index}`,
    score: 1,
    pricing: undefined,
    card: card as never,
  }))
  const embed = (text: string): readonly number[] => {
    const vector = vectors[text]
    if (vector === undefined) throw new Error(`No vector of "${text}"`)
    return vector
  }
  const reader = await selectorReaderOf(selector, { options, inference: { embed } }, candidates)
  return reader.select(signalInput("asked"))
}

const cards = [{ description: "Code." }, { description: "Law", capabilities: ["long", "tools"] }]

test("the description whose vector is nearest to the text wins", async () => {
  // Cosines 0 and 0.6: sigmoid(0 / 1) = 0.5, sigmoid(0.6 / 1) = 0.6457.
  const vectors = { asked: [1, 0], Code: [0, 1], "Law. Capabilities: long, tools": [0.6, 0.8] }
  expect(await choose({ temperature: 1 }, cards, vectors)).toEqual({
    candidate: 1,
    confidence: expect.closeTo(0.6457, 4),
    reason: "its description is most like the text (0.646)",
    scores: [0.5, expect.closeTo(0.6457, 4)],
  })
  // 0.6 / 0.07 makes 0.9998, and more than 0.9 counts as 0.95.
  expect(await choose({}, cards, vectors)).toMatchObject({ candidate: 1, confidence: 0.95 })
  expect(await choose({ temperature: 1, min_similarity: 0.65 }, cards, vectors)).toEqual({
    candidate: 0,
    confidence: expect.closeTo(0.6457, 4),
    reason: "no description reaches 0.65, so the first",
  })
})

test("capabilities are left out on demand; a model without a description has the least score that will do", async () => {
  const vectors = { asked: [1, 0], Code: [-1, 0], Law: [0, 1] }
  expect(await choose({ temperature: 1, use_capabilities: false }, cards, vectors)).toMatchObject({
    candidate: 1,
    confidence: 0.5,
  })
  // sigmoid(-1) = 0.27 is below 0.3.
  expect(await choose({ temperature: 1 }, [cards[0], undefined], vectors)).toMatchObject({
    candidate: 1,
    confidence: 0.3,
  })
})

test("shares are a softmax of the likeness by the temperature", () => {
  // sigmoid(0) = 0.5 and sigmoid(0.6) = 0.6457: e^0.1457 = 1.1568 to 1.
  const { shares } = descriptionScores([0, 0.6], { temperature: 1, minSimilarity: 0.3 })
  expect(shares).toEqual([expect.closeTo(1 / 2.1568, 4), expect.closeTo(1.1568 / 2.1568, 4)])
})

test("required descriptions are checked with the document, and keys that nothing reads are warned of", () => {
  const reported: unknown[] = []
  selector.check?.(
    { require_descriptions: true, use_query_contrastive: true },
    (path, message, severity) => reported.push([path.join("."), message, severity]),
    {
      document: { routing: { modelCards: [{ name: "a", description: "x" }, { name: "b" }] } },
      modelRefs: [{ model: "a" }, { model: "b" }, { model: "b", lora_name: "l" }],
    },
  )
  expect(reported).toEqual([
    ["use_query_contrastive", "has no effect: router_dc does not read it", "warning"],
    ["require_descriptions", 'is set, and the card of model "b" has no description', undefined],
  ])
})

test("a model that does not answer is the kernel's to deal with", async () => {
  const failing = { inference: { failWith: new RtrError("unavailable", "down") } }
  await expect(selectorReaderOf(selector, failing)).rejects.toMatchObject({ code: "unavailable" })
})

test("a thousand random choices are those of the reference", async () => {
  type Input = {
    readonly options: Readonly<Record<string, unknown>>
    readonly asked: readonly number[]
    readonly described: readonly (readonly number[] | null)[]
  }
  type Expected = { readonly candidate: number; readonly confidence: number }
  for (const { input, expected } of referenceCases<Input, Expected>("router_dc")) {
    const { options, asked, described } = input
    const named = described.map((vector, index) => (vector === null ? undefined : { description: `d${index}` }))
    const vectors = Object.fromEntries(described.flatMap((vector, index) => (vector ? [[`d${index}`, vector]] : [])))
    expect(await choose(options, named, { asked, ...vectors }), JSON.stringify(input)).toMatchObject({
      candidate: expected.candidate,
      // Vectors are float32.
      confidence: expect.closeTo(expected.confidence, 4),
    })
  }
})
