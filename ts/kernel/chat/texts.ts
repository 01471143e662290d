// The conversation as text: what signals read of a request, whatever protocol it came in.

import { showsSomething } from "../text/normalize.ts"
import type { Block, ChatRequest, Turn } from "../types/chat.ts"

/**
 * Text of a turn: its text blocks joined by line breaks. The text of an opaque block counts, because a backend may read
 * it. Tool calls, tool results, reasoning and refusals are no part of it; guards read them too.
 */
export function textOf({ blocks }: Pick<Turn, "blocks">): string {
  const [first] = blocks
  if (blocks.length === 1 && first !== undefined) return ownText(first) ?? ""
  return blocks.flatMap((block) => ownText(block) ?? []).join("\n")
}

const ownText = (block: Block): string | undefined =>
  block.type === "text" || block.type === "opaque" ? block.text : undefined

/**
 * Text of the last user turn that has one, and of turns after it whose role nobody knows: a backend may take "human" for
 * the user, so they must not pass unread. Empty without either.
 */
export function lastUserText(request: Pick<ChatRequest, "turns">): string {
  const { turns } = request
  const last = turns[turns.length - 1]
  // The common case costs no list.
  if (last?.role === "user") {
    const text = textOf(last)
    if (showsSomething(text, maxBlankCharacters)) return text
  }
  return lastUserTurns(request)
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n")
}

/**
 * The last user turn that has a text, and the turns after it that a backend may take for the user's, in order: those of a
 * role that nobody knows, and user turns without a text. A blank message does not hide the one before it.
 */
export function lastUserTurns({ turns }: Pick<ChatRequest, "turns">): readonly Turn[] {
  const found: Turn[] = []
  let left = maxBlankCharacters
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] as Turn
    if (turn.role !== "user" && turn.role !== "other") continue
    found.push(turn)
    if (turn.role !== "user") continue
    const text = textOf(turn)
    if (showsSomething(text, left)) break
    left = Math.max(0, left - text.length)
  }
  return found.toReversed()
}

/** Behind so many blanks nobody looks for a character that is none: the turns before are read as well then. */
const maxBlankCharacters = 131_072
