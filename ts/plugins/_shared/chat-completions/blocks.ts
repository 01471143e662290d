// Content of messages, whole or in parts, to and from blocks.

import {
  type AudioBlock,
  type Block,
  type Citation,
  type FileBlock,
  type ImageBlock,
  type JsonValue,
  type MediaSource,
  type TextBlock,
  type ToolCallBlock,
  type WireObject,
} from "../../../kernel/index.ts"
import { readPage, withCitations } from "../dialect/citations.ts"
import { readAudio, readUrl, writeAudio, writeUrl } from "../dialect/media-source.ts"
import { hasLength, isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { callsOf, reasoningOf } from "./deviations.ts"
import { dialectId, refuse } from "./wire.ts"

/** What parts, tool calls and audio were read from. Blocks are never changed, so an entry is never out of date. */
const originals = new WeakMap<Block, JsonValue>()

function remember<Node extends Block>(block: Node, original: JsonValue): Node {
  originals.set(block, original)
  return block
}

// ── reading ──

/** The blocks of a message of any role, in the order in which a model makes them. */
export function readBlocks(message: WireObject): readonly Block[] {
  const { content, refusal, audio, tool_calls: calls, function_call: call } = message
  const reasoning = reasoningOf(message)
  const blocks: Block[] = []
  if (hasLength(reasoning)) blocks.push({ type: "reasoning", text: reasoning })
  if (hasLength(content))
    blocks.push({ type: "text", text: content, ...withCitations(readAnnotations(message["annotations"])) })
  else if (Array.isArray(content)) for (const part of content) blocks.push(readPart(part as WireObject))
  if (hasLength(refusal)) blocks.push({ type: "refusal", text: refusal })
  if (isObject(audio)) blocks.push(readSpoken(audio))
  for (const each of callsOf(calls)) {
    const block = readToolCall(each)
    if (block !== undefined) blocks.push(block)
  }
  if (isObject(call) && isText(call["name"]))
    blocks.push({ type: "tool_call", id: "", name: call["name"], arguments: argumentsOf(call["arguments"]) })
  return blocks
}

/** `placeless` where the places count from the beginning of a message, and the text is a later part of it. */
export function readAnnotations(annotations: JsonValue | undefined, placeless?: boolean): readonly Citation[] {
  return toList(annotations).flatMap((each) => (isObject(each) ? readPage(each["url_citation"], placeless) : []))
}

/** The blocks of a content field alone. */
export function readContent(content: JsonValue | undefined): readonly Block[] {
  return readBlocks({ content: content ?? null })
}

function readPart(part: WireObject): Block {
  const { type, text, refusal } = part
  const block =
    type === "text" && isText(text)
      ? ({ type: "text", text } as const)
      : type === "image_url"
        ? readImage(part["image_url"])
        : type === "input_audio"
          ? readAudio(part["input_audio"])
          : type === "file"
            ? readFile(part["file"])
            : type === "refusal" && isText(refusal)
              ? ({ type: "refusal", text: refusal } as const)
              : undefined
  return remember<Block>(
    block ?? { type: "opaque", dialect: dialectId, value: part, ...(isText(text) && { text }) },
    part,
  )
}

function readImage(image: JsonValue | undefined): ImageBlock | undefined {
  if (!isObject(image) || !isText(image["url"])) return undefined
  return { type: "image", source: readUrl(image["url"]), ...(isText(image["detail"]) && { detail: image["detail"] }) }
}

function readFile(file: JsonValue | undefined): FileBlock | undefined {
  if (!isObject(file)) return undefined
  const { file_id: id, file_data: data, filename } = file
  const source: MediaSource | undefined = isText(id) ? { kind: "id", id } : isText(data) ? readUrl(data) : undefined
  return source && { type: "file", source, ...(isText(filename) && { name: filename }) }
}

/** Audio that the model spoke: only its id in a request, all of it in a reply. */
function readSpoken(audio: WireObject): Block {
  const { id, data, transcript } = audio
  const block: AudioBlock = {
    type: "audio",
    source: isText(data) ? { kind: "base64", data } : { kind: "id", id: isText(id) ? id : "" },
    ...(isText(transcript) && { transcript }),
  }
  return remember(block, audio)
}

/** Undefined for what has no name: it stays in its message and nobody can use it. */
function readToolCall(call: JsonValue): ToolCallBlock | undefined {
  if (!isObject(call)) return undefined
  const id = isText(call["id"]) ? call["id"] : ""
  const { function: plain, custom } = call
  if (isObject(plain) && isText(plain["name"])) {
    const block = { type: "tool_call", id, name: plain["name"], arguments: argumentsOf(plain["arguments"]) } as const
    return isObject(plain["arguments"]) ? block : remember<ToolCallBlock>(block, call)
  }
  if (isObject(custom) && isText(custom["name"])) {
    const block = { type: "tool_call", id, name: custom["name"], arguments: argumentsOf(custom["input"]) } as const
    return remember<ToolCallBlock>({ ...block, form: "custom" }, call)
  }
  return undefined
}

/** Some servers send the arguments as an object. */
export function argumentsOf(value: JsonValue | undefined): string {
  return isText(value) ? value : value === undefined || value === null ? "" : JSON.stringify(value)
}

// ── writing ──

/** A message's own fields for its kinds of blocks. */
const groups = {
  reasoning: ["reasoning_content", "reasoning"],
  content: ["content", "annotations"],
  refusal: ["refusal"],
  audio: ["audio"],
  calls: ["tool_calls", "function_call"],
} as const
type Group = keyof typeof groups

/** Where a block stands in a message of this role. Undefined for one that has no place and means nothing to a backend. */
function groupOf(block: Block, assistant: boolean): Group | undefined {
  switch (block.type) {
    case "reasoning":
      // Without words it is a proof that only its own vendor can use.
      return assistant && block.text !== "" ? "reasoning" : undefined
    case "refusal":
      return assistant && !isPart(block) ? "refusal" : "content"
    case "audio":
      return assistant && !isPart(block) ? "audio" : "content"
    case "tool_call":
      return "calls"
    default:
      return "content"
  }
}

/** Whether it was read from a part of the content. */
function isPart(block: Block): boolean {
  const original = originals.get(block)
  return isObject(original) && "type" in original
}

/**
 * The fields of a message with these blocks. With `before`, only the fields whose blocks differ are written, the others
 * stay as they are. `at` names the node in errors. Throws `invalid_request` for a block that the wire cannot say.
 */
export function writeBlocks(
  blocks: readonly Block[],
  { assistant, at, before }: { readonly assistant: boolean; readonly at: string; readonly before?: ReadMessage },
): WireObject {
  const fields: Record<string, JsonValue> = { ...before?.message }
  for (const group of Object.keys(groups) as Group[]) {
    const own = blocks.filter((block) => groupOf(block, assistant) === group)
    const earlier = before?.blocks.filter((block) => groupOf(block, assistant) === group)
    if (earlier !== undefined && own.length === earlier.length && own.every((block, index) => block === earlier[index]))
      continue
    for (const name of groups[group]) delete fields[name]
    const value = own.length === 0 ? undefined : writers[group](own, at, before?.message["content"])
    if (value !== undefined) fields[groups[group][0]] = value
  }
  if (fields["content"] === undefined && (before === undefined || "content" in before.message))
    fields["content"] = assistant && blocks.length > 0 ? null : ""
  return fields
}

export interface ReadMessage {
  readonly message: WireObject
  readonly blocks: readonly Block[]
}

const writers: Readonly<
  Record<Group, (blocks: readonly Block[], at: string, content: JsonValue | undefined) => JsonValue>
> = {
  reasoning: joinTexts,
  content: writeContent,
  refusal: joinTexts,
  audio: (blocks, at) => writeSpoken(blocks[0] as AudioBlock, at),
  calls: (blocks) => blocks.map((block) => writeToolCall(block as ToolCallBlock)),
}

function joinTexts(blocks: readonly Block[]): string {
  return blocks.map((block) => ("text" in block ? block.text : "")).join("\n\n")
}

/**
 * Text alone is a string, everything else a list of parts. Content that was a string stays one: some chat templates cannot
 * read parts, so further texts follow after a blank line.
 */
export function writeContent(blocks: readonly Block[], at: string, before?: JsonValue): JsonValue {
  const texts = blocks.every((block): block is TextBlock => block.type === "text" && !originals.has(block))
  if (texts && (blocks.length === 1 || isText(before))) return joinTexts(blocks)
  return blocks.map((block, index) => originals.get(block) ?? writePart(block, `${at}.blocks[${index}]`))
}

function writePart(block: Block, at: string): JsonValue {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", text: block.text }
    case "image": {
      const url = writeUrl(block.source)
      if (url === undefined) throw refuse(`${at} is an image that only its own service can find`)
      return { type: "image_url", image_url: withoutUndefined({ url, detail: block.detail }) }
    }
    case "audio": {
      const { source } = block
      if (source.kind !== "base64") throw refuse(`${at} is audio without its data`)
      return { type: "input_audio", input_audio: writeAudio(source) }
    }
    case "file": {
      const { source, name } = block
      if (source.kind === "id") return { type: "file", file: withoutUndefined({ file_id: source.id, filename: name }) }
      if (source.kind === "url" && !source.url.startsWith("data:")) throw refuse(`${at} is a file without its data`)
      return { type: "file", file: withoutUndefined({ file_data: writeUrl(source), filename: name }) }
    }
    case "opaque":
      if (block.dialect === dialectId) return block.value
      if (block.text !== undefined) return { type: "text", text: block.text }
      break
    default:
  }
  throw refuse(`${at} is of type "${block.type}", which a message cannot hold there`)
}

/** What the assistant said aloud goes back by its id. */
function writeSpoken(block: AudioBlock, at: string): JsonValue {
  const original = originals.get(block)
  if (original !== undefined) return original
  const { source, transcript } = block
  if (source.kind === "id") return withoutUndefined({ id: source.id, transcript })
  if (source.kind === "base64") return withoutUndefined({ id: "", data: source.data, expires_at: 0, transcript })
  throw refuse(`${at} holds audio that stands elsewhere`)
}

function writeToolCall(block: ToolCallBlock): JsonValue {
  const { id, name, arguments: text, form } = block
  return (
    originals.get(block) ??
    (form === "custom"
      ? { id, type: "custom", custom: { name, input: text } }
      : { id, type: "function", function: { name, arguments: text } })
  )
}
