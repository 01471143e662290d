// How many tokens a text has, about: tokenizers differ between models, and the tables of one take megabytes.

const pieceCharacters = 512

/**
 * Tokens of a text as a tokenizer with 200,000 entries cuts it, to within a tenth for prose, code, JSON and the common scripts
 * (bench/tokens measures it). The numbers here were fitted to such a tokenizer: it has most English words whole, and cuts others,
 * numbers and signs the shorter the rarer they are. Of a text longer than `maxCounted` pieces from all of it are counted.
 */
export function textTokens(text: string, maxCounted = 8192): number {
  if (text.length <= maxCounted) return tokensBetween(text, 0, text.length)
  const pieces = maxCounted / pieceCharacters
  const distance = (text.length - pieceCharacters) / (pieces - 1)
  let counted = 0
  for (let piece = 0; piece < pieces; piece++) {
    const start = Math.floor(piece * distance)
    counted += tokensBetween(text, start, start + pieceCharacters)
  }
  return (counted * text.length) / maxCounted
}

// Kinds of characters; those from `script` on are scripts with so many tokens a character.
const small = 0
const capital = 1
const digit = 2
const space = 3
const line = 4
const sign = 5
const script = 6

/** Each with the character behind its last one. */
const scripts: readonly (readonly [end: number, tokens: number])[] = [
  [0x300, 0.8], // signs of Latin-1
  [0x370, 0.5], // combining marks
  [0x400, 0.41], // Greek
  [0x530, 0.29], // Cyrillic
  [0x590, 0.5], // Armenian
  [0x600, 0.41], // Hebrew
  [0x800, 0.37], // Arabic
  [0xe00, 0.385], // of India
  [0xe80, 0.47], // Thai
  [0x2000, 0.45],
  [0x2070, 1], // quotes and dashes
  [0x3000, 0.4], // arrows, lines, symbols
  [0x3040, 0.65], // signs of Chinese and Japanese
  [0x3100, 0.63], // Japanese syllables
  [0xa000, 0.75], // Chinese characters
  [0xac00, 0.9],
  [0xd7b0, 0.74], // Korean syllables
  [0xe000, 0.6], // halves of emoji and rare characters
  [0x10000, 0.75],
]

const kinds = ((): Uint8Array => {
  const table = new Uint8Array(0x10000).fill(sign, 0, 0x80)
  const fill = (kind: number, first: string, last = first): unknown =>
    table.fill(kind, first.charCodeAt(0), last.charCodeAt(0) + 1)
  let start = 0x80
  scripts.forEach(([end], index) => {
    table.fill(script + index, start, end)
    start = end
  })
  fill(small, "a", "z")
  fill(capital, "A", "Z")
  fill(digit, "0", "9")
  fill(space, " ")
  fill(line, "\t", "\n")
  fill(line, "\r")
  // Letters of European languages and of Vietnamese.
  fill(capital, "\u00c0", "\u00de")
  fill(small, "\u00df", "\u024f")
  fill(small, "\u1e00", "\u1eff")
  return table
})()

function tokensBetween(text: string, start: number, end: number): number {
  let tokens = 0
  let before = space
  for (let at = start; at < end;) {
    const first = text.charCodeAt(at)
    const kind = kinds[first] as number
    let next = at + 1
    if (kind >= script) tokens += scripts[kind - script]?.[1] ?? 0
    else if (kind > capital) {
      for (; next < end; next++) {
        const other = kinds[text.charCodeAt(next)]
        if (other !== kind && (kind !== line || other !== space)) break
      }
      tokens += runTokens(kind, next - at)
    } else {
      // Capitals, or small letters behind one capital at most: `HTTPServer` is HTTP and Server, `maxTokens` max and Tokens.
      let capitals = kind === capital ? 1 : 0
      let codes = first
      for (let code = 0; next < end; next++) {
        code = text.charCodeAt(next)
        const other = kinds[code] as number
        if (other > capital) break
        if (other === capital) {
          if (capitals < next - at) break
          capitals += 1
        } else if (capitals > 1) {
          next -= 1
          capitals -= 1
          break
        }
        codes |= code
      }
      tokens += capitals > 1 ? 0.47 + 0.2 * capitals : wordTokens(next - at, before, text.charCodeAt(next - 1))
      if (codes > 127) tokens += accentTokens(text, at, next)
    }
    before = kind
    at = next
  }
  return tokens
}

/** A word and a space before it are one token; behind a sign the two may be one as well. */
function wordTokens(length: number, before: number, last: number): number {
  // Few English words end in these, many of other languages that are written in Latin letters.
  const foreign = length >= 4 && (last === 97 || last === 105 || last === 111 || last === 117) ? 0.87 : 0
  if (before === small || before === capital) return foreign + (length > 12 ? 0.9 * (length - 9) : 1.08)
  if (before !== space && before !== line)
    return foreign + (length <= 4 ? 0.5 : length <= 9 ? 0.63 : length <= 12 ? 1.23 : 0.7 * (length - 9))
  return foreign + (length <= 4 ? 0.98 : length <= 9 ? 1.1 : length <= 12 ? 1.28 : 0.38 * (length - 9))
}

/** Letters beyond those of English break words into more tokens. */
function accentTokens(text: string, start: number, end: number): number {
  let tokens = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) tokens += code < 0x100 ? 0.24 : code < 0x1e00 ? 0.7 : 0.12
  }
  return tokens
}

/** Of digits, spaces, line ends (with the indentation behind them) or signs that follow each other. */
function runTokens(kind: number, length: number): number {
  if (kind === digit) return 1.54 * Math.ceil(length / 3)
  if (kind === space) return length > 1 ? 0.63 : 0
  if (kind === line) return length > 1 ? 0.95 : 0.37
  return length === 1 ? 0.9 : length === 2 ? 1.14 : 1.43 + 0.13 * (length - 3)
}
