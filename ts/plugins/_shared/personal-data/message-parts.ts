// Values that a client has split over the text parts of one message: "4539 1488" and " 0343 6467". Guards read a line break between two
// parts, and a model may read them in one piece.

import { type ChatRequest, type MaybePromise, textOf } from "../../../kernel/index.ts"
import type { Entity } from "./entities.ts"
import { addFree } from "./patterns/text-range.ts"

/** Where the line breaks between parts stand, by the text of the message as guards read it. */
export type Seams = ReadonlyMap<string, readonly number[]>

type Block = ChatRequest["turns"][number]["blocks"][number]

/** Of all messages and results of tools that have several texts. `asRead` is what else is done to a text before it is read. */
export function seamsIn({ turns }: Pick<ChatRequest, "turns">, asRead: (text: string) => string): Seams {
  const seams = new Map<string, readonly number[]>()
  const add = (blocks: readonly Block[]): void => {
    if (blocks.length < 2) return
    const places: number[] = []
    let at = 0
    for (const block of blocks) {
      const text = block.type === "text" || block.type === "opaque" ? block.text : undefined
      if (text === undefined) continue
      if (at > 0) places.push(at - 1)
      at += text.length + 1
    }
    if (places.length > 0) seams.set(asRead(textOf({ blocks }).toWellFormed()), places)
  }
  for (const { blocks } of turns) {
    add(blocks)
    for (const block of blocks) if (block.type === "tool_result") add(block.blocks)
  }
  return seams
}

/** Kinds whose form and checks say enough where two parts only happen to stand beside each other. */
const kinds: ReadonlySet<string> = new Set(["API_KEY", "CREDIT_CARD", "EMAIL_ADDRESS", "IBAN_CODE", "US_SSN"])
/** Characters on both sides of a line break that are read as one piece. */
const reach = 64

type Search = (text: string) => MaybePromise<readonly Entity[]>

/** A search that also finds what goes over the line breaks of a text. Only what stands around them is read again. */
export const acrossSeams =
  (search: Search, seams: Seams): Search =>
  (text) => {
    const places = seams.get(text)
    return places === undefined ? search(text) : withCrossing(text, places, search)
  }

async function withCrossing(text: string, places: readonly number[], search: Search): Promise<readonly Entity[]> {
  let found = await search(text)
  for (let first = 0; first < places.length;) {
    let next = first + 1
    while (next < places.length && (places[next] ?? 0) - (places[next - 1] ?? 0) <= 2 * reach) next++
    found = withSurer(found, await crossing(text, places.slice(first, next), search))
    first = next
  }
  return found
}

/** What goes over a line break is surer than the name of a host or a number that is a part of it. */
function withSurer(found: readonly Entity[], across: readonly Entity[]): readonly Entity[] {
  const sure = found.filter(({ kind }) => kinds.has(kind))
  const free = new Set(addFree(sure, across))
  return addFree(
    across.filter((entity) => free.has(entity)),
    found,
  )
}

/** The findings in neighbouring parts that begin in one and end in another. */
async function crossing(text: string, places: readonly number[], search: Search): Promise<readonly Entity[]> {
  const from = Math.max(0, (places[0] ?? 0) - reach)
  const to = Math.min(text.length, (places.at(-1) ?? 0) + 1 + reach)
  const parts: string[] = []
  let at = from
  for (const place of places) {
    parts.push(text.slice(at, place))
    at = place + 1
  }
  parts.push(text.slice(at, to))
  /** A place in the parts as one piece, in the text. Behind a line break for what begins there, before it for what ends there. */
  const source = (position: number, isEnd: boolean): number => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const border = (places[middle] ?? 0) - from - middle
      if (isEnd ? border < position : border <= position) low = middle + 1
      else high = middle
    }
    return from + position + low
  }
  const found = await search(parts.join(""))
  return found
    .filter(({ kind }) => kinds.has(kind))
    .map((entity) => ({ ...entity, start: source(entity.start, false), end: source(entity.end, true) }))
    .filter(({ start, end }) => places.some((place) => start <= place && place < end))
}
