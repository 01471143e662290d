// Whole Responses replies, to and from the canonical form.

import {
  type Block,
  type ChatReply,
  type ChatRequest,
  type JsonValue,
  type ReplyChoice,
  type StopReason,
  type TokenLogprob,
  type WireObject,
} from "../../../kernel/index.ts"
import { keepReply, parseReply, readHead, writeKept } from "../dialect/kept-reply.ts"
import { badReply, failedReply } from "../dialect/refusals.ts"
import { isObject, isText, toList } from "../dialect/wire.ts"
import { readError } from "./errors.ts"
import { readItem } from "./items.ts"
import { incompleteOf, responseOf, statusOf, writeOutput } from "./output.ts"
import { partOf } from "./parts.ts"
import { bodyOf } from "./request.ts"
import { readLogprobs, readUsage, writeUsage } from "./usage.ts"
import { dialectId } from "./wire.ts"

/** Reads an upstream's reply. Throws `upstream_error` for what is none, and for one that failed. The output is read on first use. */
export function readReply(text: string): ChatReply {
  const body = checkReply(text)
  const fields = { ...readHead(body, body["created_at"]), usage: readUsage(body["usage"]) }
  return keepReply({ dialectId, text, body }, fields, () => [readChoice(body)])
}

function checkReply(text: string): WireObject {
  const body = parseReply(text)
  const { output, status, error } = body
  // Some backends and proxies report an error with a good status.
  const said = readError(body) ?? (status === "failed" && isObject(error) ? readError({ error }) : undefined)
  if (said !== undefined) throw failedReply(said.message)
  if (status === "failed" || status === "cancelled") throw badReply(`the reply is of status "${status}"`)
  if (status === "queued" || status === "in_progress")
    throw badReply(`the reply is of status "${status}" and has not ended`)
  if (!Array.isArray(output))
    throw badReply(`"output" of the reply ${output === undefined ? "is missing" : "is not a list"}`)
  output.forEach((item, index) => checkItem(item, `output[${index}]`))
  return body
}

function checkItem(item: unknown, at: string): void {
  if (!isObject(item)) throw badReply(`${at} of the reply is not an object`)
  for (const name of ["content", "summary"] as const) {
    const parts = item[name]
    if (parts !== undefined && parts !== null && !(Array.isArray(parts) && parts.every(isObject)) && !isText(parts))
      throw badReply(`${at}.${name} of the reply is not a list of parts`)
  }
}

export function readChoice(body: WireObject): ReplyChoice {
  const blocks = toList(body["output"]).flatMap((item) => readItem(item as WireObject).blocks)
  const logprobs = blocks.flatMap(tokensOf)
  return { blocks, stop: readStop(body, blocks), ...(logprobs.length > 0 && { logprobs }) }
}

const tokensOf = (block: Block): readonly TokenLogprob[] =>
  block.type === "text" ? (readLogprobs(partOf(block)?.["logprobs"]) ?? []) : []

/** The API has no word for a reply that calls tools. */
export function readStop(
  { status, incomplete_details: details }: WireObject,
  blocks: readonly Pick<Block, "type">[],
): StopReason {
  if (status === "incomplete") {
    const reason = isObject(details) ? details["reason"] : undefined
    return reason === "content_filter" ? reason : reason === "max_output_tokens" ? "length" : "other"
  }
  return blocks.some(({ type }) => type === "tool_call") ? "tool_calls" : "stop"
}

/** The reply for the client. One that this dialect read and nobody changed keeps its own text. */
export const writeReply = (reply: ChatReply, metadata: WireObject, request?: ChatRequest): string =>
  writeKept(reply, metadata, {
    dialectId,
    build: () => buildReply(reply, request),
    patch: (_, body, read) => patchReply(reply, { body, read, asked: bodyOf(request) }),
  })

/** A response is one reply; of several the first is written. */
function buildReply(reply: ChatReply, request: ChatRequest | undefined): WireObject {
  const [choice] = reply.choices
  const { blocks, stop, logprobs } = choice ?? { blocks: [], stop: "other" as const }
  return responseOf(reply, request, {
    output: writeOutput(blocks, { logprobs, asked: bodyOf(request) }),
    stop,
    usage: reply.usage,
  })
}

function patchReply(
  reply: ChatReply,
  { body, read, asked }: { readonly body: WireObject; readonly read: ChatReply; readonly asked: WireObject },
): WireObject {
  const fields: Record<string, JsonValue> = { ...body }
  if (reply.id !== read.id) fields["id"] = reply.id
  if (reply.model !== read.model) fields["model"] = reply.model
  if (reply.created !== read.created) fields["created_at"] = reply.created
  if (reply.usage !== read.usage) fields["usage"] = reply.usage === undefined ? null : writeUsage(reply.usage)
  if (reply.choices === read.choices) return fields
  const [choice] = reply.choices
  const before = read.choices[0]
  if (choice === undefined || choice === before) return fields
  // Repeats the text of the output.
  delete fields["output_text"]
  fields["output"] = writeOutput(choice.blocks, { logprobs: choice.logprobs, asked })
  if (choice.stop !== before?.stop) {
    fields["status"] = statusOf(choice.stop)
    fields["incomplete_details"] = incompleteOf(choice.stop)
  }
  return fields
}
