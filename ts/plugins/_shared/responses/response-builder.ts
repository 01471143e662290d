// Builds the events of a Responses stream: items with their parts, numbered, and the whole response at the end.

import type {
  Block,
  BlockStart,
  ChatEvent,
  ChatRequest,
  Citation,
  StopReason,
  TokenLogprob,
  Usage,
  WireObject,
} from "../../../kernel/index.ts"
import { charactersIn } from "../dialect/citations.ts"
import { namedEvent } from "../dialect/named-event.ts"
import { writeTokens } from "../dialect/logprobs.ts"
import type { OriginalEvents } from "../dialect/original-events.ts"
import { replyId } from "../dialect/reply-id.ts"
import { isObject, isText } from "../dialect/wire.ts"
import { writeAnnotation } from "./annotations.ts"
import { messageItem, type ResponseEnd, responseOf, textPart, wholeItem } from "./output.ts"
import { namespacesOf } from "./namespaces.ts"
import { bodyOf } from "./request.ts"
import { dialectId, makeId } from "./wire.ts"

/** An item of the output. */
interface Item {
  id: string
  index: number
  readonly isMessage: boolean
  /** Blocks of a message in order. */
  readonly parts: BegunBlock[]
  /** As the stream told it at its end. */
  final?: WireObject
}

interface BegunBlock {
  readonly start: BlockStart
  readonly item: Item
  /** Its place in a message. */
  part: number
  readonly texts: string[]
  /** Characters of a text. */
  length: number
  readonly logprobs: TokenLogprob[]
  readonly annotations: WireObject[]
  /** About the whole text, which has not ended. */
  readonly citations: Citation[]
  seal: { signature?: string; encrypted?: string }
  ended: boolean
}

export interface ResponseBuilder {
  write(event: ChatEvent): void
  /** Keeps up with events that pass as they came. */
  follow(original: OriginalEvents): void
  end(): void
  /** The number of the next event. */
  readonly sequence: number
  /** About how many bytes of the reply are kept for the end. */
  readonly kept: number
}

/** What a block takes beside its text, and a delta or a log probability beside its own. */
const bytesOfBlock = 512
const bytesOfDelta = 32
const bytesOfLogprob = 256

