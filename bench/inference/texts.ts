// Texts of an exact number of tokens, never the same twice, so that no cache can answer.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createRandom } from "./random.ts"

export interface TextMaker {
  /** A text that the package's tokenizer reads as this many tokens, the two special ones included. */
  ofTokens(count: number): string
}

/** [CLS] and [SEP]. */
const specialTokens = 2

/** Uses only words that are one token each in the package's vocabulary. The same seed gives the same texts. */
export function createTextMaker(packageFolder: string, seed: number): TextMaker {
  const { model } = JSON.parse(readFileSync(join(packageFolder, "tokenizer.json"), "utf8")) as {
    model: { vocab: Readonly<Record<string, number>> }
  }
  const words = Object.keys(model.vocab)
    .filter((word) => /^[a-z]{3,9}$/.test(word))
    .toSorted()
  const random = createRandom(seed)
  return {
    ofTokens: (count) =>
      Array.from({ length: count - specialTokens }, () => words[Math.floor(random() * words.length)]).join(" "),
  }
}

const shortest = 8
const longest = 256

/** 32 lengths from 8 to 256 tokens, as many short as long by the logarithm, in mixed order. */
export const mixedLengths: readonly number[] = Array.from({ length: 32 }, (_, index) =>
  Math.round(shortest * (longest / shortest) ** (((index * 13) % 32) / 31)),
)
