// Sources of images and documents.

import type { FileBlock, ImageBlock, JsonValue, MediaSource, WireObject } from "../../../kernel/index.ts"
import { isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { refuse } from "./wire.ts"

/** Undefined for a source that the canonical form does not have. */
export function readSource(source: JsonValue | undefined): MediaSource | undefined {
  if (!isObject(source)) return undefined
  const { type, data, media_type: mediaType, url, file_id: id } = source
  if (type === "url" && isText(url)) return { kind: "url", url }
  if (type === "file" && isText(id)) return { kind: "id", id }
  if (type !== "base64" || !isText(data)) return undefined
  return { kind: "base64", data, ...(isText(mediaType) && { mediaType }) }
}

/** The words of a document that is text, with its title and context; undefined for another. */
export function readDocumentText({ source, title, context }: WireObject): string | undefined {
  if (!isObject(source)) return undefined
  const { type, data, content } = source
  const text =
    type === "text" ? data : type === "content" ? (Array.isArray(content) ? textOfBlocks(content) : content) : undefined
  return isText(text) ? [title, context, text].filter(isText).join("\n\n") : undefined
}

/** The words of a search result with its title and where it was found. */
export function readSearchText({ source, title, content }: WireObject): string {
  return [title, source, textOfBlocks(content)].filter(isText).join("\n\n")
}

/** Undefined when one of the blocks is no text. */
function textOfBlocks(blocks: JsonValue | undefined): string | undefined {
  const texts = toList(blocks).map((block) => (isObject(block) ? block["text"] : undefined))
  return texts.every(isText) ? texts.join("\n") : undefined
}

export function writeImage({ source }: ImageBlock, at: string): WireObject {
  return { type: "image", source: writeSource(source, at, imageTypeOf) }
}

export function writeDocument({ source, name }: FileBlock, at: string): WireObject {
  const mediaType = source.kind === "base64" ? source.mediaType : undefined
  const text = source.kind === "base64" && mediaType?.startsWith("text/") === true ? decode(source.data) : undefined
  return withoutUndefined({
    type: "document",
    source:
      text === undefined
        ? writeSource(source, at, () => "application/pdf")
        : { type: "text", media_type: "text/plain", data: text },
    title: name,
  })
}

function writeSource(source: MediaSource, at: string, typeOf: (data: string) => string | undefined): WireObject {
  if (source.kind === "url") return { type: "url", url: source.url }
  if (source.kind === "id") return { type: "file", file_id: source.id }
  const mediaType = source.mediaType ?? typeOf(source.data)
  if (mediaType === undefined) throw refuse(`${at} has data whose media type nobody tells`)
  return { type: "base64", media_type: mediaType === "image/jpg" ? "image/jpeg" : mediaType, data: source.data }
}

/** By the first bytes, for clients that leave the media type out. */
function imageTypeOf(data: string): string | undefined {
  const known = { iVBOR: "image/png", "/9j/": "image/jpeg", R0lGO: "image/gif", UklGR: "image/webp" }
  return Object.entries(known).find(([start]) => data.startsWith(start))?.[1]
}

/** Undefined for what is no text in UTF-8. */
function decode(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
