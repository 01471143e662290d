// Chat-completions requests, to and from the canonical form.

import {
  type ChatRequest,
  type Generation,
  type JsonValue,
  lazyField,
  type RequestTarget,
  type Tool,
  type Turn,
  type WireObject,
} from "../../../kernel/index.ts"
import { checkRequest } from "./check-request.ts"
import { readTurn, writeTurn } from "./turns.ts"
import { isAnything, isBoolean, isNumber, isTexts, knownFields, toNumber } from "../dialect/known-fields.ts"
import { ReadOrigin } from "../dialect/read-origin.ts"
import { buildBody, commonParts, isForeign, type PartWriters, patchBody } from "../dialect/request-body.ts"
import { readFormat, writeFormat } from "../dialect/output-format.ts"
import { createTools, readToolChoice, toTool, writeToolChoice } from "../dialect/tools.ts"
import { isObject, isText, toList, withoutUndefined } from "../dialect/wire.ts"
import { dialectId, refuse } from "./wire.ts"

const withTurns = lazyField("turns", (body: WireObject): readonly Turn[] =>
  toList(body["messages"]).map((message) => readTurn(message as WireObject)),
)

/**
 * Reads a body that is already parsed. Throws `invalid_request` that names the field. The turns are read on first use and
 * kept; the rest is read at once.
 */
export function readRequest(value: unknown): ChatRequest {
  const body = checkRequest(value)
  const origin = new ReadOrigin<WireObject, ChatRequest>(dialectId, body)
  const fields: Omit<ChatRequest, "turns"> = {
    model: body["model"] as string,
    tools: body["tools"] === undefined ? noTools : toList(body["tools"]).map(readTool),
    toolChoice: readToolChoice(body["tool_choice"], nameOfChoice),
    parallelToolCalls: pick(body, "parallel_tool_calls") as boolean | undefined,
    generation: readGeneration(body),
    output: readFormat(body["response_format"], (format) => format["json_schema"]),
    reasoning: isText(body["reasoning_effort"]) ? { effort: body["reasoning_effort"] } : undefined,
    stream: body["stream"] === true,
    session: readSession(body),
    extensions: extensionsOf(body),
    origin,
  }
  return origin.of(withTurns(fields, body))
}

const noTools: readonly Tool[] = []
const noSession: ChatRequest["session"] = {}

function readSession(body: WireObject): ChatRequest["session"] {
  const user = pick(body, "user")
  const store = pick(body, "store")
  const metadata = pick(body, "metadata")
  if (user === undefined && store === undefined && metadata === undefined) return noSession
  return withoutUndefined({ user, store, metadata }) as ChatRequest["session"]
}

/** The body for an upstream. */
export function writeRequest(request: ChatRequest, { model, counts = false }: RequestTarget): WireObject {
  const options = { dialectId, parts, model }
  const body = patchBody(request, options) ?? buildBody(request, options)
  // Other dialects count tokens in every stream; here they have to be asked for.
  if (!request.stream || asksForUsage(request) || !(counts || isForeign(request, dialectId))) return body
  const { stream_options: asked } = body
  return { ...body, stream_options: { ...(isObject(asked) && asked), include_usage: true } }
}

/** Whether a client wants the tokens of a stream. */
export function asksForUsage({ extensions }: ChatRequest): boolean {
  const options = extensions["stream_options"]
  return isObject(options) && options["include_usage"] === true
}

// ── fields ──

const { pick, extensionsOf } = knownFields({
  model: isAnything,
  messages: isAnything,
  stream: isAnything,
  tools: Array.isArray,
  tool_choice: (value) => isText(value) || isObject(value),
  parallel_tool_calls: isBoolean,
  max_completion_tokens: isNumber,
  // Of two limits the newer one holds; the other has no counterpart beside it.
  max_tokens: (value, body) => isNumber(value, body) && toNumber(body["max_completion_tokens"]) === undefined,
  temperature: isNumber,
  top_p: isNumber,
  top_k: isNumber,
  stop: (value, body) => isText(value) || isTexts(value, body),
  seed: isNumber,
  presence_penalty: isNumber,
  frequency_penalty: isNumber,
  n: isNumber,
  logprobs: isBoolean,
  top_logprobs: isNumber,
  response_format: isObject,
  reasoning_effort: isText,
  user: isText,
  store: isBoolean,
  metadata: (value) => isObject(value) && Object.values(value).every(isText),
})

const numbers = {
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  seed: "seed",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  count: "n",
  logprobs: "logprobs",
  topLogprobs: "top_logprobs",
} as const satisfies Partial<Record<keyof Generation, string>>

const numberFields = Object.entries(numbers) as readonly (readonly [keyof typeof numbers, string])[]

/** The limit in the spelling of the client; `max_tokens` is the older one, which newer models refuse. */
const limitOf = (body: WireObject): string =>
  pick(body, "max_tokens") === undefined ? "max_completion_tokens" : "max_tokens"

function readGeneration(body: WireObject): Generation {
  const fields: Record<string, JsonValue> = {}
  const set = (name: keyof Generation, value: JsonValue | undefined): void => {
    if (value !== undefined) fields[name] = value
  }
  set("maxOutputTokens", toNumber(pick(body, limitOf(body))))
  const stop = pick(body, "stop")
  set("stop", isText(stop) ? [stop] : stop)
  for (const [name, field] of numberFields) {
    const value = pick(body, field)
    set(name, toNumber(value) ?? value)
  }
  return fields
}

function writeGeneration(generation: Generation, body: WireObject): WireObject {
  return withoutUndefined({
    [limitOf(body)]: generation.maxOutputTokens,
    stop: generation.stop,
    ...Object.fromEntries(numberFields.map(([name, field]) => [field, generation[name]])),
  })
}

const parts: PartWriters = {
  ...commonParts,
  turns: ({ turns }) => ({ messages: turns.flatMap(writeTurn) }),
  tools: ({ tools }) => withoutUndefined({ tools: tools.length === 0 ? undefined : tools.map(writeTool) }),
  toolChoice: ({ toolChoice, tools }) =>
    withoutUndefined({ tool_choice: toolChoice && writeToolChoice(toolChoice, tools, nestName) }),
  generation: ({ generation }, body) => writeGeneration(generation, body),
  output: ({ output }) => withoutUndefined({ response_format: output && writeFormat(output, nestSchema) }),
  reasoning: ({ reasoning }) => withoutUndefined({ reasoning_effort: reasoning?.effort }),
  session: ({ session: { user, store, metadata } }) => withoutUndefined({ user, store, metadata }),
}

// ── tools and formats ──

const { readTool, writeTool } = createTools({
  read({ type, function: plain, custom }) {
    if (type === "function" && isObject(plain)) return toTool(plain)
    if (type !== "custom" || !isObject(custom)) return undefined
    const { name, description, format } = custom
    return toTool({ name, description, grammar: isObject(format) ? format["grammar"] : undefined }, type)
  },
  write({ name, description, parameters, strict, grammar, form = "function" }) {
    const format = grammar && { type: "grammar", grammar }
    return { type: form, [form]: withoutUndefined({ name, description, parameters, strict, format }) }
  },
  refuse,
})

function nameOfChoice(choice: WireObject): JsonValue | undefined {
  const { type } = choice
  const named = type === "function" || type === "custom" ? choice[type] : undefined
  return isObject(named) ? named["name"] : undefined
}

const nestName = (type: string, name: string): WireObject => ({ type, [type]: { name } })

const nestSchema = (named: WireObject): WireObject => ({ json_schema: named })
