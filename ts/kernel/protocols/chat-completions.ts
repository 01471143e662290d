// The chat-completions wire, to and from the canonical form, which has the same shape.

import { RtrError } from "../error.ts"
import type { ChatChunk, ChatReply, ChatRequest, ChunkBatch, StreamReply } from "../types/chat.ts"
import { readEvents, writeEvent } from "./event-stream.ts"

// ── requests ──

/** JSON nested deeper than this is no chat request; walking it would cost stack. */
const maxDepth = 128

/** Reads a client's body. Throws `invalid_request` that names the field. */
export function readChatRequest(body: string): ChatRequest {
  const value = parseJson(body)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("the body must be a JSON object")
  const { model, messages, stream } = value as Record<string, unknown>
  if (model === undefined || model === null) throw refuse('"model" is missing; use "MoM" for automatic routing')
  if (typeof model !== "string" || model.trim() === "") throw refuse('"model" must be a non-empty string')
  if (stream !== undefined && stream !== null && typeof stream !== "boolean")
    throw refuse('"stream" must be true or false')
  if (messages === undefined || messages === null) throw refuse('"messages" is missing')
  if (!Array.isArray(messages)) throw refuse('"messages" must be a list')
  if (messages.length === 0) throw refuse('"messages" must not be empty')
  messages.forEach(checkMessage)
  return value as ChatRequest
}

/** Three bytes of JSON can become eighty in memory, so the number of values is bounded besides the size of the body. */
const maxValues = 1_000_000

/** Parses a client's JSON. Throws `invalid_request` for what is not valid, nested too deep, or made of too many values. */
export function parseJson(body: string): unknown {
  if (mayExceedBounds(body)) checkBounds(body)
  try {
    return JSON.parse(body)
  } catch {
    // The parser's own message quotes the text, which may be somebody's prompt.
    throw refuse("the body is not valid JSON")
  }
}

/** Searching for a character is far quicker than walking over all of them, and few bodies have many brackets. */
function mayExceedBounds(body: string): boolean {
  if (body.length > maxValues) return true
  let count = 0
  for (const bracket of ["{", "["])
    for (let at = body.indexOf(bracket); at >= 0; at = body.indexOf(bracket, at + 1))
      if (++count > maxDepth) return true
  return false
}

/** Counts brackets and commas outside strings. */
function checkBounds(body: string): void {
  let depth = 0
  let values = 0
  let inString = false
  for (let index = 0; index < body.length; index++) {
    const code = body.charCodeAt(index)
    if (inString) {
      if (code === 92) index += 1
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 123 || code === 91) {
      depth += 1
      values += 1
      if (depth > maxDepth) throw refuse(`the body is nested deeper than ${maxDepth} levels`)
    } else if (code === 125 || code === 93) depth -= 1
    else if (code === 44) values += 1
    if (values > maxValues) throw refuse(`the body has more than ${maxValues} values`)
  }
}

function checkMessage(message: unknown, index: number): void {
  const at = `messages[${index}]`
  if (typeof message !== "object" || message === null || Array.isArray(message)) throw refuse(`${at} must be an object`)
  const { role, content } = message as Record<string, unknown>
  if (typeof role !== "string" || role === "") throw refuse(`${at}.role must be a non-empty string`)
  checkRole(role, `${at}.role`)
  if (content === undefined || content === null || typeof content === "string") {
    if (typeof content === "string") checkText(content, `${at}.content`)
    return
  }
  if (!Array.isArray(content)) throw refuse(`${at}.content must be a string or a list of parts`)
  content.forEach((part: unknown, position) => {
    if (typeof part !== "object" || part === null || Array.isArray(part))
      throw refuse(`${at}.content[${position}] must be an object`)
    const { type, text } = part as Record<string, unknown>
    if (typeof type !== "string") throw refuse(`${at}.content[${position}].type must be a string`)
    if (type === "text" && typeof text !== "string") throw refuse(`${at}.content[${position}].text must be a string`)
    if (typeof text === "string") checkText(text, `${at}.content[${position}].text`)
  })
}

