// What a reply has to rest on: what tools have found and documents that came with the question.

import { type Block, type ChatRequest, type Grounds, lastUserText, type Turn } from "../../../kernel/index.ts"
import { isBlank } from "../text-size.ts"
import { textTokens } from "../tokens/text-tokens.ts"

/**
 * Undefined without results of tools and without documents. System texts support a reply as well, but alone they are no context:
 * most of them say how to answer, and nothing that an answer could rest on.
 */
export function groundsOf(request: Pick<ChatRequest, "turns">): Grounds | undefined {
  const { turns } = request
  const found = turns.flatMap(({ blocks }) => blocks.flatMap(textsOfSource)).filter((text) => !isBlank(text))
  if (found.length === 0) return undefined
  const instructions = turns.flatMap(({ role, blocks }) => (role === "system" ? blocks.flatMap(ownText) : []))
  const question = lastUserText({ turns: turns.map(withoutSources) })
  const isRead = !isBlank(question) && textTokens(question) <= maxQuestionTokens
  return { context: [...instructions, ...found].join("\n"), ...(isRead && { question }) }
}

/** A longer one would leave a small model no room for the context. It helps, and is not needed. */
const maxQuestionTokens = 30

const withoutSources = (turn: Turn): Turn => ({
  ...turn,
  blocks: turn.blocks.filter((block) => textsOfSource(block).length === 0),
})

function textsOfSource(block: Block): readonly string[] {
  if (block.type === "tool_result") return block.blocks.flatMap(ownText)
  const isSource =
    block.type === "text" ? block.isDocument === true : block.type === "opaque" && kindOf(block.value) === searchResult
  return isSource ? ownText(block) : []
}

/** Type of a block of the Messages protocol. */
const searchResult = "search_result"

const kindOf = (value: unknown): unknown => (value as { readonly type?: unknown } | null)?.type

const ownText = (block: Block): readonly string[] =>
  (block.type === "text" || block.type === "opaque") && block.text !== undefined ? [block.text] : []
