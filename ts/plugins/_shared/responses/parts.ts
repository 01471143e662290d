// Parts of a message and of a tool's output, to and from blocks.

import {
  type Block,
  type FileBlock,
  type ImageBlock,
  type JsonValue,
  type MediaSource,
  type TextBlock,
  type WireObject,
} from "../../../kernel/index.ts"
import { withCitations } from "../dialect/citations.ts"
import { readAudio, readUrl, writeAudio, writeUrl } from "../dialect/media-source.ts"
import { isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { annotationsOf, readAnnotations } from "./annotations.ts"
import { dialectId, refuse } from "./wire.ts"

/** What parts were read from. Blocks are never changed, so an entry is never out of date. */
const originals = new WeakMap<Block, WireObject>()

/** The part that a block was read from; undefined for text that stood alone. */
export const partOf = (block: Block): WireObject | undefined => originals.get(block)

// ── reading ──

/** The blocks of a content field: a text, or a list of parts. */
export function readContent(content: JsonValue | undefined): readonly Block[] {
  if (isText(content)) return content === "" ? [] : [{ type: "text", text: content }]
  return toList(content).filter(isObject).map(readPart)
}

function readPart(part: WireObject): Block {
  const text = isText(part["text"]) ? part["text"] : undefined
  const block = blockOf(part, text) ?? {
    type: "opaque" as const,
    dialect: dialectId,
    value: part,
    ...(text !== undefined && { text }),
  }
  originals.set(block, part)
  return block
}

function blockOf(part: WireObject, text: string | undefined): Block | undefined {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return text === undefined
        ? undefined
        : { type: "text", text, ...withCitations(readAnnotations(part["annotations"])) }
    case "refusal":
      return isText(part["refusal"]) ? { type: "refusal", text: part["refusal"] } : undefined
    case "input_image":
      return readImage(part)
    case "input_file":
      return readFile(part)
    case "input_audio":
      return readAudio(part["input_audio"])
    default:
      return undefined
  }
}

function readImage({ image_url: url, file_id: id, detail }: WireObject): ImageBlock | undefined {
  const source: MediaSource | undefined = isText(url) ? readUrl(url) : isText(id) ? { kind: "id", id } : undefined
  return source && { type: "image", source, ...(isText(detail) && { detail }) }
}

function readFile({ file_id: id, file_url: url, file_data: data, filename }: WireObject): FileBlock | undefined {
  const source: MediaSource | undefined = isText(id)
    ? { kind: "id", id }
    : isText(url)
      ? { kind: "url", url }
      : isText(data)
        ? data.startsWith("data:")
          ? readUrl(data)
          : { kind: "base64", data }
        : undefined
  return source && { type: "file", source, ...(isText(filename) && { name: filename }) }
}

// ── writing ──

/** One text that was none of several parts stays a string; everything else is a list of parts. */
export function writeContent(blocks: readonly Block[], at: string, assistant = false): JsonValue {
  const [first] = blocks
  if (first === undefined) return ""
  if (blocks.length === 1 && first.type === "text" && !originals.has(first) && pagesOf(first).length === 0)
    return first.text
  return blocks.map((block, index) => writePart(block, `${at}.blocks[${index}]`, assistant))
}

/** Throws `invalid_request` for a block that the wire cannot say there. */
export function writePart(block: Block, at: string, assistant: boolean): JsonValue {
  const original = originals.get(block)
  if (original !== undefined) return original
  const { type } = block
  if (type === "refusal" && assistant) return { type: "refusal", refusal: block.text }
  if (type === "text" && assistant) return { type: "output_text", text: block.text, annotations: pagesOf(block) }
  if (type === "text" || type === "refusal") return writeText(block.text, assistant)
  if (type === "opaque") {
    if (block.dialect === dialectId) return block.value
    if (block.text !== undefined) return writeText(block.text, assistant)
  }
  if (type === "audio" && assistant && block.transcript !== undefined) return writeText(block.transcript, assistant)
  if (!assistant) {
    if (type === "image") {
      const { source, detail } = block
      const where = source.kind === "id" ? { file_id: source.id } : { image_url: writeUrl(source) }
      return withoutUndefined({ type: "input_image", ...where, detail })
    }
    if (type === "file") return writeFile(block)
    if (type === "audio" && block.source.kind === "base64")
      return { type: "input_audio", input_audio: writeAudio(block.source) }
  }
  throw refuse(
    `${at} is of type "${type}", which ${assistant ? "an assistant's message" : "a message"} cannot hold there`,
  )
}

const pagesOf = (block: TextBlock): readonly WireObject[] => annotationsOf(block, { pagesOnly: true })

const writeText = (text: string, assistant: boolean): JsonValue =>
  assistant ? { type: "output_text", text, annotations: [] } : { type: "input_text", text }

function writeFile({ source, name }: FileBlock): JsonValue {
  const where: WireObject =
    source.kind === "id"
      ? { file_id: source.id }
      : source.kind === "url" && !source.url.startsWith("data:")
        ? { file_url: source.url }
        : { file_data: writeUrl(source) as string }
  return { type: "input_file", ...where, ...(name !== undefined && { filename: name }) }
}
