import { expect, test } from "vitest"
import type { ConfigDocument } from "../../../../ts/kernel/config/document-schema.ts"
import { callableModels, cardOf, type ModelCard } from "../../../../ts/kernel/config/sections/model-cards.ts"

const documentOf = (modelCards: readonly ModelCard[]): ConfigDocument =>
  ({ version: "v0.3", routing: { modelCards } }) as never

test("the card of a model is the first one with its name", () => {
  const document = documentOf([
    { name: "a", family: "first" },
    { name: "a", family: "second" },
  ])
  expect(cardOf(document, "a")).toMatchObject({ family: "first" })
  expect(cardOf(document, "b")).toBeUndefined()
  expect(cardOf({ version: "v0.3" }, "a")).toBeUndefined()
})

test("the cards are not read again for each model", () => {
  let reads = 0
  const cards = Array.from({ length: 50 }, (_, index) => ({
    get name() {
      reads += 1
      return `model-${index}`
    },
  }))
  callableModels(documentOf(cards))
  expect(reads).toBeLessThan(3 * cards.length)
})
