// Events of a Responses stream as canonical events.

import {
  type Block,
  type BlockStart,
  type ChatEvent,
  type Citation,
  eventsOf,
  type JsonValue,
  type TokenLogprob,
  type WireObject,
} from "../../../kernel/index.ts"
import type { EventReader } from "../dialect/event-stream-reader.ts"
import { readHead } from "../dialect/kept-reply.ts"
import { hasLength, isObject, isText, toList } from "../dialect/wire.ts"
import { readAnnotation, readAnnotations } from "./annotations.ts"
import { betweenParts, readItem, readReasoning } from "./items.ts"
import { joinedName } from "./namespaces.ts"
import { readChoice, readStop } from "./reply.ts"
import { readLogprobs, readUsage } from "./usage.ts"

/** A block that has begun. */
interface OpenBlock {
  readonly index: number
  readonly start: BlockStart
  /** Something of its text has come. */
  seen: boolean
  ended: boolean
  /** Something that it cites has come. */
  cited?: boolean
  /** The part of a reasoning item that came last. */
  part?: string
}

/** The blocks of one output item by their part: a message has several, every other item has one. */
type OpenItem = Map<string, OpenBlock>

/** A reader for the events of one stream. */
export function createEventReader(): EventReader["read"] {
  const items = new Map<JsonValue, OpenItem>()
  const kinds = new Set<Block["type"]>()
  let blocks = 0
  let started = false
  let events: ChatEvent[] = []

  const start = (response: WireObject): void => {
    if (started) return
    started = true
    events.push({ type: "start", ...readHead(response, response["created_at"]) })
  }
  const begin = (block: BlockStart): OpenBlock => {
    start({})
    const open = { index: blocks++, start: block, seen: false, ended: false }
    kinds.add(block.type)
    events.push({ type: "block_start", choice: 0, index: open.index, block })
    return open
  }
  const end = (block: OpenBlock): void => {
    if (block.ended) return
    block.ended = true
    events.push({ type: "block_end", choice: 0, index: block.index })
  }
  const more = (
    block: OpenBlock,
    text: string,
    extra: { readonly logprobs?: readonly TokenLogprob[] | undefined } = {},
  ): void => {
    block.seen = true
    const { logprobs } = extra
    events.push({
      type: "block_delta",
      choice: 0,
      index: block.index,
      text,
      ...(logprobs !== undefined && { logprobs }),
    })
  }
  const cite = (block: OpenBlock, citations: readonly Citation[]): void => {
    if (block.ended || block.start.type !== "text" || citations.length === 0) return
    block.cited = true
    events.push({ type: "block_delta", choice: 0, index: block.index, text: "", citations })
  }
  /** Some servers tell all annotations at the end of a part only. */
  const citeWhole = (block: OpenBlock, part: JsonValue | undefined): void => {
    if (block.cited !== true && isObject(part)) cite(block, readAnnotations(part["annotations"]))
  }
  /** Items are told apart by their place; some servers leave it out. */
  const itemAt = (event: WireObject): OpenItem => {
    const key = event["output_index"] ?? event["item_id"] ?? null
    const known = items.get(key)
    if (known !== undefined) return known
    const item: OpenItem = new Map()
    items.set(key, item)
    return item
  }
  const blockAt = (event: WireObject, part: string, block: BlockStart): OpenBlock => {
    const item = itemAt(event)
    const known = item.get(part)
    if (known !== undefined) return known
    const begun = begin(block)
    item.set(part, begun)
    return begun
  }
  const messagePart = (event: WireObject, type: "text" | "refusal"): OpenBlock =>
    blockAt(event, `${String(event["content_index"] ?? 0)}`, { type })
  const reasoning = (event: WireObject): OpenBlock => blockAt(event, "", { type: "reasoning" })
  /** More of a text. Without a delta before it, what is told at its end counts. */
  const moreText = (block: OpenBlock, event: WireObject, whole?: JsonValue): void => {
    const { delta } = event
    if (block.ended) return
    const logprobs = block.start.type === "text" ? readLogprobs(event["logprobs"]) : undefined
    if (whole === undefined) {
      if (isText(delta) && (delta !== "" || logprobs !== undefined)) more(block, delta, { logprobs })
    } else if (!block.seen && hasLength(whole)) more(block, whole, { logprobs })
  }
  const reasoningText = (event: WireObject): void => {
    const { delta, type, content_index: content, summary_index: summary } = event
    const block = reasoning(event)
    const part = `${String(type)}.${String(content ?? summary ?? 0)}`
    if (!hasLength(delta)) return
    const isNext = block.part !== undefined && block.part !== part
    block.part = part
    more(block, isNext ? `${betweenParts}${delta}` : delta)
  }
  const callOf = (event: WireObject, item: WireObject = {}): OpenBlock | undefined => {
    const known = itemAt(event).get("")
    if (known !== undefined) return known
    const { type, call_id: id, name, namespace } = item
    if (!isText(name)) return undefined
    const form = type === "custom_tool_call" ? { form: "custom" as const } : {}
    return blockAt(event, "", {
      type: "tool_call",
      id: isText(id) ? id : "",
      name: joinedName(namespace, name),
      ...form,
    })
  }

  const added = (event: WireObject, item: WireObject): void => {
    if (item["type"] === "reasoning") reasoning(event)
    else if (isCall(item)) callOf(event, item)
    else itemAt(event)
  }
  const done = (event: WireObject, item: WireObject): void => {
    const { type, content } = item
    if (type === "message")
      for (const [index, part] of toList(content).entries()) {
        if (!isObject(part)) continue
        const at = { ...event, content_index: index, logprobs: part["logprobs"] ?? null }
        if (part["type"] === "output_text") {
          moreText(messagePart(at, "text"), at, part["text"])
          citeWhole(messagePart(at, "text"), part)
        } else if (part["type"] === "refusal") moreText(messagePart(at, "refusal"), at, part["refusal"])
      }
    else if (type === "reasoning") {
      const block = reasoning(event)
      const { text: whole, ...seal } = readReasoning(item)
      if (!block.seen && whole !== "") more(block, whole)
      if (seal.encrypted !== undefined || seal.signature !== undefined) {
        const { encrypted, signature } = seal
        events.push({
          type: "block_delta",
          choice: 0,
          index: block.index,
          text: "",
          ...(encrypted !== undefined && { encrypted }),
          ...(signature !== undefined && { signature }),
        })
      }
    } else if (isCall(item)) {
      const block = callOf(event, item)
      if (block !== undefined) moreText(block, event, item["arguments"] ?? item["input"] ?? "")
    } else {
      const [block] = readItem(item).blocks
      if (block?.type === "opaque") blockAt(event, "", block)
    }
    for (const block of itemAt(event).values()) end(block)
  }

  const finish = (response: WireObject, type: string): void => {
    start(response)
    for (const item of items.values()) for (const block of item.values()) end(block)
    // Some servers send the output with the end only.
    if (blocks === 0 && toList(response["output"]).every(isObject)) {
      const choice = readChoice(response)
      const inner = eventsOf({ id: "", model: "", created: 0, choices: [choice] })
      for (const event of inner) if (event.type !== "start" && event.type !== "stop") events.push(event)
      for (const block of choice.blocks) kinds.add(block.type)
    }
    if (type === "response.failed" || type === "response.cancelled")
      events.push({ type: "failed", ...failureIn(response, type) })
    else {
      const status = type === "response.incomplete" ? "incomplete" : "completed"
      const reason = readStop(
        { ...response, status },
        [...kinds].map((each) => ({ type: each })),
      )
      events.push({ type: "stop", choice: 0, reason })
    }
    const usage = readUsage(response["usage"])
    if (usage !== undefined) events.push({ type: "usage", usage })
  }

  const read = (event: WireObject): void => {
    const { type } = event
    const item = isObject(event["item"]) ? event["item"] : {}
    const response = isObject(event["response"]) ? event["response"] : {}
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return start(response)
      case "response.output_item.added":
        return added(event, item)
      case "response.content_part.added": {
        const part = isObject(event["part"]) ? event["part"]["type"] : undefined
        if (part === "output_text") messagePart(event, "text")
        else if (part === "refusal") messagePart(event, "refusal")
        return
      }
      case "response.output_text.delta":
        return moreText(messagePart(event, "text"), event)
      case "response.output_text.done":
        return moreText(messagePart(event, "text"), event, event["text"] ?? "")
      case "response.refusal.delta":
        return moreText(messagePart(event, "refusal"), event)
      case "response.refusal.done":
        return moreText(messagePart(event, "refusal"), event, event["refusal"] ?? "")
      case "response.content_part.done": {
        const block = itemAt(event).get(`${String(event["content_index"] ?? 0)}`)
        if (block === undefined) return
        citeWhole(block, event["part"])
        return end(block)
      }
      case "response.output_text.annotation.added": {
        const { annotation } = event
        return isObject(annotation) ? cite(messagePart(event, "text"), [readAnnotation(annotation)]) : undefined
      }
      case "response.reasoning_text.delta":
      case "response.reasoning_summary_text.delta":
        return reasoningText(event)
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta": {
        const block = callOf(event)
        if (block !== undefined) moreText(block, event)
        return
      }
      case "response.output_item.done":
        return done(event, item)
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        return finish(response, type)
      default:
    }
  }

  return (event) => {
    events = []
    read(event)
    return events
  }
}

/** What a response that failed says of it. */
export function failureIn({ error }: WireObject, type: string): { readonly message: string; readonly code?: string } {
  const { message, code } = isObject(error) ? error : {}
  return {
    message: isText(message) ? message : `the response is ${type.slice("response.".length)}`,
    ...(isText(code) && { code }),
  }
}

const isCall = ({ type }: WireObject): boolean => type === "function_call" || type === "custom_tool_call"
