// A reply that no model wrote.

import type { ChatReply } from "../types/chat.ts"

/** A whole reply of one text that used no tokens. `id` is made up when left out. */
export function textReply({
  text,
  model,
  id = `chatcmpl-${crypto.randomUUID()}`,
}: {
  readonly text: string
  readonly model: string
  readonly id?: string
}): ChatReply {
  return {
    id,
    model,
    created: Math.floor(Date.now() / 1000),
    choices: [{ blocks: [{ type: "text", text }], stop: "stop" }],
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  }
}
