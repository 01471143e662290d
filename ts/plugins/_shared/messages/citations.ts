// Citations of a text block. They are about the whole block, where other wires have places in a longer text.

import type { Citation, JsonValue, TextBlock, WireObject } from "../../../kernel/index.ts"
import { placeOf } from "../dialect/citations.ts"
import { hasLength, isObject, toList } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

/** Stands for the vendor's proof in citations of pages that another vendor made. */
const foreignProof = "rtr:"

// ── reading ──

export const readCitations = (citations: JsonValue | undefined): readonly Citation[] =>
  toList(citations).filter(isObject).map(readCitation)

export function readCitation(citation: WireObject): Citation {
  const { type, cited_text: quote, title, document_title: name, url, source, file_id: id } = citation
  const page = type === "search_result_location" ? source : url
  const isDocument = type === "char_location" || type === "page_location" || type === "content_block_location"
  const called = isDocument ? name : title
  return {
    ...(hasLength(page) && isAddress(page) && { url: page }),
    ...(hasLength(called) && { title: called }),
    ...(hasLength(quote) && { quote }),
    ...(isDocument && { document: hasLength(id) ? { id } : {} }),
    original: { dialect: dialectId, value: citation },
  }
}

/** A search result of the client may have any name as its source. */
const isAddress = (source: string): boolean => /^https?:/i.test(source)

// ── writing ──

/** None or one: pages are all that this wire can cite without knowing where in a document of its own the words stand. */
export function writeCitation({ url, title, quote, original }: Citation): readonly JsonValue[] {
  if (original?.dialect === dialectId) return [original.value]
  if (url === undefined) return []
  const proof = { encrypted_index: foreignProof }
  return [{ type: "web_search_result_location", cited_text: quote ?? "", ...proof, title: title ?? null, url }]
}

/** The text as blocks, each with what it rests on: a new one begins where a cited part begins or ends. */
export function writeCited({ text, citations = [] }: TextBlock): readonly WireObject[] {
  const characters = Array.from(text)
  const textOf = (start: number, end: number): string => characters.slice(start, end).join("")
  const isBlank = (start: number, end: number): boolean => textOf(start, end).trim() === ""
  const pieces: Piece[] = []
  const placeless: JsonValue[] = []
  let at = 0
  for (const { start, end, written } of placed(citations, characters.length)) {
    const last = pieces.at(-1)
    if (end <= start) placeless.push(...written)
    else if (last !== undefined && end <= at) last.citations.push(...written)
    else {
      // Backends refuse blank blocks when the client sends them back.
      const joins = start <= at || isBlank(at, start)
      if (!joins) pieces.push({ start: at, end: start, citations: [] })
      pieces.push({ start: joins ? at : start, end, citations: [...written] })
      at = end
    }
  }
  const last = pieces.at(-1)
  if (last !== undefined && isBlank(at, characters.length)) last.end = characters.length
  else pieces.push({ start: at, end: characters.length, citations: [] })
  pieces.at(-1)?.citations.push(...placeless)
  return pieces.map(({ start, end, citations: own }) => ({
    type: "text",
    text: textOf(start, end),
    ...(own.length > 0 && { citations: own }),
  }))
}

interface Piece {
  readonly start: number
  end: number
  readonly citations: JsonValue[]
}

/** What can be cited here, in the order of the text. One about the whole text has no place in it. */
function placed(citations: readonly Citation[], length: number) {
  return citations
    .map((citation) => {
      const [start, end] = citation.end === undefined ? [0, 0] : placeOf(citation, length)
      return { start, end, written: writeCitation(citation) }
    })
    .filter(({ written }) => written.length > 0)
    .toSorted((one, other) => one.start - other.start)
}

/** Whether no backend of this dialect made some citation of a block: it would refuse it. */
export const hasForeignCitations = (block: JsonValue): boolean =>
  isObject(block) && Array.isArray(block["citations"]) && block["citations"].some(isForeign)

const isForeign = (citation: unknown): boolean => isObject(citation) && citation["encrypted_index"] === foreignProof

export function withoutForeignCitations(block: JsonValue): JsonValue {
  if (!hasForeignCitations(block)) return block
  const { citations, ...rest } = block as WireObject
  const own = toList(citations).filter((each) => !isForeign(each))
  return { ...rest, ...(own.length > 0 && { citations: own }) }
}
