// The output of a reply: items from blocks, and the response object around them.

import type {
  Block,
  ChatRequest,
  JsonValue,
  StopReason,
  TokenLogprob,
  Usage,
  WireObject,
} from "../../../kernel/index.ts"
import { annotationsOf } from "./annotations.ts"
import { writeTokens } from "../dialect/logprobs.ts"
import { replyId } from "../dialect/reply-id.ts"
import { withoutUndefined } from "../dialect/wire.ts"
import { itemOf, writeCall, writeSeal } from "./items.ts"
import { type Namespaces, namespacesOf } from "./namespaces.ts"
import { partOf } from "./parts.ts"
import { bodyOf } from "./request.ts"
import { writeUsage } from "./usage.ts"
import { dialectId, makeId, refuse } from "./wire.ts"

/** The items for the blocks of a reply. Texts and refusals that follow each other are one message. */
export function writeOutput(
  blocks: readonly Block[],
  { logprobs, asked }: { readonly logprobs: readonly TokenLogprob[] | undefined; readonly asked: WireObject },
): readonly WireObject[] {
  const namespaces = namespacesOf(asked)
  const items: WireObject[] = []
  let message: { readonly item: WireObject; readonly content: JsonValue[] } | undefined
  const first = blocks.find(({ type }) => type === "text")
  for (const block of blocks) {
    const read = itemOf(block)?.item
    const part = contentPart(block, block === first ? logprobs : undefined)
    if (part === undefined) {
      // What only another dialect knows is left out, as from a stream.
      if (block.type === "opaque" && block.dialect !== dialectId) continue
      message = undefined
      items.push(read ?? wholeItem(block, { namespaces }))
      continue
    }
    if (message === undefined || (read !== undefined && message.item["id"] !== read["id"])) {
      const content: JsonValue[] = []
      message = { item: { ...(read ?? messageItem(makeId("msg"))), content }, content }
      items.push(message.item)
    }
    message.content.push(part)
  }
  return items
}

/** The part of a message for a block; undefined for a block that is an item of its own. */
function contentPart(block: Block, logprobs: readonly TokenLogprob[] | undefined): JsonValue | undefined {
  const original = partOf(block)
  if (original !== undefined) return original
  if (block.type === "text") return textPart(block.text, logprobs, annotationsOf(block))
  if (block.type === "refusal") return { type: "refusal", refusal: block.text }
  // What the model said aloud.
  return block.type === "audio" && block.transcript !== undefined ? textPart(block.transcript) : undefined
}

export const textPart = (
  text: string,
  logprobs: readonly TokenLogprob[] = [],
  annotations: readonly WireObject[] = [],
): WireObject => ({
  type: "output_text",
  annotations,
  logprobs: writeTokens(logprobs),
  text,
})

export const messageItem = (id: string, content: readonly JsonValue[] = []): WireObject => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content,
})

/** An item for a block that is no part of a message. Throws `invalid_request` for what a reply cannot hold. */
export function wholeItem(
  block: Block,
  { id, namespaces }: { readonly id?: string; readonly namespaces?: Namespaces } = {},
): WireObject {
  switch (block.type) {
    case "tool_call":
      return {
        id: id ?? makeId(block.form === "custom" ? "ctc" : "fc"),
        status: "completed",
        ...writeCall(block, namespaces),
      }
    case "reasoning":
      return {
        id: id ?? makeId("rs"),
        type: "reasoning",
        summary: [],
        ...(block.text !== "" && { content: [{ type: "reasoning_text", text: block.text }] }),
        ...writeSeal(block),
        status: "completed",
      }
    case "image":
      if (block.source.kind !== "base64") break
      return { id: id ?? makeId("ig"), type: "image_generation_call", status: "completed", result: block.source.data }
    case "opaque":
      if (block.dialect === dialectId) return block.value as WireObject
      break
    default:
  }
  throw refuse(`the reply holds "${block.type}", which has no counterpart`)
}

// ── the response ──

export interface ResponseHead {
  readonly id: string
  readonly model: string
  readonly created: number
}

/** How a response ended, or that it has not. */
export interface ResponseEnd {
  readonly output: readonly WireObject[]
  readonly stop?: StopReason | undefined
  readonly usage?: Usage | undefined
  readonly failed?: { readonly message: string; readonly code?: string | undefined } | undefined
}

/** Fields of the request that the API repeats in its response. */
const repeated = [
  "background",
  "max_output_tokens",
  "max_tool_calls",
  "prompt_cache_key",
  "safety_identifier",
  "store",
  "top_logprobs",
  "user",
] as const

/** The response object. `end` is left out while it is under way. */
export function responseOf(
  { id, model, created }: ResponseHead,
  request: ChatRequest | undefined,
  end?: ResponseEnd,
): WireObject {
  const asked = bodyOf(request)
  const { stop, failed, usage } = end ?? {}
  return {
    id: replyId(id, "resp_"),
    object: "response",
    created_at: created,
    status:
      failed !== undefined ? "failed" : end === undefined ? "in_progress" : (statuses[stop ?? "stop"] ?? "completed"),
    error: failed === undefined ? null : { code: failed.code ?? "server_error", message: failed.message },
    incomplete_details: failed === undefined ? incompleteOf(stop) : null,
    instructions: asked["instructions"] ?? null,
    metadata: asked["metadata"] ?? {},
    model,
    output: end?.output ?? [],
    parallel_tool_calls: asked["parallel_tool_calls"] ?? true,
    previous_response_id: asked["previous_response_id"] ?? null,
    reasoning: asked["reasoning"] ?? { effort: null, summary: null },
    temperature: asked["temperature"] ?? 1,
    text: asked["text"] ?? { format: { type: "text" } },
    tool_choice: asked["tool_choice"] ?? "auto",
    tools: asked["tools"] ?? [],
    top_p: asked["top_p"] ?? 1,
    truncation: asked["truncation"] ?? "disabled",
    usage: usage === undefined ? null : writeUsage(usage),
    ...withoutUndefined(Object.fromEntries(repeated.map((name) => [name, asked[name]]))),
  }
}

const statuses: Partial<Record<StopReason, string>> = {
  length: "incomplete",
  content_filter: "incomplete",
  refusal: "incomplete",
}

/** Why a reply has no proper end; null for one that has. */
export function incompleteOf(stop: StopReason | undefined): JsonValue {
  if (stop === "length") return { reason: "max_output_tokens" }
  return stop === "content_filter" || stop === "refusal" ? { reason: "content_filter" } : null
}

export const statusOf = (stop: StopReason): string => statuses[stop] ?? "completed"
