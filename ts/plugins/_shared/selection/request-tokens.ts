// How many tokens a request has, roughly, and how many of them stood in earlier turns.

import type { Block, ChatRequest } from "../../../kernel/index.ts"

/** English text has about four characters a token. */
const charactersPerToken = 4

export interface RequestTokens {
  /** Everything. */
  readonly context: number
  /** What came before the last user turn. */
  readonly history: number
  /** User turns before the last one. */
  readonly turns: number
}

export function requestTokens({ turns }: Pick<ChatRequest, "turns">): RequestTokens {
  const last = turns.findLastIndex(({ role }) => role === "user")
  const sizes = turns.map(({ blocks }) => blocks.reduce((sum, block) => sum + charactersOf(block), 0))
  const sum = (until: number): number => sizes.slice(0, until).reduce((total, size) => total + size, 0)
  // Instructions are sent with every first turn, too: they are history where turns have been.
  const before = turns.slice(0, Math.max(0, last))
  const earlier = before.filter(({ role }) => role === "user").length
  const continues = before.some(({ role }) => role !== "system")
  return {
    context: Math.ceil(sum(turns.length) / charactersPerToken),
    history: continues ? Math.ceil(sum(last) / charactersPerToken) : 0,
    turns: earlier,
  }
}

function charactersOf(block: Block): number {
  if ("text" in block && typeof block.text === "string") return block.text.length
  return block.type === "tool_call" ? block.arguments.length : 0
}