/** A builder for one stream; `say` gets the text of each event. A response is one reply: events of others are left out. */
export function createResponseBuilder(request: ChatRequest, say: (text: string) => void): ResponseBuilder {
  /** By their places in the output. */
  const items = new Map<number, Item>()
  /** Items that began in an event which passed as it came, by id. */
  const unfinished = new Map<string, Item>()
  const namespaces = namespacesOf(bodyOf(request))
  let places = 0
  const blocks = new Map<number, BegunBlock>()
  let head = { id: "", model: "", created: 0 }
  let begun = false
  let muted = false
  let sequence = 0
  let kept = 0
  let message: Item | undefined
  /** The response as the upstream told it first, with all that it repeats of the request. */
  let told: WireObject | undefined
  let stop: StopReason | undefined
  let usage: Usage | undefined
  let failed: ResponseEnd["failed"]

  const emit = (type: string, fields: WireObject): void => {
    if (muted) return
    say(namedEvent({ type, sequence_number: sequence++, ...fields }))
  }
  const at = ({ id, index }: Item): WireObject => ({ item_id: id, output_index: index })
  const inPart = (block: BegunBlock): WireObject => ({ ...at(block.item), content_index: block.part })

  const begin = (): void => {
    if (begun) return
    begun = true
    head = { ...head, id: replyId(head.id, "resp_") }
    for (const type of ["response.created", "response.in_progress"]) emit(type, { response: responseOf(head, request) })
  }

  const addItem = (id: string, isMessage: boolean, index = places): Item => {
    const item: Item = { id, index, isMessage, parts: [] }
    items.set(index, item)
    places = Math.max(places, index + 1)
    return item
  }
  const open = (id: string, isMessage: boolean, fields: WireObject): Item => {
    const item = addItem(id, isMessage)
    emit("response.output_item.added", { output_index: item.index, item: { ...fields, id, status: "in_progress" } })
    return item
  }
  const close = (item: Item, final: WireObject): void => {
    if (item.final !== undefined) return
    item.final = final
    emit("response.output_item.done", { output_index: item.index, item: final })
  }
  const closeMessage = (item: Item | undefined): void => {
    if (item === undefined || !item.parts.every(({ ended }) => ended)) return
    close(item, messageItem(item.id, item.parts.map(partOf)))
  }

  const startBlock = (index: number, start: BlockStart): void => {
    const { type } = start
    kept += bytesOfBlock
    const keep = (item: Item, part = 0): BegunBlock => {
      const said = { texts: [], length: 0, logprobs: [], annotations: [], citations: [] }
      const block: BegunBlock = { start, item, part, ...said, seal: {}, ended: false }
      blocks.set(index, block)
      return block
    }
    if (type === "text" || type === "refusal") {
      message ??= open(makeId("msg"), true, messageItem(""))
      const block = keep(message, message.parts.length)
      message.parts.push(block)
      return emit("response.content_part.added", { ...inPart(block), part: partOf(block) })
    }
    const last = message
    message = undefined
    closeMessage(last)
    if (type === "reasoning") keep(open(makeId("rs"), false, { id: "", type: "reasoning", summary: [] }))
    else if (type === "tool_call") {
      const id = makeId(start.form === "custom" ? "ctc" : "fc")
      keep(open(id, false, wholeItem({ ...start, arguments: "" }, { id, namespaces })))
    } else if (type === "image" || (type === "opaque" && start.dialect === dialectId)) wholeBlock(start)
  }

  /** A block that comes at once. Its item may have begun in an event that passed as it came. */
  const wholeBlock = (block: Block): void => {
    const final = wholeItem(block)
    const id = isText(final["id"]) ? final["id"] : makeId("msg")
    const item = unfinished.get(id) ?? open(id, false, final)
    close(item, final)
  }

  const annotate = (block: BegunBlock, citations: readonly Citation[]): void => {
    for (const annotation of citations.flatMap((each) => writeAnnotation(each, block.length))) {
      const index = block.annotations.push(annotation) - 1
      emit("response.output_text.annotation.added", { ...inPart(block), annotation_index: index, annotation })
    }
  }

  const more = (
    block: BegunBlock,
    { text, logprobs, citations = [], signature, encrypted }: Extract<ChatEvent, { type: "block_delta" }>,
  ): void => {
    if (block.ended) return
    const { type } = block.start
    kept += bytesOfDelta + text.length + (logprobs?.length ?? 0) * bytesOfLogprob + citations.length * bytesOfBlock
    if (signature !== undefined) block.seal.signature = signature
    if (encrypted !== undefined) block.seal.encrypted = encrypted
    if (type === "text" && citations.length > 0) {
      block.citations.push(...citations.filter(({ end }) => end === undefined))
      annotate(
        block,
        citations.filter(({ end }) => end !== undefined),
      )
    }
    if (text === "" && logprobs === undefined) return
    if (type === "reasoning" && block.texts.length === 0)
      emit("response.content_part.added", { ...inPart(block), part: { type: "reasoning_text", text: "" } })
    block.texts.push(text)
    if (type === "text") block.length += charactersIn(text)
    if (logprobs !== undefined) block.logprobs.push(...logprobs)
    if (type === "text")
      emit("response.output_text.delta", {
        ...inPart(block),
        delta: text,
        logprobs: writeTokens(logprobs ?? [], false),
      })
    else if (type === "refusal") emit("response.refusal.delta", { ...inPart(block), delta: text })
    else if (type === "reasoning") emit("response.reasoning_text.delta", { ...inPart(block), delta: text })
    else if (type === "tool_call") emit(`${callEvent(block)}.delta`, { ...at(block.item), delta: text })
  }

  const endBlock = (block: BegunBlock): void => {
    if (block.ended) return
    if (block.citations.length > 0) annotate(block, block.citations)
    block.ended = true
    const { start, item, seal } = block
    const text = block.texts.join("")
    if (start.type === "text" || start.type === "refusal") {
      const part = partOf(block)
      const done: WireObject =
        start.type === "text" ? { text, logprobs: writeTokens(block.logprobs, false) } : { refusal: text }
      emit(start.type === "text" ? "response.output_text.done" : "response.refusal.done", { ...inPart(block), ...done })
      emit("response.content_part.done", { ...inPart(block), part })
      if (item !== message) closeMessage(item)
    } else if (start.type === "reasoning") {
      if (block.texts.length > 0) {
        emit("response.reasoning_text.done", { ...inPart(block), text })
        emit("response.content_part.done", { ...inPart(block), part: { type: "reasoning_text", text } })
      }
      close(item, wholeItem({ type: "reasoning", text, ...seal }, { id: item.id }))
    } else if (start.type === "tool_call") {
      const whole = wholeItem({ ...start, arguments: text }, { id: item.id, namespaces })
      const { name = start.name } = whole
      const done: WireObject = start.form === "custom" ? { input: text } : { name, arguments: text }
      emit(`${callEvent(block)}.done`, { ...at(item), ...done })
      close(item, whole)
    }
  }

  const write = (event: ChatEvent): void => {
    if ("choice" in event && event.choice !== 0) return
    switch (event.type) {
      case "start":
        if (!begun) head = { id: event.id, model: event.model, created: event.created }
        return begin()
      case "block_start":
        begin()
        return startBlock(event.index, event.block)
      case "block_delta":
      case "block_end": {
        const block = blocks.get(event.index)
        if (block === undefined) return
        return event.type === "block_end" ? endBlock(block) : more(block, event)
      }
      case "stop":
        stop = event.reason
        return
      case "usage":
        usage = event.usage
        return
      case "failed":
        failed = { message: event.message, code: event.code }
        return
      case "ping":
        if (!muted) say(": ping\n\n")
        return
      case "opaque":
    }
  }

  /** Takes ids and places over from an event that passed as it came. */
  const adopt = (data: WireObject, events: readonly ChatEvent[]): void => {
    if (typeof data["sequence_number"] === "number") sequence = data["sequence_number"] + 1
    if (isObject(data["response"])) told ??= data["response"]
    const item = isObject(data["item"]) ? data["item"] : undefined
    const id = isText(data["item_id"]) ? data["item_id"] : isText(item?.["id"]) ? item["id"] : undefined
    const index = data["output_index"]
    if (typeof index !== "number") return
    for (const event of events) {
      const block = event.type === "block_start" ? blocks.get(event.index) : undefined
      if (block === undefined) continue
      moveTo(block.item, index)
      block.item.id = id ?? block.item.id
      if (typeof data["content_index"] === "number") block.part = data["content_index"]
    }
    if (item === undefined) return
    const isMessage = item["type"] === "message"
    const known = items.get(index) ?? addItem(id ?? makeId("msg"), isMessage, index)
    if (data["type"] === "response.output_item.done") {
      known.final = item
      unfinished.delete(known.id)
      if (message === known) message = undefined
    } else if (isMessage) message = known
    else unfinished.set(known.id, known)
  }

  const moveTo = (item: Item, index: number): void => {
    if (item.index === index) return
    if (items.get(item.index) === item) items.delete(item.index)
    item.index = index
    items.set(index, item)
    places = Math.max(places, index + 1)
  }

  return {
    write,
    get sequence() {
      return sequence
    },
    get kept() {
      return kept
    },
    follow({ events, data }) {
      muted = true
      for (const event of events) write(event)
      muted = false
      if (data !== undefined) adopt(data, events)
    },
    end() {
      begin()
      for (const block of blocks.values()) endBlock(block)
      closeMessage(message)
      const output = [...items.values()]
        .toSorted((one, other) => one.index - other.index)
        .flatMap(({ final }) => (final === undefined ? [] : [final]))
      const whole = responseOf(head, request, { output, stop, usage, failed })
      const { status, error, incomplete_details: details } = whole
      const response: WireObject =
        told === undefined
          ? whole
          : {
              ...told,
              status: status ?? null,
              error: error ?? null,
              incomplete_details: details ?? null,
              output,
              usage: whole["usage"] ?? null,
            }
      emit(`response.${String(status)}`, { response })
    },
  }
}

const callEvent = ({ start }: BegunBlock): string =>
  start.type === "tool_call" && start.form === "custom"
    ? "response.custom_tool_call_input"
    : "response.function_call_arguments"

/** A part of a message as it is so far. */
function partOf({ start, texts, logprobs, annotations }: BegunBlock): WireObject {
  const text = texts.join("")
  return start.type === "refusal" ? { type: "refusal", refusal: text } : textPart(text, logprobs, [...annotations])
}
