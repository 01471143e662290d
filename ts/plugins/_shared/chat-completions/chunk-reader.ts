// Chunks of a stream as canonical events.

import type { BlockStart, ChatEvent, JsonValue, WireObject } from "../../../kernel/index.ts"
import { argumentsOf, readAnnotations } from "./blocks.ts"
import { callsOf, reasoningOf } from "./deviations.ts"
import { readLogprobs, readStop } from "./reply.ts"
import type { EventReader } from "../dialect/event-stream-reader.ts"
import { readHead } from "../dialect/kept-reply.ts"
import { hasLength, isObject, isText, toList } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

type TextKind = "text" | "reasoning" | "refusal"

/** The blocks of one choice so far. */
interface OpenChoice {
  blocks: number
  /** The open block of text, reasoning or refusal: one follows the other. */
  text: { readonly kind: TextKind; readonly index: number } | undefined
  /** Another text came before, in which citations may have their places. */
  hasMore?: boolean
  /** Open tool calls by their place on the wire, in the order in which they began. */
  readonly calls: Map<number, OpenCall>
}

interface OpenCall {
  readonly id: string
  readonly index: number
}

/** A reader for the chunks of one stream. It gives the events of a chunk, of which there is at least one. */
export function createChunkReader(): EventReader["read"] {
  const choices = new Map<number, OpenChoice>()
  let started = false

  const choiceOf = (number: number): OpenChoice => {
    const known = choices.get(number)
    if (known !== undefined) return known
    const choice: OpenChoice = { blocks: 0, text: undefined, calls: new Map() }
    choices.set(number, choice)
    return choice
  }

  return (chunk, { usage }) => {
    const events: ChatEvent[] = []
    if (!started) {
      started = true
      events.push({ type: "start", ...readHead(chunk, chunk["created"]) })
    }
    for (const value of toList(chunk["choices"])) {
      if (!isObject(value)) continue
      const number = typeof value["index"] === "number" ? value["index"] : 0
      readChoice(value, number, choiceOf(number), events)
    }
    if (usage !== undefined) events.push({ type: "usage", usage })
    const unknown = unknownFields(chunk)
    if (events.length === 0 || unknown !== undefined)
      events.push({ type: "opaque", dialect: dialectId, value: unknown ?? {} })
    return events
  }
}

function readChoice(value: WireObject, choice: number, open: OpenChoice, events: ChatEvent[]): void {
  const delta = isObject(value["delta"]) ? value["delta"] : {}
  const { content, refusal, tool_calls: calls, function_call: call } = delta
  const logprobs = readLogprobs(value["logprobs"])
  const start = (block: BlockStart): number => {
    const index = open.blocks++
    events.push({ type: "block_start", choice, index, block })
    return index
  }
  const more = (kind: TextKind, text: JsonValue | undefined): void => {
    const tokens = kind === "text" && logprobs !== undefined && isText(text) ? logprobs : undefined
    if (!hasLength(text) && tokens === undefined) return
    if (open.text?.kind !== kind) {
      endText(choice, open, events)
      open.text = { kind, index: start({ type: kind }) }
    }
    const { index } = open.text
    events.push({
      type: "block_delta",
      choice,
      index,
      text: text as string,
      ...(tokens !== undefined && { logprobs: tokens }),
    })
  }
  const callDelta = (each: WireObject, place: number): void => {
    const form = isObject(each["custom"]) ? "custom" : "function"
    const body = each[form]
    const { name, arguments: given, input } = isObject(body) ? body : {}
    let begun = open.calls.get(place)
    const id = isText(each["id"]) ? each["id"] : ""
    // Some versions of vLLM and SGLang begin every call at index 0.
    if (begun !== undefined && hasLength(name) && id !== "" && begun.id !== "" && id !== begun.id) {
      events.push({ type: "block_end", choice, index: begun.index })
      begun = undefined
    }
    if (begun === undefined) {
      const block: BlockStart = {
        type: "tool_call",
        id,
        name: isText(name) ? name : "",
        ...(form === "custom" && { form }),
      }
      begun = { id, index: start(block) }
      open.calls.set(place, begun)
    }
    const { index } = begun
    const text = argumentsOf(form === "custom" ? input : given)
    if (text !== "") events.push({ type: "block_delta", choice, index, text })
  }
  more("reasoning", reasoningOf(delta))
  more("text", content)
  if (open.text?.kind === "text" && delta["annotations"] !== undefined) {
    const citations = readAnnotations(delta["annotations"], open.hasMore)
    if (citations.length > 0) events.push({ type: "block_delta", choice, index: open.text.index, text: "", citations })
  }
  more("refusal", refusal)
  const pieces = callsOf(calls)
  for (const [position, each] of pieces.entries()) {
    if (!isObject(each)) continue
    endText(choice, open, events)
    callDelta(each, placeOf(each, pieces.length === 1 ? open.calls.size - 1 : position, open))
  }
  // The older form of a single call.
  if (isObject(call)) callDelta({ function: call, index: 0 }, 0)
  const reason = readStop(value["finish_reason"])
  if (reason === undefined) return
  endText(choice, open, events)
  for (const { index } of open.calls.values()) events.push({ type: "block_end", choice, index })
  open.calls.clear()
  events.push({ type: "stop", choice, reason })
}

/**
 * Some backends leave the index of a call out. Then a new id begins a call, and pieces without an id belong to the call that
 * began at this position.
 */
function placeOf({ index, id }: WireObject, position: number, { calls }: OpenChoice): number {
  if (typeof index === "number") return index
  const places = [...calls]
  const known = hasLength(id) ? places.find(([, call]) => call.id === id) : places[position]
  return known?.[0] ?? -1 - calls.size
}

function endText(choice: number, open: OpenChoice, events: ChatEvent[]): void {
  if (open.text === undefined) return
  events.push({ type: "block_end", choice, index: open.text.index })
  open.hasMore ||= open.text.kind === "text"
  open.text = undefined
}

const known: ReadonlySet<string> = new Set([
  "id",
  "object",
  "created",
  "model",
  "choices",
  "usage",
  "system_fingerprint",
  "service_tier",
  "obfuscation",
])

/** Most chunks have none. */
function unknownFields(chunk: WireObject): WireObject | undefined {
  for (const name in chunk)
    if (!known.has(name))
      return Object.fromEntries(Object.entries(chunk).filter(([each]) => !known.has(each))) as WireObject
  return undefined
}
