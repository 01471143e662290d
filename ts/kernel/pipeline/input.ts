// The request as signals see it: the text of the last user message.

import type { ChatMessage, ChatRequest } from "../types/chat.ts"
import type { SignalInput } from "../types/call.ts"

export function toSignalInput(request: ChatRequest): SignalInput {
  const last = request.messages.findLast((message) => message.role === "user")
  return { text: last === undefined ? "" : textOf(last), request }
}

/**
 * Text of a message; the parts of multi-part content that have a text are joined by line breaks. Their type does not
 * matter: a backend may read the text of a part whose type is not known here.
 */
export function textOf(message: ChatMessage): string {
  if (typeof message.content === "string") return message.content
  if (!Array.isArray(message.content)) return ""
  return message.content.flatMap((part) => (typeof part?.text === "string" ? [part.text] : [])).join("\n")
}
