// How much of a text signals read, and how long it is as bytes.

import type { Work } from "../../kernel/index.ts"

/** Most characters of a text that signals for routing read; models read no longer beginning. */
export const maxReadCharacters = 131_072

/** Whether a text is white space alone. One over the limit counts as more: whoever reads it finds out. */
export const isBlank = (text: string): boolean => text.length <= maxReadCharacters && text.trim() === ""

const encoder = new TextEncoder()
const charactersOfPiece = 4096
/** A code unit has three bytes at most. */
const scratch = new Uint8Array(3 * (charactersOfPiece + 1))
const piecesOfStep = 16

/** Bytes in UTF-8 of a text of at most 4096 code units. */
export const utf8BytesOfShort = (text: string): number => encoder.encodeInto(text, scratch).written

/** Bytes of a text in UTF-8, counted through a small buffer instead of a copy of the text. */
export function* utf8Bytes(text: string): Work<number> {
  let bytes = 0
  for (let start = 0, pieces = 0; start < text.length;) {
    if (++pieces % piecesOfStep === 0) yield
    let end = start + charactersOfPiece
    // Half a character would count as one of its own.
    if ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1
    bytes += encoder.encodeInto(text.slice(start, end), scratch).written
    start = end
  }
  return bytes
}
