// How many tokens a request has, about: before a backend has counted them, and for backends that cannot.

import type { Block, ChatRequest } from "../../../kernel/index.ts"
import { utf8BytesOfShort } from "../text-size.ts"

/** A picture or a page, as Anthropic counts one of usual size. */
const tokensPerMedia = 1600
const tokensPerTurn = 4
const bytesPerToken = 4

/** A quarter of the bytes of texts, calls and tools, and fixed amounts for the rest. */
export function estimateTokens({ turns, tools }: Pick<ChatRequest, "turns" | "tools">): number {
  let bytes = 0
  let fixed = turns.length * tokensPerTurn
  const count = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      if (block.type === "image" || block.type === "file" || block.type === "audio") fixed += tokensPerMedia
      else if (block.type === "tool_call") bytes += bytesOf(block.name) + bytesOf(block.arguments)
      else if (block.type === "tool_result") count(block.blocks)
      else bytes += bytesOf(block.text ?? "")
    }
  }
  for (const { blocks } of turns) count(blocks)
  for (const { name, description = "", parameters } of tools)
    bytes += bytesOf(name) + bytesOf(description) + bytesOf(JSON.stringify(parameters) ?? "")
  return Math.ceil(bytes / bytesPerToken) + fixed
}

const maxCounted = 4096

/** A long text is taken to be like its beginning, so that the estimate costs next to nothing. */
function bytesOf(text: string): number {
  const counted = utf8BytesOfShort(text.slice(0, maxCounted))
  return text.length <= maxCounted ? counted : (counted * text.length) / maxCounted
}
