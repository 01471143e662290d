// Whole Messages replies, to and from the canonical form.

import {
  type Block,
  type ChatReply,
  parseExactJson,
  type JsonValue,
  type ReplyChoice,
  type WireObject,
} from "../../../kernel/index.ts"
import { keepReply, parseReply, readHead, writeKept } from "../dialect/kept-reply.ts"
import { badReply, failedReply } from "../dialect/refusals.ts"
import { replyId } from "../dialect/reply-id.ts"
import { isObject, toList } from "../dialect/wire.ts"
import { originalOf, readBlock, replySignature, writeRedacted, writeReplyCall } from "./blocks.ts"
import { writeCited } from "./citations.ts"
import { readError } from "./errors.ts"
import { type Contents, readStop, writeStop } from "./stop.ts"
import { readUsage, writeUsage } from "./usage.ts"
import { dialectId } from "./wire.ts"

/** Reads an upstream's reply. Throws `upstream_error` for what is none. The content is read on first use. */
export function readReply(text: string): ChatReply {
  const body = checkReply(text)
  const fields = { ...readHead(body, now()), usage: readUsage(body["usage"]) }
  return keepReply({ dialectId, text, body }, fields, () => [readChoice(body)])
}

/** The wire does not tell when a reply was made. */
export const now = (): number => Math.floor(Date.now() / 1000)

function checkReply(text: string): WireObject {
  const body = parseReply(text)
  const { content } = body
  if (Array.isArray(content) && content.every(isObject)) return parseExactJson(text) as WireObject
  const failed = readError(body)
  if (failed !== undefined) throw failedReply(failed.message)
  throw badReply(`"content" of the reply ${content === undefined ? "is missing" : "is not a list of blocks"}`)
}

function readChoice({ content, stop_reason: reason }: WireObject): ReplyChoice {
  return { blocks: toList(content).map(readBlock), stop: readStop(reason) ?? "other" }
}

/** The reply for the client. One that nobody changed keeps its own text; in another, untouched blocks and unknown fields do. */
export const writeReply = (reply: ChatReply, metadata: WireObject): string =>
  writeKept(reply, metadata, { dialectId, build: buildReply, patch: patchReply })

function buildReply({ id, model, choices: [choice], usage }: ChatReply): WireObject {
  const { blocks, stop } = choice ?? { blocks: [], stop: "other" as const }
  return {
    id: replyId(id, "msg_"),
    type: "message",
    role: "assistant",
    model,
    content: writeBlocks(blocks),
    stop_reason: writeStop(stop, contentsOf(blocks)),
    stop_sequence: null,
    usage: usage === undefined ? { input_tokens: 0, output_tokens: 0 } : writeUsage(usage),
  }
}

const contentsOf = (blocks: readonly Block[]): Contents => ({
  refused: blocks.some(({ type }) => type === "refusal"),
  called: blocks.some(({ type }) => type === "tool_call"),
})

function patchReply(reply: ChatReply, body: WireObject, read: ChatReply): WireObject {
  const fields: Record<string, JsonValue> = { ...body }
  for (const name of ["id", "model"] as const) if (reply[name] !== read[name]) fields[name] = reply[name]
  const [choice] = reply.choices
  const [before] = read.choices
  if (choice !== undefined && choice.blocks !== before?.blocks) fields["content"] = writeBlocks(choice.blocks)
  if (choice !== undefined && choice.stop !== before?.stop)
    fields["stop_reason"] = writeStop(choice.stop, contentsOf(choice.blocks))
  if (reply.usage !== read.usage && reply.usage !== undefined) fields["usage"] = writeUsage(reply.usage)
  return fields
}

function writeBlocks(blocks: readonly Block[]): readonly JsonValue[] {
  return blocks.flatMap((block) => {
    const original = originalOf(block)
    if (original !== undefined) return [original]
    if (block.type === "text" && block.citations !== undefined) return writeCited(block)
    return writeBlock(block) ?? []
  })
}

/** Undefined for what a reply of this dialect cannot hold. */
function writeBlock(block: Block): JsonValue | undefined {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", text: block.text }
    case "tool_call":
      return writeReplyCall(block)
    case "reasoning":
      return (
        writeRedacted(block.signature) ?? { type: "thinking", thinking: block.text, signature: replySignature(block) }
      )
    case "audio":
      return block.transcript === undefined ? undefined : { type: "text", text: block.transcript }
    case "opaque":
      return block.dialect === dialectId
        ? block.value
        : block.text === undefined
          ? undefined
          : { type: "text", text: block.text }
    default:
      return undefined
  }
}