const roles: ReadonlySet<string> = new Set(["assistant", "developer", "function", "system", "tool", "user"])

/** Some backends take "User" for the user, and a guard would take it for somebody else. Other roles pass: models have their own. */
function checkRole(role: string, at: string): void {
  const meant = role
    .normalize("NFKC")
    .replace(/[^\p{L}]/gu, "")
    .toLowerCase()
  if (!roles.has(role) && roles.has(meant)) throw refuse(`${at} must be "${meant}", not another spelling of it`)
}

/** A lone surrogate cannot be encoded and NUL ends the text for some readers, so backends and models would each read something else. */
function checkText(text: string, at: string): void {
  if (text.includes("\0")) throw refuse(`${at} holds a NUL character`)
  if (!text.isWellFormed()) throw refuse(`${at} holds a lone surrogate, which is not valid Unicode text`)
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot read the chat request: ${reason}`)

// ── replies ──

/** Reads the JSON body of a backend's reply. Throws `upstream_error` for anything but an object. */
export function readChatReply(body: string): ChatReply {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    value = undefined
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RtrError("upstream_error", "the reply is not a JSON object")
  return value as ChatReply
}

/**
 * Reads a backend's event stream. Nothing behind `[DONE]` is passed on, but it is read, because a reply that is read to
 * its end leaves its connection to the next request.
 * Rejects with `upstream_error` for data that is no JSON object and for a stream that ends before `[DONE]`.
 */
export async function* readChatStream(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ChunkBatch> {
  let finished = false
  try {
    for await (const batch of readEvents(pieces)) {
      if (finished) continue
      const end = batch.data.indexOf(doneMark)
      finished = end >= 0
      const chunks = (finished ? batch.data.slice(0, end) : batch.data).map(readChunk)
      const clean = !finished || end === batch.data.length - 1
      yield clean ? { chunks, done: finished, bytes: batch.bytes } : { chunks, done: finished }
    }
  } catch (error) {
    // The client has its whole reply.
    if (!finished) throw error
  }
  if (!finished) throw new RtrError("upstream_error", "the stream ended before its end mark")
}

const doneMark = "[DONE]"

function readChunk(data: string): ChatChunk {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    value = undefined
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RtrError("upstream_error", "an event of the stream is not a JSON object")
  return value as ChatChunk
}

/** Wire form of a batch. */
export function writeChatBatch(batch: ChunkBatch): Uint8Array {
  if (batch.bytes !== undefined) return batch.bytes
  const events = batch.chunks.map((chunk) => JSON.stringify(chunk))
  if (batch.done) events.push(doneMark)
  return encoder.encode(events.map((data) => `data: ${data}\n\n`).join(""))
}

/** The error event that ends a stream whose headers have left already. */
export function writeChatError(body: unknown): Uint8Array {
  return writeEvent(JSON.stringify(body))
}

const encoder = new TextEncoder()

/** A whole reply as a stream of one chunk, for clients that asked for a stream. */
export function toStreamReply(reply: ChatReply, status: number): StreamReply {
  const choices = Array.isArray(reply["choices"])
    ? (reply["choices"] as readonly (Record<string, unknown> | null)[])
    : []
  const chunk: ChatChunk = {
    ...reply,
    object: "chat.completion.chunk",
    choices: choices.map((each) => {
      const { message, ...choice } = each ?? {}
      return { ...choice, delta: withToolIndexes(message) }
    }),
  }
  return { kind: "stream", status, batches: onlyBatch({ chunks: [chunk], done: true }) }
}

/** Streamed tool calls carry their position, whole ones do not. */
function withToolIndexes(message: unknown): unknown {
  const calls = (message as { tool_calls?: unknown } | undefined)?.tool_calls
  return Array.isArray(calls)
    ? { ...(message as object), tool_calls: calls.map((call: object, index) => ({ index, ...call })) }
    : message
}

async function* onlyBatch(batch: ChunkBatch): AsyncGenerator<ChunkBatch> {
  yield batch
}
