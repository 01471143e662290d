// Blocks of a streamed reply one after the other: this wire has one open block, other dialects may have several.

import type { BlockStart, ChatEvent, JsonValue, WireObject } from "../../../kernel/index.ts"
import { isObject, withoutUndefined } from "../dialect/wire.ts"
import { writeCitation } from "./citations.ts"
import { replyCallId, replySignature, writeRedacted } from "./blocks.ts"

type Delta = Extract<ChatEvent, { readonly type: "block_delta" }>

interface LinedBlock {
  readonly index: number
  readonly block: BlockStart
  /** Its place on the wire, once it has begun there. */
  place: number | undefined
  /** Deltas that wait for their turn. */
  readonly waiting: Delta[]
  /** What a call's arguments are so far. */
  readonly texts: string[]
  signature: string | undefined
  encrypted: string | undefined
  /** What was said cites something that what follows does not. */
  cited: boolean
  ended: boolean
}

export class BlockLine {
  readonly #send: (event: WireObject) => void
  /** Blocks that have not ended on the wire by their index, in the order in which they began; the first one is open. */
  readonly #line = new Map<number, LinedBlock>()
  #places = 0

  constructor(send: (event: WireObject) => void) {
    this.#send = send
  }

  start(index: number, block: BlockStart): void {
    if (this.#line.has(index)) return
    // A call whose arguments are whole gets no more, though its dialect ends it later.
    const first = this.#first()
    if (this.#line.size === 1 && first?.block.type === "tool_call" && isWhole(first.texts)) first.ended = true
    this.#line.set(index, lined(index, block))
    this.#advance()
  }

  delta(delta: Delta): void {
    const block = this.#line.get(delta.index)
    if (block === undefined || block.ended) return
    if (block.block.type === "tool_call") block.texts.push(delta.text)
    block.waiting.push(delta)
    if (block === this.#first()) this.#say(block)
  }

  end(index: number): void {
    const block = this.#line.get(index)
    if (block === undefined) return
    block.ended = true
    this.#advance()
  }

  endAll(): void {
    for (const block of this.#line.values()) block.ended = true
    this.#advance()
  }

  /** A block whose beginning went out as it came. */
  passed({ index, block }: Extract<ChatEvent, { readonly type: "block_start" }>): void {
    this.#line.set(index, { ...lined(index, block), place: index })
    this.#places = Math.max(this.#places, index + 1)
  }

  passedEnd(index: number): void {
    this.#line.delete(index)
  }

  #first(): LinedBlock | undefined {
    for (const block of this.#line.values()) return block
    return undefined
  }

  /** Ends blocks that are over and begins the next one. */
  #advance(): void {
    for (const first of this.#line.values()) {
      this.#say(first)
      if (!first.ended) return
      this.#line.delete(first.index)
      if (first.place === undefined) continue
      if (first.block.type === "reasoning" && writeRedacted(first.signature) === undefined)
        this.#delta(first, { type: "signature_delta", signature: replySignature(proofOf(first)) })
      this.#send({ type: "content_block_stop", index: first.place })
    }
  }

  #say(lined: LinedBlock): void {
    this.#begin(lined)
    for (const delta of lined.waiting.splice(0)) this.#write(lined, delta)
  }

  #begin(lined: LinedBlock): void {
    if (lined.place !== undefined) return
    const { block, waiting, ended } = lined
    // Hidden thinking is a block of another type, which its first delta tells.
    if (block.type === "reasoning" && waiting.length === 0 && !ended) return
    const content = writeRedacted(waiting[0]?.signature) ?? contentOf(block)
    if (content === undefined) return
    lined.place = this.#places++
    this.#send({ type: "content_block_start", index: lined.place, content_block: content })
  }

  #write(lined: LinedBlock, { text, signature, encrypted, citations = [] }: Delta): void {
    if (lined.place === undefined) return
    lined.signature = signature ?? lined.signature
    lined.encrypted = encrypted ?? lined.encrypted
    // Citations are about a whole block, and other dialects give them a place in a text that has gone out by now.
    if (lined.cited && text.trim() !== "") {
      lined.cited = false
      this.#send({ type: "content_block_stop", index: lined.place })
      lined.place = this.#places++
      this.#send({ type: "content_block_start", index: lined.place, content_block: { type: "text", text: "" } })
    }
    for (const each of citations)
      for (const citation of writeCitation(each)) {
        this.#delta(lined, { type: "citations_delta", citation: citation as WireObject })
        lined.cited ||= each.end !== undefined
      }
    if (text !== "") this.#delta(lined, deltaOf(lined.block, text))
  }

  #delta({ place }: LinedBlock, delta: WireObject): void {
    this.#send({ type: "content_block_delta", index: place as number, delta })
  }
}

const lined = (index: number, block: BlockStart): LinedBlock => ({
  index,
  block,
  place: undefined,
  waiting: [],
  texts: [],
  signature: undefined,
  encrypted: undefined,
  cited: false,
  ended: false,
})

const proofOf = ({ signature, encrypted }: LinedBlock): { readonly signature?: string; readonly encrypted?: string } =>
  withoutUndefined({ signature, encrypted })

/** What a block begins with; undefined for one that a stream of this dialect cannot hold. */
function contentOf(block: BlockStart): JsonValue | undefined {
  switch (block.type) {
    case "text":
    case "refusal":
      return { type: "text", text: "" }
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" }
    case "tool_call":
      return { type: "tool_use", id: replyCallId(block), name: block.name, input: {} }
    case "opaque":
      if (block.dialect === "messages") return block.value
      return block.text === undefined ? undefined : { type: "text", text: block.text }
    case "audio":
      return block.transcript === undefined ? undefined : { type: "text", text: block.transcript }
    default:
      return undefined
  }
}

function deltaOf({ type }: BlockStart, text: string): WireObject {
  switch (type) {
    case "reasoning":
      return { type: "thinking_delta", thinking: text }
    case "tool_call":
    case "opaque":
      return { type: "input_json_delta", partial_json: text }
    default:
      return { type: "text_delta", text }
  }
}

function isWhole(texts: readonly string[]): boolean {
  try {
    return isObject(JSON.parse(texts.join("")))
  } catch {
    return false
  }
}
