// Checks what hooks of plugins and loopers return. A module from outside may return anything: what is wrong has to be told
// with the module's name, before it fails somewhere in the kernel or reaches a client.

import { errorCodes, isRtrError, moduleFault, type RtrError } from "../error.ts"
import type { Block, BlockStart, ChatEvent, ChatReply, ChatRequest, Reply } from "../types/chat.ts"
import type { LooperAnswer } from "../types/looper.ts"
import type { BeforeResult, PluginHook } from "../types/plugin.ts"

type FieldKind = "a string" | "a number" | "a boolean" | "a list" | "an object"
type Fields = readonly (readonly [name: string, kind: FieldKind])[]

export function readBefore(type: string, result: unknown, known: ChatRequest): BeforeResult {
  if (result === undefined) return undefined
  const wrong = wrongBefore(result, known)
  if (wrong === undefined) return result as BeforeResult
  throw fault(type, "before", "undefined, { request, headers }, { answer } or { refuse }", wrong)
}

/** `given` are the replies that the hook was given; they need no check. */
export function readAround(type: string, reply: unknown, given: readonly Reply[]): Reply {
  const wrong = given.some((each) => each === reply) ? undefined : wrongReply(reply, given)
  if (wrong === undefined) return reply as Reply
  throw fault(type, "around", "a reply", wrong)
}

export function readAfter(type: string, reply: unknown, given: ChatReply): ChatReply {
  const wrong = reply === given ? undefined : wrongChatReply(reply)
  if (wrong === undefined) return reply as ChatReply
  throw fault(type, "after", "a reply", wrong)
}

/** Runs for each event that a plugin has changed. */
export function readEvents(type: string, result: unknown): readonly ChatEvent[] {
  const events = result === undefined ? [] : Array.isArray(result) ? (result as readonly unknown[]) : [result]
  for (const event of events) {
    const wrong = wrongEvent(event)
    if (wrong !== undefined) throw fault(type, "event", "events of a stream", wrong)
  }
  return events as readonly ChatEvent[]
}

/** What a looper asks a model; `known` is the request that it was given, whose turns need no check. */
export function readAskedRequest(type: string, request: unknown, known: ChatRequest): ChatRequest {
  const wrong = request === known ? undefined : wrongRequest(request, known)
  if (wrong === undefined) return request as ChatRequest
  throw moduleFault(`Looper "${type}" asked with something else than a request: ${wrong}`)
}

/** What a looper's answer may refer to. */
export interface LooperReach {
  /** The replies and streams of the models that it asked; they need no check. */
  readonly given: { has(reply: object): boolean }
  readonly candidates: number
  /** Whether a model of this name can be asked. */
  isModel(name: string): boolean
}

export function readLooperAnswer(type: string, answer: unknown, reach: LooperReach): LooperAnswer {
  const wrong = wrongAnswer(answer, reach)
  if (wrong === undefined) return answer as LooperAnswer
  throw moduleFault(`Looper "${type}" returned something else than { reply, candidate, reason }: ${wrong}`)
}

const fault = (type: string, hook: PluginHook, wanted: string, wrong: string): RtrError =>
  moduleFault(`Plugin "${type}" returned something else from ${hook} than ${wanted}: ${wrong}`)

// ── forms ──

const fieldsOf = (fields: Readonly<Record<string, FieldKind>>): Fields => Object.entries(fields)

const requestFields = fieldsOf({
  model: "a string",
  turns: "a list",
  tools: "a list",
  generation: "an object",
  stream: "a boolean",
  session: "an object",
  extensions: "an object",
})
const turnFields = fieldsOf({ role: "a string", blocks: "a list" })
const replyFields = fieldsOf({ id: "a string", model: "a string", created: "a number", choices: "a list" })
const choiceFields = fieldsOf({ blocks: "a list", stop: "a string" })
const answerFields = fieldsOf({ reply: "an object", reason: "a string" })
const extensionFields = fieldsOf({ dialect: "a string", fields: "an object" })
const responseFields = fieldsOf({ model: "a string", text: "a string", reasoning: "a string" })
const source = fieldsOf({ source: "an object" })
const text = fieldsOf({ text: "a string" })

