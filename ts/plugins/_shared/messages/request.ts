// Messages requests, to and from the canonical form.

import {
  type ChatRequest,
  type Generation,
  type JsonValue,
  lazyField,
  type OutputFormat,
  type ReasoningRequest,
  type RequestTarget,
  type WireObject,
} from "../../../kernel/index.ts"
import { checkPortableChat } from "../chat-completions/portable-request.ts"
import { isAnything, isNumber, isTexts, knownFields, toNumber } from "../dialect/known-fields.ts"
import { bodyOrigin, buildBody, commonParts, isForeign, type PartWriters, patchBody } from "../dialect/request-body.ts"
import { hasFields, isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { isForeignThinking } from "./blocks.ts"
import { hasForeignCitations, withoutForeignCitations } from "./citations.ts"
import { checkRequest } from "./check-request.ts"
import { RequestOrigin } from "./portable-request.ts"
import { effortOf, isInsideCalls, withThinking } from "./thinking.ts"
import { readTool, readToolChoice, writeTool, writeToolChoice } from "./tools.ts"
import { readTurns, writeTurns } from "./turns.ts"
import { dialectId, refuse } from "./wire.ts"

const withTurns = lazyField("turns", readTurns)

/** Reads a body that is already parsed. Throws `invalid_request` that names the field. The turns are read on first use. */
export function readRequest(value: unknown): ChatRequest {
  const body = checkRequest(value)
  const origin = new RequestOrigin(dialectId, body)
  const { toolChoice, parallelToolCalls } = readToolChoice(pick(body, "tool_choice"))
  const user = pick(body, "metadata") as { readonly user_id: string } | undefined
  const fields: Omit<ChatRequest, "turns"> = {
    model: body["model"] as string,
    tools: toList(body["tools"]).map(readTool),
    toolChoice,
    parallelToolCalls,
    generation: readGeneration(body),
    output: readOutput(body),
    reasoning: readReasoning(body),
    stream: body["stream"] === true,
    session: user === undefined ? {} : { user: user.user_id },
    extensions: extensionsOf(body),
    origin,
  }
  return origin.of(withTurns(fields, body))
}

/** The body for an upstream. What only other vendors can prove is left out. */
export function writeRequest(request: ChatRequest, { model, card }: RequestTarget): WireObject {
  if (isForeign(request, dialectId)) checkForeign(request)
  const options = { dialectId, parts, model }
  const body = patchBody(request, options) ?? buildBody(request, options)
  return withoutForeignProofs(withEffort(withLimit(body, request, card), request))
}

/** What every Claude since version 4 can write. A limit above a model's own would be refused, and a lower one cuts long replies. */
const usualLimit = 32_000

/** Backends refuse a request without a limit. One of a client of this dialect is theirs to refuse. */
function withLimit(body: WireObject, request: ChatRequest, card: RequestTarget["card"]): WireObject {
  const origin = bodyOrigin(request, dialectId)
  if ("max_tokens" in body || (origin !== undefined && !("max_tokens" in origin.original))) return body
  return { ...body, max_tokens: (card?.["max_output_tokens"] as number | undefined) ?? usualLimit }
}

/** With the effort of a request, unless that is what the client asked for in its own words. */
function withEffort(body: WireObject, request: ChatRequest): WireObject {
  const { effort, budgetTokens } = request.reasoning ?? {}
  if (effort === undefined || budgetTokens !== undefined) return body
  const origin = bodyOrigin(request, dialectId)
  const isAsked = origin !== undefined && (request.reasoning === origin.node.reasoning || hasEffort(origin.original))
  return isAsked ? body : withThinking(body, effort)
}

/** What a backend of this dialect would not do, and the client would miss. */
function checkForeign(request: ChatRequest): void {
  checkPortableChat(request)
  const {
    generation: { count = 1, logprobs },
    output,
    extensions,
  } = request
  if (count > 1) throw refuse("n is more than 1, and a backend gives one reply")
  if (logprobs === true) throw refuse("logprobs is true, and a backend gives none")
  if (output?.type === "opaque") throw refuse("response_format is one that only another service knows")
  for (const name of ["functions", "web_search_options"])
    if (name in extensions) throw refuse(`${name} is something that only another service has`)
  if (toList(extensions["modalities"]).includes("audio")) throw refuse("modalities asks for audio")
}

/** Thinking and citations that another vendor's backend wrote come back from the client, and a backend of this dialect refuses them. */
function withoutForeignProofs(body: WireObject): WireObject {
  let changed = false
  let thinks = false
  const messages = toList(body["messages"]).flatMap((message) => {
    const content = isObject(message) && message["role"] === "assistant" ? toList(message["content"]) : []
    if (!content.some((block) => isForeignThinking(block) || hasForeignCitations(block))) return [message]
    const kept = content.filter((block) => !isForeignThinking(block)).map(withoutForeignCitations)
    thinks ||= kept.length < content.length
    changed = true
    return kept.length === 0 ? [] : [{ ...(message as WireObject), content: kept }]
  })
  if (!changed) return body
  if (!thinks) return { ...body, messages }
  // With a budget, calls have to stand behind thinking.
  const { thinking: _, ...rest } = body
  return { ...(pick(body, "thinking") !== undefined && isInsideCalls(messages) ? rest : body), messages }
}

// ── fields ──

const { pick, extensionsOf } = knownFields({
  model: isAnything,
  messages: isAnything,
  system: isAnything,
  stream: isAnything,
  tools: Array.isArray,
  tool_choice: isObject,
  max_tokens: isNumber,
  temperature: isNumber,
  top_p: isNumber,
  top_k: isNumber,
  stop_sequences: isTexts,
  thinking: (value) => isObject(value) && value["type"] === "enabled" && toNumber(value["budget_tokens"]) !== undefined,
  output_config: isObject,
  output_format: isObject,
  metadata: (value) => isObject(value) && Object.keys(value).length === 1 && isText(value["user_id"]),
})

const numbers = { maxOutputTokens: "max_tokens", temperature: "temperature", topP: "top_p", topK: "top_k" } as const
const numberFields = Object.entries(numbers) as readonly (readonly [keyof typeof numbers, string])[]

function readGeneration(body: WireObject): Generation {
  const stop = pick(body, "stop_sequences")
  return withoutUndefined({
    ...Object.fromEntries(numberFields.map(([name, field]) => [name, toNumber(pick(body, field))])),
    stop,
  }) as Generation
}

function writeGeneration({ generation }: ChatRequest): WireObject {
  const { temperature, maxOutputTokens, topP, topK, stop } = generation
  return withoutUndefined({
    max_tokens: maxOutputTokens,
    // Other dialects go up to 2.
    temperature: temperature !== undefined && temperature > 1 ? 1 : temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: stop,
  })
}

const hasEffort = ({ output_config: config }: WireObject): boolean => isObject(config) && isText(config["effort"])

function readReasoning(body: WireObject): ReasoningRequest | undefined {
  const config = body["output_config"]
  const thinking = pick(body, "thinking") as WireObject | undefined
  const budgetTokens = toNumber(thinking?.["budget_tokens"])
  const effort = isObject(config) && isText(config["effort"]) ? config["effort"] : undefined
  if (budgetTokens !== undefined) return { effort: effort ?? effortOf(budgetTokens), budgetTokens }
  return effort === undefined ? undefined : { effort: effort === "max" ? "xhigh" : effort }
}

/** `output_format` is the older field. */
function readOutput({ output_config: config, output_format: older }: WireObject): OutputFormat | undefined {
  const format = (isObject(config) ? config["format"] : undefined) ?? older
  if (!isObject(format)) return undefined
  return format["type"] === "json_schema" && format["schema"] !== undefined
    ? { type: "json_schema", name: "reply", schema: format["schema"] }
    : { type: "opaque", value: format }
}

/** The format of the reply and the effort stand in one field, which may hold more. */
function writeControls({ reasoning, output }: ChatRequest, body: WireObject): WireObject {
  const before = isObject(body["output_config"]) ? body["output_config"] : {}
  const { effort: asked, format: _, ...rest } = before
  const effort = isText(asked) && reasoning?.effort !== undefined ? changedEffort(asked, reasoning.effort) : undefined
  const format = output && writeOutput(output)
  const isOlder = isObject(body["output_format"]) && !("format" in before)
  const config = withoutUndefined({ ...rest, effort, format: isOlder ? undefined : format })
  const thinking = body["thinking"]
  return withoutUndefined({
    thinking:
      reasoning?.budgetTokens === undefined
        ? undefined
        : { ...(isObject(thinking) && thinking), type: "enabled", budget_tokens: reasoning.budgetTokens },
    output_config: hasFields(config) ? config : undefined,
    output_format: isOlder ? format : undefined,
  })
}

/** Other dialects have no name for the highest. */
const changedEffort = (asked: string, effort: string): string =>
  asked === "max" && effort === "xhigh" ? asked : effort

/** Other dialects ask for any JSON in the prompt as well, so that the field can be left out. */
function writeOutput(output: OutputFormat): JsonValue | undefined {
  if (output.type === "json_schema") return { type: "json_schema", schema: output.schema }
  return output.type === "opaque" ? output.value : undefined
}

const writeTools = (request: ChatRequest): WireObject => ({
  ...(request.tools.length > 0 && { tools: request.tools.map(writeTool) }),
  ...withoutUndefined({ tool_choice: writeToolChoice(request, isForeign(request, dialectId)) }),
})

const parts: PartWriters = {
  ...commonParts,
  turns: (request) => ({ ...writeTurns(request.turns, isForeign(request, dialectId)) }),
  tools: writeTools,
  toolChoice: writeTools,
  parallelToolCalls: writeTools,
  generation: writeGeneration,
  reasoning: writeControls,
  output: writeControls,
  session: ({ session: { user } }) =>
    withoutUndefined({ metadata: user === undefined ? undefined : { user_id: user } }),
}
