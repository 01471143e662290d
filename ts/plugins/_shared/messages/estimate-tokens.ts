// How many tokens a request has, about: for backends that cannot count.

import type { Block, ChatRequest, Work } from "../../../kernel/index.ts"
import { utf8Bytes } from "../text-size.ts"

/** A picture or a page, as Anthropic counts one of usual size. */
const tokensPerMedia = 1600
const tokensPerTurn = 4
const bytesPerToken = 4

/** A quarter of the bytes of texts, calls and tools, and fixed amounts for the rest. */
export function* estimateTokens({ turns, tools }: Pick<ChatRequest, "turns" | "tools">): Work<number> {
  let bytes = 0
  let fixed = 0
  const count = function* (blocks: readonly Block[]): Work<void> {
    for (const block of blocks) {
      if (block.type === "image" || block.type === "file" || block.type === "audio") fixed += tokensPerMedia
      else if (block.type === "tool_call") bytes += yield* utf8Bytes(block.name + block.arguments)
      else if (block.type === "tool_result") yield* count(block.blocks)
      else bytes += yield* utf8Bytes(block.text ?? "")
    }
  }
  for (const { blocks } of turns) {
    yield
    fixed += tokensPerTurn
    yield* count(blocks)
  }
  for (const { name, description = "", parameters } of tools) {
    yield
    bytes += yield* utf8Bytes(name + description + (JSON.stringify(parameters) ?? ""))
  }
  return Math.ceil(bytes / bytesPerToken) + fixed
}
