import { expect, test } from "vitest"
import { createTextMaker } from "../../../ts/cli/bench/texts.ts"

/** Two special tokens, and one for every word that `tokensOf` does not say more about. */
const tokenizer =
  (tokensOf: (word: string) => number) =>
  async (text: string): Promise<number> =>
    text.split(" ").reduce((sum, word) => sum + tokensOf(word), 2)

test("texts have exactly the tokens that were asked for, and are not equal", async () => {
  const count = tokenizer(() => 1)
  const { ofTokens } = await createTextMaker(count)
  const texts = Array.from({ length: 50 }, () => ofTokens(16))
  expect(await Promise.all(texts.map(count))).toEqual(texts.map(() => 16))
  expect(new Set(texts).size).toBe(50)
})

test("words of several tokens are left out", async () => {
  const count = tokenizer((word) => (word.length > 3 ? 2 : 1))
  const { ofTokens } = await createTextMaker(count)
  expect(await count(ofTokens(100))).toBe(100)
  expect(ofTokens(100)).not.toMatch(/\w{4}/)
})

test("where every word has several tokens, a text is the nearest below", async () => {
  const count = tokenizer(() => 3)
  const { ofTokens } = await createTextMaker(count)
  expect(await count(ofTokens(16))).toBe(14)
})

test("the shortest text is one word", async () => {
  const { ofTokens, leastTokens } = await createTextMaker(tokenizer(() => 1))
  expect(ofTokens(1)).toBe("the")
  expect(leastTokens).toBe(3)
})
