// What a guard reads beside the last user message: the rest of the conversation, message by message.

import { type ChatMessage, type SignalInput, textOf } from "../../kernel/index.ts"

/**
 * Texts of every other message in order, whatever its role: earlier turns, tool results behind the last user message, and
 * what an assistant gave to tools. Blank texts are left out, and a text that stands twice, or equals the last user message,
 * is there once in all.
 */
export function historyTexts({ text, request }: SignalInput): readonly string[] {
  const texts = new Set(request.messages.flatMap((message) => [textOf(message), ...argumentsOf(message)]))
  texts.delete(text)
  return [...texts].filter((each) => each.trim() !== "")
}

/** The fields are the client's, so they may be anything. */
function argumentsOf(message: ChatMessage): readonly string[] {
  const calls: unknown = message["tool_calls"]
  return (Array.isArray(calls) ? (calls as readonly unknown[]) : []).flatMap((call) => {
    const given = (call as { function?: { arguments?: unknown } | null } | null)?.function?.arguments
    // A worker refuses half a character, and with it every question of the call.
    return typeof given === "string" ? [given.toWellFormed()] : []
  })
}
