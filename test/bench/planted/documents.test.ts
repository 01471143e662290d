import { expect, test } from "vitest"
import { createRandom } from "../../../bench/inference/random.ts"
import { createDocuments } from "../../../bench/planted/documents.ts"

test("documents are lines of many files, as many words as asked for, and the same in every run", () => {
  const lines = createDocuments(createRandom(1)).ofWords(20_000)
  const words = lines.join("").match(/\S+/g)?.length ?? 0
  expect(words).toBeGreaterThanOrEqual(20_000)
  expect(words).toBeLessThan(20_200)
  expect(new Set(lines).size).toBeGreaterThan(1000)
  expect(createDocuments(createRandom(1)).ofWords(20_000)).toEqual(lines)
})
