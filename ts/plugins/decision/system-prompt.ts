// Puts a system prompt in front of the conversation.

import {
  type ChatRequest,
  definePlugin,
  literals,
  section,
  type TextBlock,
  type Turn,
  Type,
} from "../../kernel/index.ts"

const options = section({
  enabled: Type.Optional(Type.Boolean()),
  system_prompt: Type.Optional(Type.String()),
  mode: Type.Optional(
    literals(["insert", "replace", "append"], {
      description: "Before the client's system message, instead of it, or behind it",
    }),
  ),
})

export default definePlugin({
  about: "Puts a system prompt before the client's own, or in its place",
  options,
  hooks: ["before"],
  check({ mode }, report) {
    if (mode === "append")
      report(
        ["mode"],
        "puts the prompt behind the client's; other routers of this format replace the client's",
        "warning",
      )
  },
  debugHeader: "injected-system-prompt",
  setup({ enabled = true, system_prompt: prompt = "", mode = "insert" }) {
    const active = enabled && prompt !== ""
    return {
      open: () => ({
        before: ({ request }) => (active ? { request: withPrompt(request, prompt, mode) } : undefined),
      }),
    }
  },
})

const blocksOf = {
  insert: (block: TextBlock, existing: Turn["blocks"]) => [block, ...existing],
  replace: (block: TextBlock) => [block],
  append: (block: TextBlock, existing: Turn["blocks"]) => [...existing, block],
}

function withPrompt(request: ChatRequest, prompt: string, mode: "insert" | "replace" | "append"): ChatRequest {
  const block: TextBlock = { type: "text", text: prompt }
  const position = request.turns.findIndex(({ role }) => role === "system")
  const existing = request.turns[position]
  if (existing === undefined) return { ...request, turns: [{ role: "system", blocks: [block] }, ...request.turns] }
  const replaced: Turn = { ...existing, blocks: blocksOf[mode](block, existing.blocks) }
  return { ...request, turns: request.turns.with(position, replaced) }
}
