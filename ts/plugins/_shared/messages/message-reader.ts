// Events of a Messages stream as canonical events.

import type { BlockStart, ChatEvent, JsonValue } from "../../../kernel/index.ts"
import type { EventReader } from "../dialect/event-stream-reader.ts"
import { readHead } from "../dialect/kept-reply.ts"
import { hasLength, isObject, isText } from "../dialect/wire.ts"
import { readBlock, readReasoning } from "./blocks.ts"
import { readCitation } from "./citations.ts"
import { now } from "./reply.ts"
import { readStop } from "./stop.ts"

/** A reader for the events of one stream. */
export function createMessageReader(): EventReader["read"] {
  /** Blocks that have begun and not ended. */
  const open = new Set<number>()

  return (event, { usage }) => {
    const index = typeof event["index"] === "number" ? event["index"] : 0
    switch (event["type"]) {
      case "message_start":
        return [{ type: "start", ...readHead(isObject(event["message"]) ? event["message"] : {}, now()) }]
      case "content_block_start":
        open.add(index)
        return readBlockStart(index, event["content_block"])
      case "content_block_delta":
        return open.has(index) ? readDelta(index, event["delta"]) : []
      case "content_block_stop":
        return open.delete(index) ? [{ type: "block_end", choice: 0, index }] : []
      case "message_delta": {
        const reason = readStop(isObject(event["delta"]) ? event["delta"]["stop_reason"] : undefined)
        return [
          ...(reason === undefined ? [] : [{ type: "stop" as const, choice: 0, reason }]),
          ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
        ]
      }
      case "ping":
        return [{ type: "ping" }]
      default:
        return []
    }
  }
}

/** A block may begin with a part of what it says. */
function readBlockStart(index: number, value: JsonValue | undefined): readonly ChatEvent[] {
  const read = readBlock(value ?? {})
  const start = (block: BlockStart): ChatEvent => ({ type: "block_start", choice: 0, index, block })
  const delta = (text: string, more: object = {}): ChatEvent => ({
    type: "block_delta",
    choice: 0,
    index,
    text,
    ...more,
  })
  switch (read.type) {
    case "text":
      return [
        start({ type: "text" }),
        ...(read.text === "" ? [] : [delta(read.text)]),
        ...(read.citations === undefined ? [] : [delta("", { citations: read.citations })]),
      ]
    case "reasoning": {
      const { type, text, ...proof } = read
      return [start({ type }), ...(text === "" && Object.keys(proof).length === 0 ? [] : [delta(text, proof)])]
    }
    case "tool_call": {
      const { arguments: text, ...block } = read
      return [start(block), ...(text === "{}" ? [] : [delta(text)])]
    }
    case "refusal":
      return [start({ type: "refusal" }), delta(read.text)]
    default:
      return [start(read)]
  }
}

/** None for what has no canonical counterpart. */
function readDelta(index: number, delta: JsonValue | undefined): readonly ChatEvent[] {
  if (!isObject(delta)) return []
  const more = (text: string, proof: object = {}): readonly ChatEvent[] => [
    { type: "block_delta", choice: 0, index, text, ...proof },
  ]
  const { type, text, thinking, partial_json: json, citation, signature } = delta
  if (type === "text_delta" && isText(text)) return more(text)
  if (type === "thinking_delta" && isText(thinking)) return more(thinking)
  if (type === "input_json_delta" && isText(json)) return more(json)
  if (type === "citations_delta" && isObject(citation)) return more("", { citations: [readCitation(citation)] })
  if (type !== "signature_delta" || !hasLength(signature)) return []
  const { type: _, text: none, ...proof } = readReasoning("", signature)
  return more(none, proof)
}
