// Counts what a JSON text will take in memory and in time while its bytes come, before anything is made of it.

import { RtrError } from "../error.ts"

/** JSON nested deeper than this is no request; walking it would cost stack. */
const maxDepth = 128

/**
 * Most marks (brackets, commas and colons outside texts) of one body. Parsing and reading as many takes about 50 ms, which
 * every other request waits for. A conversation of 2,000 messages with 200 tools has about 75,000.
 */
const maxMarks = 150_000

/** As many take as long where numbers have to be kept as they were written. */
const maxMarksBesideLongNumbers = 100_000

/** Most fields of the body itself. What reads a request goes through all of them several times. */
const maxFields = 1000

/** How many marks a number counts for that has to be kept as it was written. */
const marksOfLongNumber = 3

/** So many escapes take as long as one mark. */
const escapesOfMark = 64

/** Bytes of heap for one mark: its part of the parsed value and of the canonical form (docs/why/request-memory.md). */
const bytesOfMark = 96

/** A text stands in memory as it came, parsed, and as it leaves. */
const copies = 3

/** Digits of a number that may not fit into a double. */
const longNumberLength = 16

/** Reads a body piece by piece. Throws `invalid_request` for a body that no request needs. */
export class JsonScan {
  /** Whether a number may not fit into a double. */
  hasLongNumbers = false
  #bytes = 0
  #marks = 0
  #escapes = 0
  #depth = 0
  #fields = 0
  #numberLength = 0
  #inText = false
  #escaped = false
  /** A character past Latin-1 doubles the whole text. */
  #isWide = false

  /** Bytes of heap that the value will take, as far as it has come. */
  get cost(): number {
    return this.#bytes * copies * (this.#isWide ? 2 : 1) + this.#marks * bytesOfMark
  }

  read(piece: Uint8Array): void {
    // Local variables: this loop sees every byte, and a private field costs several times as much.
    let [marks, escapes, depth, numberLength] = [this.#marks, this.#escapes, this.#depth, this.#numberLength]
    let [inText, escaped, isWide] = [this.#inText, this.#escaped, this.#isWide]
    const { length } = piece
    for (let index = 0; index < length; index++) {
      const code = piece[index] as number
      if (inText) {
        if (escaped) {
          escaped = false
          if (code === letterU) isWide = true
        } else if (code === quote) inText = false
        else if (code === backslash) {
          escaped = true
          escapes += 1
        } else if (code >= firstWide) isWide = true
      } else if (code >= zero && code <= nine) {
        numberLength += 1
        if (numberLength !== longNumberLength) continue
        this.hasLongNumbers = true
        marks += marksOfLongNumber
      } else if (code === quote) inText = true
      else if (code === comma || code === colon) {
        marks += 1
        numberLength = 0
        if (code === colon && depth === 1 && ++this.#fields > maxFields)
          throw refuse(`the body has more than ${maxFields} fields`)
      } else if (code === openObject || code === openList) {
        marks += 1
        depth += 1
        if (depth > maxDepth) throw refuse(`the body is nested deeper than ${maxDepth} levels`)
      } else if (code === closeObject || code === closeList) {
        depth -= 1
        numberLength = 0
      } else if ((code === letterE || code === letterE - 32) && numberLength > 0) this.hasLongNumbers = true
    }
    this.#bytes += length
    ;[this.#marks, this.#escapes, this.#depth, this.#numberLength] = [marks, escapes, depth, numberLength]
    ;[this.#inText, this.#escaped, this.#isWide] = [inText, escaped, isWide]
    const limit = this.hasLongNumbers ? maxMarksBesideLongNumbers : maxMarks
    if (marks + escapes / escapesOfMark > limit)
      throw refuse(`the body has more than ${limit} brackets, commas and colons outside its texts`)
  }
}

/** At most what a small body takes, without looking at each character. Brackets and commas in texts count as well. */
export function costOfSmall(body: string): number {
  const marks = count(body, "{") + count(body, "[") + count(body, ",") + count(body, ":")
  return body.length * 2 * copies + marks * bytesOfMark
}

/** Whether a body may be nested too deep. */
export const mayBeDeep = (body: string): boolean => count(body, "{") + count(body, "[") > maxDepth

/** Searching for a character is far quicker than walking over all of them. */
function count(body: string, mark: string): number {
  let found = 0
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) found += 1
  return found
}

const quote = 34
const comma = 44
const zero = 48
const nine = 57
const colon = 58
const openList = 91
const backslash = 92
const closeList = 93
const letterE = 101
const letterU = 117
const openObject = 123
const closeObject = 125
/** First byte of a character past U+00FF. */
const firstWide = 0xc4

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the request: ${reason}`)
