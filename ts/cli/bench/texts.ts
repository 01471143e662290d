// Texts of a chosen number of tokens, whatever the tokenizer: the worker itself says how many tokens a word is.

export interface TextMaker {
  /** Tokens of the shortest text, with what a request has besides it: no text has fewer. */
  readonly leastTokens: number
  /** A text of so many tokens, special ones included, or the nearest below; no text is made twice. */
  ofTokens(count: number): string
}

/** Short and common, so that most vocabularies have them as one token. */
const candidates =
  "air all and art back bank base best blue book boy call car case city cold come cost cup day door down eye face " +
  "fact fall fire fish five food form free full game girl give good half hand head hear high home hour idea kind " +
  "land last late lead left life line list long love make mind moon name near need new next night north one open " +
  "page part past plan play rain red rest rich road rock room rule sea seed side sky snow song star step sun team " +
  "tell test time town tree true turn wall warm water way week west wind wine word work year"

/** `countTokens` reads texts as the measured requests will. */
export async function createTextMaker(countTokens: (text: string) => Promise<number>): Promise<TextMaker> {
  const start = "the"
  const base = await countTokens(start)
  const words = await Promise.all(
    candidates.split(" ").map(async (word) => ({ word, tokens: (await countTokens(`${start} ${word}`)) - base })),
  )
  const fewest = Math.max(1, Math.min(...words.map(({ tokens }) => tokens)))
  const usable = words.filter(({ tokens }) => tokens === fewest).map(({ word }) => word)
  // Result caches are off, and what is asked at the same moment must not be equal either.
  const random = (): string => usable[Math.floor(Math.random() * usable.length)] ?? start
  return {
    leastTokens: base,
    ofTokens: (count) => [start, ...Array.from({ length: Math.floor((count - base) / fewest) }, random)].join(" "),
  }
}
