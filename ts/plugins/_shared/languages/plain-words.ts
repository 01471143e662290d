// The words of a text that its language shows in: what is left without code, names of variables, numbers and addresses.

/** Fewer may be names; signs of scripts without spaces stand together as one. */
const fewest = 3

/** Undefined for a text with too few words to tell a language. */
export function plainWords(text: string): string | undefined {
  const words = text
    .split(/[\s\p{Pd}]+/u)
    .map((token) => token.replaceAll(edges, ""))
    .filter((word) => plain.test(word))
  const isEnough = words.length >= fewest || words.some((word) => otherScript.test(word))
  return isEnough ? words.join(" ") : undefined
}

/** Signs of sentences around a word, not those of code. */
const edges = /^[("'«„“”‘’¿¡>*_#]+|[)"'»“”‘’,.;:!?…*_।。、！？]+$/gu
/** Letters alone, an apostrophe among them at most; a capital within is one of a name in code. */
const plain = /^(?:\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+)(?:['’]\p{L}+)?$/u
const otherScript = /[^\P{L}\p{sc=Latin}]{2}/u
