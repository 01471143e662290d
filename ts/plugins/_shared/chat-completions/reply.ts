// Whole chat-completions replies, to and from the canonical form.

import {
  type Block,
  type ChatReply,
  type Citation,
  type JsonValue,
  type ReplyChoice,
  type StopReason,
  type TokenLogprob,
  type Usage,
  type WireObject,
} from "../../../kernel/index.ts"
import { readBlocks, writeBlocks } from "./blocks.ts"
import { checkReply } from "./check-reply.ts"
import { choiceDeviates, deviates } from "./deviations.ts"
import { charactersIn, writePage } from "../dialect/citations.ts"
import { keepReply, readHead, writeKept } from "../dialect/kept-reply.ts"
import { readTokens, writeTokens } from "../dialect/logprobs.ts"
import { isCount, isObject, toList, withoutUndefined } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

const choiceOriginals = new WeakMap<ReplyChoice, JsonValue>()

/** Reads an upstream's reply. Throws `upstream_error` for what is none. Choices are read on first use. */
export function readReply(text: string): ChatReply {
  const body = checkReply(text)
  const { choices, created, usage } = body
  const fields = { ...readHead(body, created), usage: readUsage(usage) }
  return deviates(body)
    ? { ...fields, choices: toList(choices).map(readChoice) }
    : keepReply({ dialectId, text, body }, fields, () => toList(choices).map(readChoice))
}

/** The reply for the client. One that nobody changed keeps its own text; in another, untouched choices and unknown fields do. */
export const writeReply = (reply: ChatReply, metadata: WireObject): string =>
  writeKept(reply, metadata, { dialectId, build: buildReply, patch: patchReply })

function buildReply({ id, created, model, choices, usage }: ChatReply): WireObject {
  return {
    id,
    object: "chat.completion",
    created,
    model,
    choices: choices.map(writeChoice),
    ...(usage !== undefined && { usage: writeUsage(usage) }),
  }
}

function patchReply(reply: ChatReply, body: WireObject, read: ChatReply): WireObject {
  const fields: Record<string, JsonValue> = { ...body }
  for (const name of ["id", "model", "created"] as const) if (reply[name] !== read[name]) fields[name] = reply[name]
  if (reply.choices !== read.choices) fields["choices"] = reply.choices.map(writeChoice)
  if (reply.usage !== read.usage) {
    delete fields["usage"]
    if (reply.usage !== undefined) fields["usage"] = writeUsage(reply.usage)
  }
  return fields
}

// ── choices ──

function readChoice(value: JsonValue): ReplyChoice {
  const { message, finish_reason: reason, logprobs } = isObject(value) ? value : {}
  const read = readLogprobs(logprobs)
  const choice: ReplyChoice = {
    blocks: isObject(message) ? readBlocks(message) : [],
    stop: readStop(reason) ?? "other",
    ...(read !== undefined && { logprobs: read }),
  }
  if (!choiceDeviates(value)) choiceOriginals.set(choice, value)
  return choice
}

function writeChoice(choice: ReplyChoice, index: number): JsonValue {
  const original = choiceOriginals.get(choice)
  if (original !== undefined) return original
  const { stop, logprobs } = choice
  // What only another dialect knows is left out, as from a stream.
  const blocks = choice.blocks.filter(
    (block) => block.type !== "opaque" || block.dialect === dialectId || block.text !== undefined,
  )
  return {
    index,
    message: {
      role: "assistant",
      ...writeBlocks(withOneText(blocks), { assistant: true, at: `choices[${index}]` }),
      ...annotationsOf(blocks),
    },
    ...(logprobs !== undefined && { logprobs: writeLogprobs(logprobs) }),
    finish_reason: writeStop(stop),
  }
}

/** The pages that the texts of a message rest on; the wire knows nothing else to cite. */
function annotationsOf(blocks: readonly Block[]): WireObject {
  if (!blocks.some((block) => "citations" in block)) return {}
  let offset = 0
  const annotations = blocks.flatMap((block) => {
    if (block.type !== "text") return []
    const length = charactersIn(block.text)
    offset += length
    return writeAnnotations(block.citations ?? [], length, offset - length)
  })
  return annotations.length > 0 ? { annotations } : {}
}

/** Those of a text of this length that begins at the offset. */
export const writeAnnotations = (citations: readonly Citation[], length: number, offset: number): JsonValue[] =>
  citations.flatMap((citation) =>
    writePage(citation, length, offset).map((page) => ({ type: "url_citation", url_citation: page })),
  )

/** A message has one text, into which clients put all that a stream brings. */
function withOneText(blocks: readonly Block[]): readonly Block[] {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.length < 2
    ? blocks
    : [{ type: "text", text: texts.join("") }, ...blocks.filter(({ type }) => type !== "text")]
}

/** Undefined while a stream has none. */
export function readStop(reason: JsonValue | undefined): StopReason | undefined {
  switch (reason) {
    case undefined:
    case null:
    case "":
      return undefined
    case "stop":
    case "length":
    case "tool_calls":
    case "content_filter":
      return reason
    case "function_call":
      return "tool_calls"
    default:
      return "other"
  }
}

const otherStops: Partial<Record<StopReason, string>> = { refusal: "content_filter", pause: "stop", other: "stop" }

export const writeStop = (stop: StopReason): string => otherStops[stop] ?? stop

export const readLogprobs = (value: JsonValue | undefined): readonly TokenLogprob[] | undefined =>
  isObject(value) && Array.isArray(value["content"]) ? readTokens(value["content"]) : undefined

export const writeLogprobs = (logprobs: readonly TokenLogprob[]): WireObject => ({
  content: writeTokens(logprobs),
  refusal: null,
})

// ── usage ──

/** Undefined unless both counts are numbers. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isObject(value)) return undefined
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = value
  const { prompt_tokens_details: ins, completion_tokens_details: outs } = value
  if (!isCount(input) || !isCount(output)) return undefined
  const { cached_tokens, cache_write_tokens: written } = isObject(ins) ? ins : {}
  const { reasoning_tokens } = isObject(outs) ? outs : {}
  // OpenAI's place, DeepSeek's and Moonshot's.
  const cached = [cached_tokens, value["prompt_cache_hit_tokens"], value["cached_tokens"]].find(isCount)
  // Gemini and xAI count reasoning beside the completion, and in the total.
  const beside = isCount(total) ? Math.max(0, total - input - output) : 0
  const reasoning = isCount(reasoning_tokens) ? reasoning_tokens : beside || undefined
  return {
    inputTokens: input,
    outputTokens: reasoning === beside ? output + beside : output,
    cachedInputTokens: cached ?? 0,
    ...(isCount(written) && written > 0 && { cacheWriteTokens: written }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
}

export function writeUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens }: Usage): WireObject {
  return withoutUndefined({
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: cachedInputTokens === 0 ? undefined : { cached_tokens: cachedInputTokens },
    completion_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  })
}
