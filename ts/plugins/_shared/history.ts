// What a guard reads beside the last user message: the rest of the conversation, message by message.

import { type ChatMessage, type SignalInput, textOf } from "../../kernel/index.ts"

/**
 * Texts of every other message in order, whatever its role: earlier turns, tool results behind the last user message, and
 * what an assistant gave to tools or refused with. Blank texts are left out, and a text that stands twice, or equals the
 * last user message, is there once in all.
 */
export function historyTexts({ text, request }: SignalInput): readonly string[] {
  const texts = new Set(request.messages.flatMap((message) => [textOf(message), ...saidBeside(message)]))
  texts.delete(text)
  return [...texts].filter((each) => each.trim() !== "")
}

/** What an assistant gave to tools, in any of the forms that backends read, and what it refused with. */
function saidBeside(message: ChatMessage): readonly string[] {
  const calls = fieldOf(message, "tool_calls")
  const given = (Array.isArray(calls) ? (calls as readonly unknown[]) : []).flatMap((call) => [
    fieldOf(fieldOf(call, "function"), "arguments"),
    fieldOf(fieldOf(call, "custom"), "input"),
  ])
  const parts = Array.isArray(message.content) ? message.content.map((part) => fieldOf(part, "refusal")) : []
  const older = fieldOf(fieldOf(message, "function_call"), "arguments")
  return [...given, older, fieldOf(message, "refusal"), ...parts].flatMap(asText)
}

/** The fields are the client's, so they may be anything. */
function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function asText(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  // A worker refuses half a character, and with it every question of the call.
  if (typeof value !== "string") return [JSON.stringify(value).toWellFormed()]
  return [value.toWellFormed(), ...unescaped(value)]
}

/** Arguments are JSON, in which any letter may stand as `\u0061`: what a tool reads, if that is another text. */
function unescaped(json: string): readonly string[] {
  if (!json.includes("\\u")) return []
  try {
    return [JSON.stringify(JSON.parse(json)).toWellFormed()]
  } catch {
    return []
  }
}
