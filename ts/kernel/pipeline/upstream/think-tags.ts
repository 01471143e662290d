// Reasoning that a backend writes into its text, between `<think>` and `</think>`, becomes reasoning of the canonical form.

import type { BlockStart, ChatEvent, ChatReply, ChatStream, Reply, ReplyChoice, StreamBatch } from "../../types/chat.ts"
import type { ThinkTags } from "../../types/plan.ts"
import { passStream } from "../streams.ts"

const openTag = "<think>"
const closeTag = "</think>"

/** The same reply when nothing in it is reasoning. Only the first text of a choice is looked at. */
export function splitThinking(reply: Reply, tags: ThinkTags): Reply {
  if (reply.kind === "whole") return { ...reply, reply: splitReply(reply.reply, tags) }
  if (reply.kind === "stream") return { ...reply, stream: splitStream(reply.stream, tags) }
  return reply
}

// ── whole replies ──

function splitReply(reply: ChatReply, tags: ThinkTags): ChatReply {
  const choices = reply.choices.map((choice) => splitChoice(choice, tags))
  return choices.every((choice, index) => choice === reply.choices[index]) ? reply : { ...reply, choices }
}

function splitChoice(choice: ReplyChoice, tags: ThinkTags): ReplyChoice {
  const [first, ...others] = choice.blocks
  const split = first?.type === "text" ? splitText(first.text, tags) : undefined
  if (split === undefined) return choice
  const { thought, said } = split
  const text = said === "" ? [] : [{ type: "text" as const, text: said }]
  return { ...choice, blocks: [{ type: "reasoning", text: thought }, ...text, ...others] }
}

/** Undefined for a text that does not begin with reasoning. A reply that was cut in the middle is reasoning to its end. */
function splitText(text: string, tags: ThinkTags): { readonly thought: string; readonly said: string } | undefined {
  const begun = text.trimStart()
  const isTagged = begun.startsWith(openTag)
  if (!isTagged && tags === "written") return undefined
  const inside = isTagged ? begun.slice(openTag.length) : begun
  const end = inside.indexOf(closeTag)
  if (end < 0) return { thought: inside.trim(), said: "" }
  return { thought: inside.slice(0, end).trim(), said: inside.slice(end + closeTag.length).trimStart() }
}

// ── streams ──

function splitStream(stream: ChatStream, tags: ThinkTags): ChatStream {
  const choices = new Map<number, ChoiceSplitter>()
  return passStream(stream, {
    onBatch(batch) {
      const events = batch.events.flatMap((event) => {
        if (!("choice" in event)) return [event]
        let splitter = choices.get(event.choice)
        if (splitter === undefined) choices.set(event.choice, (splitter = new ChoiceSplitter(event.choice, tags)))
        return splitter.next(event)
      })
      if (sameEvents(events, batch)) return batch
      const { bytes: _, ...rest } = batch
      return { ...rest, events }
    },
  })
}

const sameEvents = (events: readonly ChatEvent[], batch: StreamBatch): boolean =>
  events.length === batch.events.length && events.every((event, index) => event === batch.events[index])

type ChoiceEvent = Extract<ChatEvent, { readonly choice: number }>

/** The events of one choice. What may still be a tag is held back until it is one or none. */
class ChoiceSplitter {
  readonly #choice: number
  readonly #tags: ThinkTags
  /** `between` is behind the end of the reasoning, before anything is said. */
  #at: "start" | "tag" | "thought" | "between" | "said" = "start"
  /** The events of a text that may begin with the tag. */
  #held: ChoiceEvent[] = []
  #text = ""
  #index = 0
  /** Blocks that follow are one further on. */
  #shift = 0
  /** Nothing of the reasoning has been said yet. */
  #isFirst = true

  constructor(choice: number, tags: ThinkTags) {
    this.#choice = choice
    this.#tags = tags
  }

  next(event: ChoiceEvent): readonly ChatEvent[] {
    if (event.type === "stop") return [event]
    if (this.#at === "start") return this.#begin(event)
    if (this.#at === "said" || event.index !== this.#index) return [this.#shifted(event)]
    if (event.type === "block_end") return this.#end(event)
    if (event.type !== "block_delta") return [event]
    this.#held.push(event)
    this.#text += event.text
    return this.#read()
  }

  #begin(event: ChoiceEvent): readonly ChatEvent[] {
    const isText = event.type === "block_start" && event.block.type === "text"
    this.#at = isText ? "tag" : "said"
    if (!isText) return [event]
    this.#index = event.index
    this.#held = [event]
    return []
  }

  /** Says what is sure by now. */
  #read(): readonly ChatEvent[] {
    const found: ChatEvent[] = []
    if (this.#at === "tag") {
      const text = this.#text.trimStart()
      if (openTag.startsWith(text)) return found
      const isTagged = text.startsWith(openTag)
      if (!isTagged && this.#tags === "written") return this.#pass()
      this.#text = isTagged ? text.slice(openTag.length) : text
      this.#at = "thought"
      this.#held = []
      found.push(this.#start({ type: "reasoning" }))
    }
    if (this.#at === "thought") this.#think(found)
    if (this.#at === "between") this.#speak(found)
    return found
  }

  #think(found: ChatEvent[]): void {
    if (this.#isFirst) this.#text = this.#text.trimStart()
    const end = this.#text.indexOf(closeTag)
    const sure = end < 0 ? sureLength(this.#text) : this.#text.slice(0, end).trimEnd().length
    if (sure > 0) {
      this.#isFirst = false
      found.push(this.#delta(this.#text.slice(0, sure)))
    }
    this.#text = this.#text.slice(end < 0 ? sure : end + closeTag.length)
    if (end < 0) return
    found.push({ type: "block_end", choice: this.#choice, index: this.#index })
    this.#at = "between"
  }

  #speak(found: ChatEvent[]): void {
    const text = this.#text.trimStart()
    this.#text = text
    if (text === "") return
    this.#index += 1
    this.#shift = 1
    this.#at = "said"
    found.push(this.#start({ type: "text" }), this.#delta(text))
  }

  /** The text begins with no tag: everything goes on as it came. */
  #pass(): readonly ChatEvent[] {
    const held = this.#held
    this.#held = []
    this.#at = "said"
    return held
  }

  #end(event: ChoiceEvent): readonly ChatEvent[] {
    const at = this.#at
    if (at === "tag") return [...this.#pass(), event]
    this.#at = "said"
    if (at === "between") return []
    const rest = this.#text.trimEnd()
    return [...(rest === "" ? [] : [this.#delta(rest)]), event]
  }

  #start(block: BlockStart): ChatEvent {
    return { type: "block_start", choice: this.#choice, index: this.#index, block }
  }

  #delta(text: string): ChatEvent {
    return { type: "block_delta", choice: this.#choice, index: this.#index, text }
  }

  #shifted(event: Exclude<ChoiceEvent, { readonly type: "stop" }>): ChatEvent {
    return this.#shift === 0 ? event : { ...event, index: event.index + this.#shift }
  }
}

/** How much of the text is neither the beginning of the closing tag nor space before one. */
function sureLength(text: string): number {
  const last = text.lastIndexOf("<")
  const tagged = last >= 0 && closeTag.startsWith(text.slice(last)) ? text.slice(0, last) : text
  return tagged.trimEnd().length
}
