// Citations of web pages as both wires of OpenAI have them, and places in texts.

import type { Citation, JsonValue, TextBlock, WireObject } from "../../../kernel/index.ts"
import { hasLength, isCount, isObject } from "./wire.ts"

/** Places count Unicode characters, of which a string has some as two; their halves may come in two pieces of a stream. */
export function charactersIn(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1
  return count
}

/** The field with a block's citations, if it has any. */
export const withCitations = (citations: readonly Citation[]): Pick<TextBlock, "citations"> =>
  citations.length > 0 ? { citations } : {}

/** None for what names no page. A place without a length says nothing. */
export function readPage(value: JsonValue | undefined, placeless = false): readonly Citation[] {
  if (!isObject(value) || !hasLength(value["url"])) return []
  const { url, title, start_index: start, end_index: end } = value
  const hasPlace = !placeless && isCount(start) && isCount(end) && end > start
  return [{ url, ...(hasLength(title) && { title }), ...(hasPlace && { start, end }) }]
}

/** Where a citation stands in a text of this length. */
export function placeOf({ start = 0, end = Infinity }: Citation, length: number): readonly [number, number] {
  return [Math.min(start, end, length), Math.min(end, length)]
}

/** The page of a citation, if it is one, of a text of this length that begins at the offset. */
export function writePage(citation: Citation, length: number, offset = 0): readonly WireObject[] {
  const { url, title = "" } = citation
  const [start, end] = placeOf(citation, length)
  return url === undefined ? [] : [{ start_index: offset + start, end_index: offset + end, title, url }]
}