const blockFields = new Map<unknown, Fields>(
  Object.entries({
    text,
    image: source,
    audio: source,
    file: source,
    tool_call: fieldsOf({ id: "a string", name: "a string", arguments: "a string" }),
    tool_result: fieldsOf({ callId: "a string", blocks: "a list" }),
    reasoning: text,
    refusal: text,
    opaque: fieldsOf({ dialect: "a string" }),
  } satisfies Readonly<Record<Block["type"], Fields>>),
)

const blockStartFields = new Map<unknown, Fields>([
  ...blockFields,
  ...Object.entries({
    text: [],
    reasoning: [],
    refusal: [],
    tool_call: fieldsOf({ id: "a string", name: "a string" }),
  } satisfies Readonly<Partial<Record<BlockStart["type"], Fields>>>),
])

const place = { choice: "a number", index: "a number" } as const
const eventFields = new Map<unknown, Fields>(
  Object.entries({
    start: fieldsOf({ id: "a string", model: "a string", created: "a number" }),
    block_start: fieldsOf({ ...place, block: "an object" }),
    block_delta: fieldsOf({ ...place, text: "a string" }),
    block_end: fieldsOf(place),
    stop: fieldsOf({ choice: "a number", reason: "a string" }),
    usage: fieldsOf({ usage: "an object" }),
    ping: [],
    failed: fieldsOf({ message: "a string" }),
    opaque: fieldsOf({ dialect: "a string" }),
  } satisfies Readonly<Record<ChatEvent["type"], Fields>>),
)

// ── what is wrong: names of fields, never what a module has put into them ──

function wrongBefore(result: unknown, known: ChatRequest): string | undefined {
  if (!isObject(result)) return "it is no object"
  if (!Object.keys(result).every((key) => ["request", "headers", "answer", "refuse"].includes(key)))
    return "it has another field"
  const { request, headers, answer, refuse } = result
  if ("refuse" in result) return isRtrError(refuse) ? undefined : wrongRefusal(refuse)
  if ("answer" in result) return within("answer", wrongChatReply(answer))
  if (headers !== undefined && !areHeaders(headers))
    return "headers must be an object of names and values that HTTP allows"
  return request === undefined ? undefined : within("request", wrongRequest(request, known))
}

const wrongRefusal = (refuse: unknown): string =>
  refuse instanceof Error && refuse.name === "RtrError"
    ? `the code of refuse must be one of ${Object.keys(errorCodes).join(", ")}`
    : "refuse must be an RtrError"

function areHeaders(headers: unknown): boolean {
  if (!isObject(headers) || !Object.values(headers).every((value) => typeof value === "string")) return false
  try {
    // Throws for names and values that HTTP does not allow.
    const written = new Headers(headers as Record<string, string>)
    return Object.keys(headers).every((name) => written.has(name))
  } catch {
    return false
  }
}

function wrongRequest(request: unknown, { turns: known }: ChatRequest): string | undefined {
  const wrong = wrongField(request, requestFields)
  if (wrong !== undefined) return wrong
  const { turns } = request as ChatRequest
  // Turns that the client sent have been read by a dialect.
  const read = turns === known ? undefined : new Set<unknown>(known)
  return read && firstWrong("turns", turns, (turn) => (read.has(turn) ? undefined : wrongTurn(turn)))
}

const wrongTurn = (turn: unknown): string | undefined =>
  wrongField(turn, turnFields) ?? wrongBlocks((turn as { readonly blocks: readonly unknown[] }).blocks)

