// Content blocks of messages, to and from canonical blocks.

import {
  type Block,
  type JsonValue,
  parseExactJson,
  type ReasoningBlock,
  type ToolCallBlock,
  type ToolResultBlock,
  type WireObject,
} from "../../../kernel/index.ts"
import { withCitations } from "../dialect/citations.ts"
import { hasLength, isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { readCitations } from "./citations.ts"
import { readDocumentText, readSearchText, readSource, writeDocument, writeImage } from "./media.ts"
import { dialectId, refuse } from "./wire.ts"

/** What blocks were read from. Blocks are never changed, so an entry is never out of date. */
const originals = new WeakMap<Block, JsonValue>()

/** What a block was read from, while nobody replaced it. */
export const originalOf = (block: Block): JsonValue | undefined => originals.get(block)

// ── reading ──

/** The blocks of a content field: a text or a list. */
export function readContent(content: JsonValue | undefined): readonly Block[] {
  if (hasLength(content)) return [{ type: "text", text: content }]
  return toList(content).map(readBlock)
}

export function readBlock(value: JsonValue): Block {
  const block = isObject(value) ? blockOf(value) : opaque(value)
  originals.set(block, value)
  return block
}

function blockOf(value: WireObject): Block {
  const { type, text, source, id, name } = value
  switch (type) {
    case "text":
      return isText(text) ? { type: "text", text, ...withCitations(readCitations(value["citations"])) } : opaque(value)
    case "image": {
      const image = readSource(source)
      return image === undefined ? opaque(value) : { type: "image", source: image }
    }
    case "document":
      return readDocument(value)
    case "search_result":
      return opaque(value, readSearchText(value))
    case "tool_use":
      return isText(id) && isText(name)
        ? { type: "tool_call", id, name, arguments: JSON.stringify(value["input"] ?? {}) }
        : opaque(value)
    case "tool_result":
      return readResult(value)
    case "tool_reference":
      // The tool itself stands among those of the request.
      return isText(value["tool_name"])
        ? { type: "text", text: `The tool ${value["tool_name"]} is ready.` }
        : opaque(value)
    case "thinking": {
      const { thinking, signature } = value
      return readReasoning(isText(thinking) ? thinking : "", hasLength(signature) ? signature : undefined)
    }
    case "redacted_thinking": {
      const { data } = value
      return { type: "reasoning", text: "", ...(isText(data) && { signature: redactedMark + data, encrypted: data }) }
    }
    default:
      return opaque(value, isText(text) ? text : undefined)
  }
}

const opaque = (value: JsonValue, text?: string): Block => ({
  type: "opaque",
  dialect: dialectId,
  value,
  ...(text !== undefined && { text }),
})

function readDocument(value: WireObject): Block {
  const text = readDocumentText(value)
  if (text !== undefined) return { type: "text", text, isDocument: true }
  const file = readSource(value["source"])
  if (file === undefined) return opaque(value)
  return { type: "file", source: file, ...(isText(value["title"]) && { name: value["title"] }) }
}

function readResult(value: WireObject): Block {
  const { tool_use_id: callId, content, is_error: isError } = value
  return {
    type: "tool_result",
    callId: isText(callId) ? callId : "",
    blocks: readContent(content),
    ...(typeof isError === "boolean" && { isError }),
  }
}

/**
 * Thinking that the vendor has hidden is its own proof. As a signature it finds its way back through clients of all dialects, and
 * no other vendor takes it for what it encrypted itself.
 */
const redactedMark = "redacted:"

/** A signature of thinking that no backend of this dialect made; behind it stands what another vendor encrypted, if anything. */
const foreignMark = "rtr:"

/** Reasoning with its signature, which may be one of another vendor. */
export function readReasoning(text: string, signature: string | undefined): ReasoningBlock {
  if (signature?.startsWith(foreignMark) !== true)
    return { type: "reasoning", text, ...(signature !== undefined && { signature }) }
  const encrypted = signature.slice(foreignMark.length)
  return { type: "reasoning", text, ...(encrypted !== "" && { encrypted }) }
}

// ── writing ──

export interface WriteOptions {
  /** Where the block stands, for errors. */
  readonly at: string
  /** Another dialect read it: names and proofs are not those of this one. */
  readonly foreign: boolean
}

/** The content of these blocks: a text where that says it all, otherwise a list. Throws `invalid_request` for what the wire cannot say. */
export function writeContent(blocks: readonly Block[], options: WriteOptions): JsonValue {
  const [first] = blocks
  if (blocks.length === 1 && first?.type === "text" && !originals.has(first)) return first.text
  const written = writeList(blocks, options)
  return written.length === 0 ? "" : written
}

export function writeList(blocks: readonly Block[], { at, foreign }: WriteOptions): readonly JsonValue[] {
  return blocks.flatMap((block, index) => {
    const value = originals.get(block) ?? writeBlock(block, { at: `${at}.blocks[${index}]`, foreign })
    return value === undefined ? [] : [value]
  })
}

/** Undefined for a block that says nothing here. */
function writeBlock(block: Block, options: WriteOptions): JsonValue | undefined {
  const { at, foreign } = options
  switch (block.type) {
    case "text":
    case "refusal":
      // Backends refuse blocks without text.
      return block.text === "" && foreign ? undefined : { type: "text", text: block.text }
    case "image":
      return writeImage(block, at)
    case "file":
      return writeDocument(block, at)
    case "tool_call":
      return writeCall(block, foreign)
    case "tool_result":
      return writeResult(block, options)
    case "reasoning":
      return writeReasoning(block, foreign)
    case "opaque":
      if (block.dialect === dialectId) return block.value
      if (block.text !== undefined) return { type: "text", text: block.text }
      break
    default:
  }
  throw refuse(`${at} is of type "${block.type}", which a message cannot hold there`)
}

function writeCall({ id, name, arguments: text, form }: ToolCallBlock, foreign: boolean): WireObject {
  return { type: "tool_use", id: foreign ? toId(id) : id, name, input: writeInput(text, form) }
}

/** A model may have written what is no object. It stands under a name of its own then, so that the conversation can go on. */
function writeInput(text: string, form: ToolCallBlock["form"]): WireObject {
  if (form === "custom") return { input: text }
  if (text.trim() === "") return {}
  try {
    const value = parseExactJson(text)
    if (isObject(value)) return value
  } catch {
    // Not JSON.
  }
  return { arguments: text }
}

function writeResult({ callId, blocks, isError }: ToolResultBlock, { at, foreign }: WriteOptions): WireObject {
  return withoutUndefined({
    type: "tool_result",
    tool_use_id: foreign ? toId(callId) : callId,
    content: blocks.length === 0 ? undefined : writeContent(blocks, { at, foreign }),
    is_error: isError,
  })
}

/** Backends refuse other characters in ids. */
const toId = (id: string): string => id.replaceAll(/[^\w-]/g, "_")

/** A call in a reply. Its id comes back with the next request, to whichever backend, and some backends give none. */
export const writeReplyCall = (block: ToolCallBlock): WireObject =>
  writeCall({ ...block, id: replyCallId(block) }, false)

export const replyCallId = ({ id }: Pick<ToolCallBlock, "id">): string =>
  id === "" ? `toolu_${crypto.randomUUID().replaceAll("-", "")}` : toId(id)

/** A backend takes thinking with its own proof only, and can do without that of others. */
function writeReasoning(block: ReasoningBlock, foreign: boolean): WireObject | undefined {
  const { text, signature, encrypted } = block
  if (foreign && signature === undefined) return undefined
  if (signature === undefined && encrypted !== undefined && text === "")
    return { type: "redacted_thinking", data: encrypted }
  return writeRedacted(signature) ?? { type: "thinking", thinking: text, signature: signature ?? "" }
}

/** The block for hidden thinking; undefined for the signature of thinking that can be read. */
export const writeRedacted = (signature: string | undefined): WireObject | undefined =>
  signature?.startsWith(redactedMark) === true
    ? { type: "redacted_thinking", data: signature.slice(redactedMark.length) }
    : undefined

/** The signature of reasoning in a reply. A client sends it back with its next request, whichever backend that one gets. */
export const replySignature = ({ signature, encrypted = "" }: Partial<ReasoningBlock>): string =>
  signature ?? foreignMark + encrypted

/** Thinking that a backend of this dialect would refuse. */
export function isForeignThinking(block: JsonValue): boolean {
  if (!isObject(block) || block["type"] !== "thinking") return false
  const { signature } = block
  return isText(signature) && signature.startsWith(foreignMark)
}
