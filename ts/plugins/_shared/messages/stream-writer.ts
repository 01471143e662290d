// Writes canonical events as a Messages stream.

import type {
  ChatEvent,
  ChatRequest,
  JsonValue,
  StopReason,
  StreamWriter,
  Usage,
  WireObject,
} from "../../../kernel/index.ts"
import { createEventStreamWriter, type EventWriter } from "../dialect/event-stream-writer.ts"
import { namedEvent } from "../dialect/named-event.ts"
import { replyId } from "../dialect/reply-id.ts"
import { isObject } from "../dialect/wire.ts"
import { requestTokens } from "../tokens/request-tokens.ts"
import { BlockLine } from "./block-line.ts"
import { writeError } from "./errors.ts"
import { writeStop } from "./stop.ts"
import { writeUsage } from "./usage.ts"
import { dialectId } from "./wire.ts"

/** So much of a request is counted for what a stream tells before its backend has counted. */
const countedCharacters = 4096

/** A writer for one stream. A reply has one choice here; those of others are left out. The input is estimated until it has been counted. */
export const createWriter = (request: ChatRequest): StreamWriter =>
  createEventStreamWriter(dialectId, (say) => openWriter(request, say))

function openWriter(request: ChatRequest, say: (text: string) => void): EventWriter {
  let started = false
  let ended = false
  let stopped: StopReason | undefined
  let refused = false
  let called = false
  /** The event with the stop reason waits for the usage, which may come right after it. */
  let waiting = false
  let usage: Usage | undefined

  const send = (event: WireObject): void => say(namedEvent(event))
  const start = (id: string, model: string): void => {
    if (started) return
    started = true
    const message = {
      id: replyId(id, "msg_"),
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    }
    send({
      type: "message_start",
      message: { ...message, usage: { input_tokens: requestTokens(request, countedCharacters), output_tokens: 0 } },
    })
  }
  const blocks = new BlockLine(send)
  const flush = (): void => {
    if (!waiting) return
    waiting = false
    const delta = { stop_reason: writeStop(stopped ?? "other", { refused, called }), stop_sequence: null }
    const counted = usage === undefined ? { input_tokens: null, output_tokens: 0 } : writeUsage(usage)
    send({ type: "message_delta", delta, usage: counted })
  }

  const build = (event: ChatEvent): void => {
    if ("choice" in event && event.choice !== 0) return
    if (event.type === "start") return start(event.id, event.model)
    if (event.type === "ping") return send({ type: "ping" })
    start("", "")
    switch (event.type) {
      case "block_start":
        refused ||= event.block.type === "refusal"
        called ||= event.block.type === "tool_call"
        return blocks.start(event.index, event.block)
      case "block_delta":
        return blocks.delta(event)
      case "block_end":
        return blocks.end(event.index)
      case "stop":
        blocks.endAll()
        stopped = event.reason
        waiting = true
        if (usage !== undefined) flush()
        return
      case "usage":
        usage = event.usage
        return flush()
      case "failed":
        return send(writeError({ ...event, status: 500 }))
      case "opaque":
        if (event.dialect === dialectId && isOwnEvent(event.value)) send(event.value)
    }
  }

  return {
    pass({ events }) {
      for (const event of events) {
        if (event.type === "block_start") blocks.passed(event)
        else if (event.type === "block_end") blocks.passedEnd(event.index)
        else if (event.type === "stop") stopped = event.reason
        else if (event.type === "opaque") ended ||= isObject(event.value) && event.value["type"] === "message_stop"
        started ||= event.type === "start"
      }
    },
    build,
    end() {
      if (ended) return
      start("", "")
      blocks.endAll()
      if (stopped === undefined) waiting = true
      flush()
      send({ type: "message_stop" })
    },
  }
}

/** The end is written with the rest, when all the rest has been. */
const isOwnEvent = (value: JsonValue): value is WireObject =>
  isObject(value) && typeof value["type"] === "string" && value["type"] !== "message_stop"
