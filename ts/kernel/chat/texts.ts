// The conversation as text: what signals and guards read of a request, whatever protocol it came in.

import type { Block, ChatRequest, Turn } from "../types/chat.ts"

/**
 * Text of a turn: its text blocks joined by line breaks. The text of an opaque block counts, because a backend may read
 * it. Tool calls, tool results, reasoning and refusals are no part of it; see `conversationTexts`.
 */
export function textOf({ blocks }: Pick<Turn, "blocks">): string {
  const [first] = blocks
  if (blocks.length === 1 && first !== undefined) return ownText(first) ?? ""
  return blocks.flatMap((block) => ownText(block) ?? []).join("\n")
}

/**
 * Text of the last user turn, and of turns after it whose role nobody knows: a backend may take "human" for the user, so
 * they must not pass unread. Empty without either.
 */
export function lastUserText({ turns }: Pick<ChatRequest, "turns">): string {
  let after = ""
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] as Turn
    if (turn.role === "user") return joined(textOf(turn), after)
    if (turn.role === "other") after = joined(textOf(turn), after)
  }
  return after
}

const joined = (first: string, second: string): string =>
  first === "" || second === "" ? first + second : `${first}\n${second}`

/**
 * Texts of a conversation in order, whatever the role: every turn, and what else of it is words: tool results, arguments of
 * tool calls, reasoning, refusals, transcripts. Blank texts and `except`, which a guard reads anyway, are left out; a text
 * that stands twice is there once.
 */
export function conversationTexts({ turns }: Pick<ChatRequest, "turns">, except: string): readonly string[] {
  const texts = new Set(turns.flatMap((turn) => textsOf(turn)))
  texts.delete(except)
  return [...texts].filter((text) => text.trim() !== "")
}

const textsOf = (turn: Pick<Turn, "blocks">): readonly string[] => [textOf(turn), ...turn.blocks.flatMap(textsBeside)]

const ownText = (block: Block): string | undefined =>
  block.type === "text" || block.type === "opaque" ? block.text : undefined

/** What a block says that is no part of its turn's text. */
function textsBeside(block: Block): readonly string[] {
  switch (block.type) {
    case "tool_call":
      return argumentTexts(block.arguments)
    case "tool_result":
      return textsOf(block)
    case "reasoning":
    case "refusal":
      return [block.text.toWellFormed()]
    case "audio":
      return block.transcript === undefined ? [] : [block.transcript]
    default:
      return []
  }
}

/**
 * Arguments of a tool call as they were written and, where letters stand as `\u0061`, as their tool reads them.
 * A worker refuses half a character, and with it every question of the call.
 */
function argumentTexts(written: string): readonly string[] {
  const texts = [written.toWellFormed()]
  if (!written.includes("\\u")) return texts
  try {
    return [...texts, JSON.stringify(JSON.parse(written)).toWellFormed()]
  } catch {
    return texts
  }
}
