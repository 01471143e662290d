// What a guard reads beside the last user message: the rest of the conversation, message by message.

import { type SignalInput, textOf } from "../../kernel/index.ts"

/**
 * Texts of every other message in order, whatever its role: earlier turns, and tool results behind the last user message
 * too. Blank texts are left out, and a text that stands twice, or equals the last user message, is there once in all.
 */
export function historyTexts({ text, request }: SignalInput): readonly string[] {
  const texts = new Set(request.messages.map(textOf))
  texts.delete(text)
  return [...texts].filter((each) => each.trim() !== "")
}
