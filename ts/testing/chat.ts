// Requests made by hand.

import type { ChatRequest, Turn } from "../kernel/index.ts"

/** A turn that is one text. */
export const textTurn = (role: Turn["role"], text: string): Turn => ({ role, blocks: [{ type: "text", text }] })

/** A request of these turns for the router's own choice of model. */
export function chatRequest(turns: readonly Turn[], changes: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "MoM", turns, tools: [], generation: {}, stream: false, session: {}, extensions: {}, ...changes }
}

/** A request of one user turn. */
export const helloRequest: ChatRequest = chatRequest([textTurn("user", "hello")])

/** The same for a stream. Clients of chat completions have to ask for its tokens. */
export const streamedRequest: ChatRequest = {
  ...helloRequest,
  stream: true,
  extensions: { stream_options: { include_usage: true } },
}
