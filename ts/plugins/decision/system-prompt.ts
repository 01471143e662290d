// Puts a system prompt in front of the conversation.

import { type ChatMessage, type ChatRequest, definePlugin, Type } from "../../kernel/index.ts"

const options = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    system_prompt: Type.Optional(Type.String()),
    mode: Type.Optional(
      Type.Unsafe<"insert" | "replace">({
        type: "string",
        enum: ["insert", "replace"],
        description: "Before the client's system message, or instead of it",
      }),
    ),
  },
  { additionalProperties: false },
)

export default definePlugin({
  about: "Puts a system prompt before the client's own, or in its place",
  options,
  setup({ enabled = true, system_prompt: prompt = "", mode = "insert" }) {
    if (!enabled || prompt === "") return {}
    return { before: ({ request }) => ({ request: withPrompt(request, prompt, mode) }) }
  },
})

const isSystem = (message: ChatMessage): boolean => message.role === "system" || message.role === "developer"

function withPrompt(request: ChatRequest, prompt: string, mode: "insert" | "replace"): ChatRequest {
  const position = request.messages.findIndex(isSystem)
  const existing = request.messages[position]
  if (existing === undefined)
    return { ...request, messages: [{ role: "system", content: prompt }, ...request.messages] }
  const replaced: ChatMessage =
    mode === "replace"
      ? { ...existing, content: prompt }
      : { ...existing, content: prepended(prompt, existing.content) }
  return { ...request, messages: request.messages.map((message, index) => (index === position ? replaced : message)) }
}

function prepended(prompt: string, content: ChatMessage["content"]): ChatMessage["content"] {
  if (Array.isArray(content)) return [{ type: "text", text: prompt }, ...content]
  return content === undefined || content === null || content === "" ? prompt : `${prompt}\n\n${content as string}`
}
