// Chat-completions requests, to and from the canonical form.

import {
  type ChatRequest,
  type Generation,
  type JsonValue,
  type OutputFormat,
  RtrError,
  type Tool,
  type ToolChoice,
  type Turn,
  type WireObject,
} from "../../../kernel/index.ts"
import { checkRequest } from "./check-request.ts"
import { readTurn, writeTurn } from "./turns.ts"
import { isAnything, isBoolean, isNumber, isTexts, knownFields, toNumber } from "../dialect/known-fields.ts"
import { type PartWriters, patchBody } from "../dialect/request-parts.ts"
import { isObject, isText, ReadOrigin, toList, withoutUndefined } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

interface OriginalRequest {
  readonly body: WireObject
  request?: ChatRequest
}

/**
 * Reads a body that is already parsed. Throws `invalid_request` that names the field. The turns are read on first use and
 * kept. The rest is read at once: a getter with its closure costs more than each of the other fields.
 */
export function readRequest(value: unknown): ChatRequest {
  const body = checkRequest(value)
  const original: OriginalRequest = { body }
  let turns: readonly Turn[] | undefined
  const request: ChatRequest = {
    model: body["model"] as string,
    get turns() {
      return (turns ??= toList(body["messages"]).map((message) => readTurn(message as WireObject)))
    },
    tools: body["tools"] === undefined ? noTools : toList(body["tools"]).map(readTool),
    toolChoice: readToolChoice(body["tool_choice"]),
    parallelToolCalls: pick(body, "parallel_tool_calls") as boolean | undefined,
    generation: readGeneration(body),
    output: readOutput(body["response_format"]),
    reasoning: isText(body["reasoning_effort"]) ? { effort: body["reasoning_effort"] } : undefined,
    stream: body["stream"] === true,
    session: readSession(body),
    extensions: extensionsOf(body),
    origin: new ReadOrigin(dialectId, original),
  }
  original.request = request
  return request
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

/**
 * The body for an upstream. A request that this dialect read keeps its own fields, but for those whose canonical
 * counterpart was replaced; another one is built. The body is an object and not the client's own text: where a key stands
 * twice, the backend must not read the one that the router did not.
 */
export function writeRequest(request: ChatRequest, { model }: { readonly model: string }): WireObject {
  const original = ReadOrigin.find(request.origin, dialectId) as OriginalRequest | undefined
  if (original?.request === undefined) return build(request, model)
  return request === original.request
    ? { ...original.body, model }
    : patchBody(parts, { request, read: original.request, body: { ...original.body, model } })
}

function build(request: ChatRequest, model: string): WireObject {
  const foreign = request.origin !== undefined && request.origin.dialect !== dialectId
  return {
    model,
    ...Object.assign(
      {},
      // Fields of another dialect mean nothing here.
      ...Object.entries(parts).map(([part, write]) => (foreign && part === "extensions" ? {} : write(request, {}))),
    ),
    // Other dialects count tokens in every stream; here they have to be asked for.
    ...(foreign && request.stream && { stream_options: { include_usage: true } }),
  }
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
  turns: ({ turns }) => ({ messages: turns.flatMap(writeTurn) }),
  tools: ({ tools }) => withoutUndefined({ tools: tools.length === 0 ? undefined : tools.map(writeTool) }),
  toolChoice: ({ toolChoice }) => withoutUndefined({ tool_choice: toolChoice && writeToolChoice(toolChoice) }),
  parallelToolCalls: ({ parallelToolCalls }) => withoutUndefined({ parallel_tool_calls: parallelToolCalls }),
  generation: ({ generation }, body) => writeGeneration(generation, body),
  output: ({ output }) => withoutUndefined({ response_format: output && writeOutput(output) }),
  reasoning: ({ reasoning }) => withoutUndefined({ reasoning_effort: reasoning?.effort }),
  stream: ({ stream }) => withoutUndefined({ stream: stream || undefined }),
  session: ({ session: { user, store, metadata } }) => withoutUndefined({ user, store, metadata }),
  extensions: ({ extensions }) => extensions,
}

// ── tools and formats ──

const toolOriginals = new WeakMap<Tool, JsonValue>()

function readTool(value: JsonValue): Tool {
  const tool = toolOf(value)
  toolOriginals.set(tool, value)
  return tool
}

function toolOf(value: JsonValue): Tool {
  if (!isObject(value)) return { name: "", form: "opaque" }
  const { type, function: plain, custom } = value
  const described = (given: WireObject): Tool => ({
    name: given["name"] as string,
    ...(isText(given["description"]) && { description: given["description"] }),
    ...(given["parameters"] !== undefined && { parameters: given["parameters"] }),
    ...(typeof given["strict"] === "boolean" && { strict: given["strict"] }),
  })
  if (type === "function" && isObject(plain) && isText(plain["name"])) return described(plain)
  if (type === "custom" && isObject(custom) && isText(custom["name"])) return { ...described(custom), form: "custom" }
  return { name: isText(type) ? type : "", form: "opaque" }
}

function writeTool(tool: Tool, index: number): JsonValue {
  const original = toolOriginals.get(tool)
  if (original !== undefined) return original
  const { name, description, parameters, strict, form } = tool
  const fields = withoutUndefined({ name, description, parameters, strict })
  if (form === "opaque")
    throw new RtrError(
      "invalid_request",
      `Cannot write the chat as chat completions: tools[${index}] is a tool that only another service has`,
    )
  return form === "custom" ? { type: "custom", custom: fields } : { type: "function", function: fields }
}

function readToolChoice(value: JsonValue | undefined): ToolChoice | undefined {
  if (value === "auto" || value === "none" || value === "required") return value
  if (!isObject(value)) return isText(value) ? { opaque: value } : undefined
  const { type, function: named } = value
  return type === "function" && isObject(named) && isText(named["name"]) ? { name: named["name"] } : { opaque: value }
}

function writeToolChoice(choice: ToolChoice): JsonValue {
  if (typeof choice === "string") return choice
  return "name" in choice ? { type: "function", function: { name: choice.name } } : choice.opaque
}

function readOutput(value: JsonValue | undefined): OutputFormat | undefined {
  if (!isObject(value)) return undefined
  const { type, json_schema: named } = value
  if (type === "text") return { type: "text" }
  if (type === "json_object") return { type: "json" }
  if (type === "json_schema" && isObject(named) && isText(named["name"]) && named["schema"] !== undefined)
    return {
      type: "json_schema",
      name: named["name"],
      schema: named["schema"],
      ...(typeof named["strict"] === "boolean" && { strict: named["strict"] }),
    }
  return { type: "opaque", value }
}

function writeOutput(output: OutputFormat): JsonValue {
  switch (output.type) {
    case "text":
      return { type: "text" }
    case "json":
      return { type: "json_object" }
    case "json_schema": {
      const { name, schema, strict } = output
      return { type: "json_schema", json_schema: withoutUndefined({ name, schema, strict }) }
    }
    case "opaque":
      return output.value
  }
}
