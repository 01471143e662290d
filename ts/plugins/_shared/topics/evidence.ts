// The part of a conversation that tells whether its subject goes on: the last message, and exchanges before it within limits.

import type { Block, ChatRequest, Turn } from "../../../kernel/index.ts"

export interface Limits {
  readonly maxPriorTurns: number
  readonly maxTurnBytes: number
  readonly maxInputBytes: number
}

/** A message of the user with what was answered. */
export interface Exchange {
  readonly texts: readonly string[]
  readonly tools: readonly string[]
}

export interface Evidence {
  /** Texts of the last message. */
  readonly live: readonly string[]
  /** It has an image, a recording or a file, and no text. */
  readonly isMedia: boolean
  /** The newest first. */
  readonly prior: readonly Exchange[]
  /** `window`: older exchanges are beyond the limit. `partial`: some of what is within it was not read. */
  readonly coverage: "full" | "window" | "partial"
}

/** `tools` where the model waits for results, undefined where there is no message of the user with something before it. */
export function readEvidence(
  { turns }: Pick<ChatRequest, "turns">,
  limits: Limits,
  includesAnswers: boolean,
): Evidence | "tools" | undefined {
  const starts = turns.flatMap((turn, index) => (isMessage(turn) ? [index] : []))
  const last = starts.at(-1)
  const final = turns.at(-1)
  if (last === undefined || final === undefined) return undefined
  if (final !== turns[last]) return hasAnsweredCalls(turns.slice(last)) ? "tools" : undefined
  const live = withinBytes(textsOf(final), limits.maxTurnBytes)
  let left = limits.maxInputBytes - live.bytes
  let isPartial = live.isCut
  const prior: Exchange[] = []
  const earlier = starts.slice(0, -1).toReversed()
  for (const [age, start] of earlier.slice(0, limits.maxPriorTurns).entries()) {
    const exchange = turns.slice(start, age === 0 ? last : earlier[age - 1])
    const texts = withinBytes(
      exchange.flatMap((turn) => (turn.role === "user" || includesAnswers ? textsOf(turn) : [])),
      limits.maxTurnBytes,
    )
    if (texts.bytes > left) {
      isPartial = true
      break
    }
    left -= texts.bytes
    isPartial ||= texts.isCut
    prior.push({ texts: texts.texts, tools: toolsOf(exchange) })
  }
  if (earlier.length === 0) return undefined
  return {
    live: live.texts,
    isMedia: live.texts.every((text) => text.trim() === "") && final.blocks.some(isMedia),
    prior,
    coverage: isPartial ? "partial" : earlier.length > limits.maxPriorTurns ? "window" : "full",
  }
}

const isMessage = ({ role, blocks }: Turn): boolean =>
  role === "user" && (blocks.length === 0 || blocks.some(({ type }) => type !== "tool_result"))

const isMedia = ({ type }: Block): boolean => type === "image" || type === "audio" || type === "file"

/** Every result answers a call since the last message, and there is one. */
function hasAnsweredCalls(turns: readonly Turn[]): boolean {
  const blocks = turns.flatMap((turn) => turn.blocks)
  const calls = new Set(blocks.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])))
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.callId] : []))
  const isResult = ({ role, blocks: own }: Turn): boolean =>
    role === "tool" || own.some(({ type }) => type === "tool_result")
  return results.length > 0 && results.every((id) => calls.has(id)) && isResult(turns.at(-1) as Turn)
}

const textsOf = ({ role, blocks }: Turn): readonly string[] =>
  role === "user" || role === "assistant"
    ? blocks.flatMap((block) => (block.type === "text" && block.text !== "" ? [block.text] : []))
    : []

const toolsOf = (turns: readonly Turn[]): readonly string[] =>
  turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "tool_call" ? [block.name.toLowerCase()] : [])),
  )

interface Cut {
  readonly texts: readonly string[]
  readonly bytes: number
  readonly isCut: boolean
}

const encoder = new TextEncoder()
const bytesOf = (text: string): number => encoder.encode(text).length

/** Texts as long as they fit; of the one that does not, its beginning and its end. */
function withinBytes(texts: readonly string[], most: number): Cut {
  const kept: string[] = []
  let bytes = 0
  for (const text of texts) {
    const room = most - bytes
    // A text of more characters than bytes are left need not be encoded to see that it does not fit.
    const size = text.length > room ? Infinity : bytesOf(text)
    if (size > room) {
      const parts = [fitting(text, room / 2, 1), fitting(text, room / 2, -1)].filter((part) => part !== "")
      return { texts: [...kept, ...parts], bytes: bytes + bytesOf(parts.join("")), isCut: true }
    }
    kept.push(text)
    bytes += size
  }
  return { texts: kept, bytes, isCut: false }
}

/** So much of the beginning or of the end as has at most so many bytes. */
function fitting(text: string, most: number, side: 1 | -1): string {
  let length = Math.floor(most)
  for (;;) {
    const part = side === 1 ? text.slice(0, length) : length === 0 ? "" : text.slice(-length)
    const bytes = bytesOf(part)
    if (bytes <= most) return part
    length = Math.min(length - 1, Math.floor((length * most) / bytes))
  }
}
