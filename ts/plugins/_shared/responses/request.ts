// Responses requests, to and from the canonical form.

import {
  type ChatRequest,
  type Generation,
  type JsonValue,
  lazyField,
  type ReasoningRequest,
  type RequestTarget,
  type WireObject,
} from "../../../kernel/index.ts"
import { checkPortableChat } from "../chat-completions/portable-request.ts"
import { isAnything, isBoolean, isNumber, knownFields, toNumber } from "../dialect/known-fields.ts"
import { bodyOrigin, buildBody, commonParts, isForeign, type PartWriters, patchBody } from "../dialect/request-body.ts"
import { readFormat, writeFormat } from "../dialect/output-format.ts"
import { readToolChoice, writeToolChoice } from "../dialect/tools.ts"
import { hasFields, isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { checkRequest } from "./check-request.ts"
import { checkForeign, withSharedFields } from "./foreign-request.ts"
import { isForeignReasoning } from "./items.ts"
import { namespacesOf } from "./namespaces.ts"
import { RequestOrigin } from "./portable-request.ts"
import { nameOfChoice, readTool, writeTool } from "./tools.ts"
import { readTurns, writeTurns } from "./turns.ts"
import { dialectId } from "./wire.ts"

/** The body that a request of this dialect was read from. */
export const bodyOf = (request: ChatRequest | undefined): WireObject => bodyOrigin(request, dialectId)?.original ?? {}

const withTurns = lazyField("turns", readTurns)

/** Reads a body that is already parsed. Throws `invalid_request` that names the field. The turns are read on first use. */
export function readRequest(value: unknown): ChatRequest {
  const body = checkRequest(value)
  const origin = new RequestOrigin(dialectId, body)
  const fields: Omit<ChatRequest, "turns"> = {
    model: body["model"] as string,
    tools: toList(body["tools"]).map(readTool),
    toolChoice: readToolChoice(body["tool_choice"], nameOfChoice),
    parallelToolCalls: pick(body, "parallel_tool_calls") as boolean | undefined,
    generation: readGeneration(body),
    output: isObject(body["text"]) ? readFormat(body["text"]["format"], (format) => format) : undefined,
    reasoning: readReasoningRequest(body["reasoning"]),
    stream: body["stream"] === true,
    session: readSession(body),
    extensions: extensionsOf(body),
    origin,
  }
  return origin.of(withTurns(fields, body))
}

/** The body for an upstream. What other vendors thought is left out. */
export function writeRequest(request: ChatRequest, { model }: RequestTarget): WireObject {
  const options = { dialectId, parts, model }
  const patched = patchBody(request, options)
  if (patched !== undefined) return withoutForeignReasoning(patched)
  if (!isForeign(request, dialectId)) return buildBody(request, options)
  checkPortableChat(request)
  const body = buildBody(request, options)
  checkForeign(request)
  const { reasoning, session } = request
  return {
    ...withSharedFields(body, request),
    // Only this API keeps what it is not told to forget.
    store: session.store ?? false,
    // Clients of other protocols send reasoning back where they can hold it.
    ...(reasoning !== undefined &&
      reasoning.effort !== "none" && { include: withIncluded(request, {}, "reasoning.encrypted_content") }),
  }
}

function withoutForeignReasoning(body: WireObject): WireObject {
  const input = toList(body["input"])
  return input.some(isForeignReasoning) ? { ...body, input: input.filter((item) => !isForeignReasoning(item)) } : body
}

// ── fields ──

/** What a client includes to get log probabilities. */
const logprobsIncluded = "message.output_text.logprobs"

const { pick, extensionsOf } = knownFields({
  model: isAnything,
  input: isAnything,
  instructions: isAnything,
  stream: isAnything,
  tools: Array.isArray,
  tool_choice: (value) => isText(value) || isObject(value),
  parallel_tool_calls: isBoolean,
  max_output_tokens: isNumber,
  temperature: isNumber,
  top_p: isNumber,
  top_logprobs: isNumber,
  include: (value) => Array.isArray(value) && value.every((each) => each === logprobsIncluded),
  text: isObject,
  reasoning: isObject,
  user: isText,
  store: isBoolean,
  metadata: (value) => isObject(value) && Object.values(value).every(isText),
  previous_response_id: isText,
  conversation: (value) => isText(value) || (isObject(value) && isText(value["id"])),
})

function readSession(body: WireObject): ChatRequest["session"] {
  const conversation = pick(body, "conversation")
  return withoutUndefined({
    user: pick(body, "user"),
    store: pick(body, "store"),
    metadata: pick(body, "metadata"),
    previousResponseId: pick(body, "previous_response_id"),
    conversation: isObject(conversation) ? conversation["id"] : conversation,
  }) as ChatRequest["session"]
}

function readGeneration(body: WireObject): Generation {
  return withoutUndefined({
    maxOutputTokens: toNumber(pick(body, "max_output_tokens")),
    temperature: toNumber(pick(body, "temperature")),
    topP: toNumber(pick(body, "top_p")),
    logprobs: toList(body["include"]).includes(logprobsIncluded) || undefined,
    topLogprobs: toNumber(pick(body, "top_logprobs")),
  }) as Generation
}

function readReasoningRequest(value: JsonValue | undefined): ReasoningRequest | undefined {
  if (!isObject(value)) return undefined
  const { effort, summary, generate_summary: older } = value
  const given = summary ?? older
  const read = { ...(isText(effort) && { effort }), ...(isText(given) && { summary: given }) }
  return hasFields(read) ? read : undefined
}

/** Most tokens of thought that other protocols give to each effort. */
const budgets = [
  ["low", 2048],
  ["medium", 8192],
] as const

function writeReasoningRequest(reasoning: ReasoningRequest | undefined, body: WireObject): WireObject {
  const {
    effort: _,
    summary: __,
    generate_summary: ___,
    ...others
  } = isObject(body["reasoning"]) ? body["reasoning"] : {}
  const { effort, budgetTokens, summary } = reasoning ?? {}
  const fields = withoutUndefined({
    ...others,
    effort:
      effort ??
      (budgetTokens === undefined ? undefined : (budgets.find(([, most]) => budgetTokens <= most)?.[0] ?? "high")),
    summary,
  })
  return hasFields(fields) ? { reasoning: fields } : {}
}

/** The `include` of a request with one more entry. */
function withIncluded({ generation }: ChatRequest, body: WireObject, more?: string): readonly JsonValue[] {
  const others = toList(body["include"]).filter((each) => each !== logprobsIncluded && each !== more)
  const logprobs = generation.logprobs === true ? [logprobsIncluded] : []
  return [...others, ...logprobs, ...(more === undefined ? [] : [more])]
}

const parts: PartWriters = {
  ...commonParts,
  turns: (request) => writeTurns(request.turns, namespacesOf(bodyOf(request))),
  tools: ({ tools }) => withoutUndefined({ tools: tools.length === 0 ? undefined : tools.map(writeTool) }),
  toolChoice: ({ toolChoice, tools }) =>
    withoutUndefined({
      tool_choice: toolChoice && writeToolChoice(toolChoice, tools, (type, name) => ({ type, name })),
    }),
  generation: (request, body) => {
    const { maxOutputTokens, temperature, topP, topLogprobs, logprobs } = request.generation
    const had = toList(body["include"]).includes(logprobsIncluded)
    return {
      ...withoutUndefined({ max_output_tokens: maxOutputTokens, temperature, top_p: topP, top_logprobs: topLogprobs }),
      ...((logprobs === true) !== had && { include: withIncluded(request, body) }),
    }
  },
  output: ({ output }, body) => {
    const { format: _, ...others } = isObject(body["text"]) ? body["text"] : {}
    const text: WireObject = {
      ...others,
      ...(output !== undefined && { format: writeFormat(output, (named) => named) }),
    }
    return withoutUndefined({ text: hasFields(text) ? text : undefined })
  },
  reasoning: ({ reasoning }, body) => writeReasoningRequest(reasoning, body),
  session: ({ session: { user, store, metadata, previousResponseId, conversation } }) =>
    withoutUndefined({ user, store, metadata, previous_response_id: previousResponseId, conversation }),
}