function wrongReply(reply: unknown, given: readonly Reply[]): string | undefined {
  if (!isObject(reply)) return "it is no object"
  const { kind, status } = reply
  if (!Number.isInteger(status)) return "status must be a whole number"
  if (kind === "failure") return wrongField(reply, [["message", "a string"]])
  if (kind === "stream")
    return isObject(reply["stream"]) && typeof reply["stream"]["next"] === "function"
      ? undefined
      : "stream must be a stream"
  if (kind !== "whole") return "kind must be whole, stream or failure"
  const inner = reply["reply"]
  return given.some((each) => each.kind === "whole" && each.reply === inner)
    ? undefined
    : within("reply", wrongChatReply(inner))
}

function wrongAnswer(answer: unknown, { given, candidates, isModel }: LooperReach): string | undefined {
  const wrong = wrongField(answer, answerFields)
  if (wrong !== undefined) return wrong
  const { reply, candidate, confidence, extensions, responses = [] } = answer as LooperAnswer
  const isThere =
    typeof candidate === "string"
      ? isModel(candidate)
      : Number.isInteger(candidate) && candidate >= 0 && candidate < candidates
  if (!isThere) return `candidate must be a model of providers.models or a whole number from 0 to ${candidates - 1}`
  if (confidence !== undefined && typeof confidence !== "number") return "confidence must be a number"
  if (extensions !== undefined) {
    const wrongExtensions = wrongField(extensions, extensionFields)
    if (wrongExtensions !== undefined) return `extensions: ${wrongExtensions}`
  }
  if (!Array.isArray(responses)) return "responses must be a list"
  const wrongResponse = firstWrong("responses", responses, (each) => wrongField(each, responseFields))
  if (wrongResponse !== undefined || given.has(reply)) return wrongResponse
  if ("next" in reply) return "reply must be a stream that one of the asked models gave"
  return within("reply", wrongChatReply(reply))
}

const wrongChatReply = (reply: unknown): string | undefined =>
  wrongField(reply, replyFields) ?? firstWrong("choices", (reply as ChatReply).choices, wrongChoice)

const wrongChoice = (choice: unknown): string | undefined =>
  wrongField(choice, choiceFields) ?? wrongBlocks((choice as { readonly blocks: readonly unknown[] }).blocks)

const wrongBlocks = (blocks: readonly unknown[]): string | undefined =>
  firstWrong("blocks", blocks, (block) => wrongKind(block, blockFields))

function wrongEvent(event: unknown): string | undefined {
  const wrong = wrongKind(event, eventFields)
  if (wrong !== undefined || (event as ChatEvent).type !== "block_start") return wrong
  return within("block", wrongKind((event as { readonly block: unknown }).block, blockStartFields))
}

function wrongKind(value: unknown, kinds: ReadonlyMap<unknown, Fields>): string | undefined {
  const type = (value as { readonly type?: unknown } | null | undefined)?.type
  const fields = kinds.get(type)
  if (fields === undefined) return `type must be one of ${[...kinds.keys()].join(", ")}`
  const wrong = wrongField(value, fields)
  return wrong && `${wrong} (${String(type)})`
}

function wrongField(value: unknown, fields: Fields): string | undefined {
  if (!isObject(value)) return "it is no object"
  for (const [name, kind] of fields) if (!isOf(kind, value[name])) return `${name} must be ${kind}`
  return undefined
}

function isOf(kind: FieldKind, value: unknown): boolean {
  if (kind === "a string") return typeof value === "string"
  if (kind === "a number") return typeof value === "number"
  if (kind === "a boolean") return typeof value === "boolean"
  return kind === "a list" ? Array.isArray(value) : isObject(value)
}

function firstWrong(
  name: string,
  values: readonly unknown[],
  wrongOf: (value: unknown) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const wrong = wrongOf(value)
    if (wrong !== undefined) return within(`${name}[${index}]`, wrong)
  }
  return undefined
}

const within = (name: string, wrong: string | undefined): string | undefined => wrong && `${name}: ${wrong}`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null
