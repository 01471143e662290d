// Annotations of a text, to and from citations.

import type { Citation, JsonValue, TextBlock, WireObject } from "../../../kernel/index.ts"
import { charactersIn, placeOf, readPage, writePage } from "../dialect/citations.ts"
import { hasLength, isCount, isObject, toList } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

export const readAnnotations = (annotations: JsonValue | undefined): readonly Citation[] =>
  toList(annotations).filter(isObject).map(readAnnotation)

/** One of a kind that other protocols have not is kept as it is. */
export function readAnnotation(annotation: WireObject): Citation {
  const { type, index, filename, file_id: id } = annotation
  const original = { dialect: dialectId, value: annotation }
  if (type === "url_citation") return { ...readPage(annotation)[0], original }
  if (type !== "file_citation") return { original }
  return {
    ...(isCount(index) && { start: index, end: index }),
    ...(hasLength(filename) && { title: filename }),
    document: hasLength(id) ? { id } : {},
    original,
  }
}

/** The annotations of a text. A backend takes `pagesOnly`: it does not know the files of others. */
export function annotationsOf(
  { text, citations = [] }: TextBlock,
  { pagesOnly = false }: { readonly pagesOnly?: boolean } = {},
): readonly WireObject[] {
  if (citations.length === 0) return []
  const length = charactersIn(text)
  return citations.flatMap((each) =>
    pagesOnly && each.url === undefined && each.original?.dialect !== dialectId ? [] : writeAnnotation(each, length),
  )
}

/** None or one, for a citation of a text of this length. */
export function writeAnnotation(citation: Citation, length: number): readonly WireObject[] {
  const { title, document, original } = citation
  if (original?.dialect === dialectId) return [original.value as WireObject]
  if (document === undefined) return writePage(citation, length).map((page) => ({ type: "url_citation", ...page }))
  if ((document.id ?? title) === undefined) return []
  const [, index] = placeOf(citation, length)
  return [{ type: "file_citation", file_id: document.id ?? "", filename: title ?? "", index }]
}
