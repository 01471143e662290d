// Cuts a long text into overlapping chunks that an embedding model reads whole.

/** A character that starts a word, another letter or space, a digit or mark, and what lies beyond ASCII, in units. */
const weights = { start: 2, letter: 1, mark: 3, beyond: 4 }

/**
 * About 110 English words. 256 tokens, the shortest limit among usual embedding models, hold it unless its letters are
 * no words of any language, or it is made of single letters and marks.
 */
const chunkUnits = 768

/** A chunk starts when this much of the one before it is read, so that a sentence across a cut is whole in one of them. */
const nextUnits = 576

/** Two halves of a text that overlap by a quarter of it; none of what is too short to halve. */
export function halvesOf(text: string): readonly string[] {
  const characters = Array.from(text)
  if (characters.length < 4) return []
  const [end, start] = [Math.ceil(characters.length * 0.625), Math.floor(characters.length * 0.375)]
  return [characters.slice(0, end).join(""), characters.slice(start).join("")]
}

/** Chunks in order, each short enough for most models; the text itself when it is short. Stops after `max` + 1 chunks. */
export function chunksOf(text: string, max: number): readonly string[] {
  const chunks: string[] = []
  let start = 0
  while (start < text.length && chunks.length <= max) {
    const { end, next } = chunkFrom(text, start)
    chunks.push(text.slice(start, end))
    start = end === text.length ? end : next
  }
  return chunks
}

/** Where the chunk that begins at `start` ends, and where the next one begins: at a word, unless the last is very long. */
function chunkFrom(text: string, start: number): { readonly end: number; readonly next: number } {
  let units = 0
  let [boundary, boundaryUnits, latest] = [start, 0, start]
  let position = start
  let inWord = false
  while (position < text.length) {
    const code = text.codePointAt(position) ?? 0
    const isLetter = isAsciiLetter(code)
    const startsWord = isLetter && !inWord
    units += weightOf(code, startsWord)
    if (units > chunkUnits) break
    if (units <= nextUnits) {
      latest = position
      if (startsWord || !isLetter) [boundary, boundaryUnits] = [position, units]
    }
    inWord = isLetter
    position += code > 0xffff ? 2 : 1
  }
  return { end: position, next: boundaryUnits >= nextUnits / 2 ? boundary : latest }
}

const space = 0x20
const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

function weightOf(code: number, startsWord: boolean): number {
  if (code > 0x7f) return weights.beyond
  if (startsWord) return weights.start
  return isAsciiLetter(code) || code <= space ? weights.letter : weights.mark
}
