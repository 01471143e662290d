// Writes canonical events as a chat-completions stream.

import type {
  BlockStart,
  ChatEvent,
  ChatRequest,
  Citation,
  JsonValue,
  StreamWriter,
  WireObject,
} from "../../../kernel/index.ts"
import { createEventStreamWriter, type EventWriter } from "../dialect/event-stream-writer.ts"
import { charactersIn } from "../dialect/citations.ts"
import { writeAnnotations, writeLogprobs, writeStop, writeUsage } from "./reply.ts"
import { isObject } from "../dialect/wire.ts"
import { asksForUsage } from "./request.ts"
import { dialectId } from "./wire.ts"

/** A block that has begun. Tool calls have a place of their own on the wire. */
interface BegunBlock {
  readonly type: BlockStart["type"]
  readonly place: number
  readonly custom: boolean
  /** How many characters the texts before it have. */
  readonly offset: number
  readonly citations: Citation[]
}

type Fields = Readonly<Record<string, JsonValue>>

/**
 * A writer for one stream. Usage is a chunk of its own without choices, and only for a client that asked for it by
 * `stream_options.include_usage`: others read the first choice of every chunk.
 */
export const createWriter = (request: ChatRequest): StreamWriter =>
  createEventStreamWriter(dialectId, (say) => openWriter(request, say))

function openWriter(request: ChatRequest, say: (text: string) => void): EventWriter {
  const tellsUsage = asksForUsage(request)
  const blocks = new Map<string, BegunBlock>()
  const places = new Map<number, number>()
  /** How many characters the texts of each choice have. */
  const lengths = new Map<number, number>()
  const announced = new Set<number>()
  /** The reasoning of each choice that came last; the next one is a paragraph of its own, as in a whole reply. */
  const reasoning = new Map<number, BegunBlock>()
  /** The upstream's own chunks said the role of each choice. */
  let ownRoles = false
  let head: Fields = { id: "", object: "chat.completion.chunk", created: 0, model: "" }

  const send = (chunk: WireObject): void => say(`data: ${JSON.stringify(chunk)}\n\n`)
  const chunkOf = (choice: number, delta: Fields, more: Fields = {}): WireObject => ({
    ...head,
    choices: [{ index: choice, delta, ...more, finish_reason: null }],
  })
  const announce = (choice: number): void => {
    if (ownRoles || announced.has(choice)) return
    announced.add(choice)
    send(chunkOf(choice, { role: "assistant", content: "" }))
  }

  /** Keeps up with an event; returns the block that a delta belongs to. */
  const follow = (event: ChatEvent): BegunBlock | undefined => {
    if (event.type === "start") {
      const { id, model, created } = event
      head = { ...head, id, created, model }
    } else if (event.type === "block_start") {
      const { choice, index, block } = event
      const place = places.get(choice) ?? 0
      if (block.type === "tool_call") places.set(choice, place + 1)
      const custom = block.type === "tool_call" && block.form === "custom"
      const begun = { type: block.type, place, custom, offset: lengths.get(choice) ?? 0, citations: [] }
      blocks.set(`${choice}.${index}`, begun)
      return begun
    } else if ("index" in event) return blocks.get(`${event.choice}.${event.index}`)
    return undefined
  }

  const build = (event: ChatEvent): void => {
    const block = follow(event)
    if (event.type === "start") return
    if (event.type === "block_end") {
      const { citations = [], offset = 0 } = block ?? {}
      const annotations = writeAnnotations(citations, (lengths.get(event.choice) ?? 0) - offset, offset)
      if (annotations.length > 0) send(chunkOf(event.choice, { annotations }))
      return
    }
    switch (event.type) {
      case "usage":
        if (tellsUsage) send({ ...head, choices: [], usage: writeUsage(event.usage) })
        return
      case "ping":
        return say(": ping\n\n")
      case "failed":
        return send({ error: { message: event.message, type: "server_error", code: event.code ?? null, param: null } })
      case "opaque":
        if (event.dialect === dialectId && isObject(event.value) && Object.keys(event.value).length > 0)
          send({ ...head, choices: [], ...event.value })
        return
      case "stop":
        announce(event.choice)
        return send({ ...head, choices: [{ index: event.choice, delta: {}, finish_reason: writeStop(event.reason) }] })
      case "block_start":
        announce(event.choice)
        if (event.block.type === "tool_call" && block !== undefined)
          send(chunkOf(event.choice, { tool_calls: [callStart(event.block, block)] }))
        return
      case "block_delta": {
        announce(event.choice)
        const { choice, text } = event
        const logprobs = event.logprobs && { logprobs: writeLogprobs(event.logprobs) }
        block?.citations.push(...(event.citations ?? []))
        if (block?.type === "text") lengths.set(choice, (lengths.get(choice) ?? 0) + charactersIn(text))
        if (block === undefined || (text === "" && logprobs === undefined)) return
        const last = reasoning.get(choice)
        if (block.type === "reasoning") reasoning.set(choice, block)
        const isNext = block.type === "reasoning" && (last ?? block) !== block
        const delta = deltaOf(block, isNext ? `\n\n${text}` : text)
        if (delta !== undefined) send(chunkOf(choice, delta, logprobs))
      }
    }
  }

  return {
    pass({ events }) {
      for (const event of events) {
        follow(event)
        ownRoles ||= event.type === "start"
      }
    },
    build,
    end() {
      say("data: [DONE]\n\n")
    },
  }
}

function callStart({ id, name }: Extract<BlockStart, { type: "tool_call" }>, { place, custom }: BegunBlock): JsonValue {
  return custom
    ? { index: place, id, type: "custom", custom: { name, input: "" } }
    : { index: place, id, type: "function", function: { name, arguments: "" } }
}

/** Undefined for a block that a stream of this dialect cannot hold. */
function deltaOf({ type, place, custom }: BegunBlock, text: string): Fields | undefined {
  switch (type) {
    case "text":
      return { content: text }
    case "reasoning":
      return { reasoning_content: text }
    case "refusal":
      return { refusal: text }
    case "tool_call":
      return {
        tool_calls: [{ index: place, ...(custom ? { custom: { input: text } } : { function: { arguments: text } }) }],
      }
    default:
      return undefined
  }
}
