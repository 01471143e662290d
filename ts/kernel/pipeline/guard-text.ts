// The text that a guard's model reads: what a backend sees as text, and a tokenizer would not.

/** What tokenizers take for signs of their own; in a user's text they are words. */
const specialTokens =
  /\[(?=(?:CLS|SEP|PAD|UNK|MASK)\])|<(?=\/?(?:s|pad|unk|mask|bos|eos|cls|sep)>|\|[a-z_0-9]{1,40}\|>)/g
/** Tag characters, which show nothing and spell ASCII. */
const tags = /[\u{e0020}-\u{e007e}]/gu
/** Hangul fillers: blank, but letters to a tokenizer, which takes words over a length for unknown. */
const fillers = /[\u115f\u1160\u3164\uffa0]/g

/** As long as the text, so that places hold: a tag has two code units, so a sign of no width stands behind its letter. */
export function guardText(text: string): string {
  return text
    .replace(specialTokens, "(")
    .replace(fillers, " ")
    .replace(tags, (tag) => `${String.fromCharCode((tag.codePointAt(0) ?? 0) - 0xe0000)}\u200b`)
}
