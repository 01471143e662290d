// What a reply has to rest on: what tools have found and documents that came with the question.

import { type Block, type ChatRequest, type Grounds, lastUserText } from "../../../kernel/index.ts"
import { isBlank } from "../text-size.ts"

/**
 * Undefined without results of tools and without documents. System texts support a reply as well, but alone they are no context:
 * most of them say how to answer, and nothing that an answer could rest on.
 */
export function groundsOf(request: Pick<ChatRequest, "turns">): Grounds | undefined {
  const { turns } = request
  const found = turns.flatMap(({ blocks }) => blocks.flatMap(textsOfSource)).filter((text) => !isBlank(text))
  if (found.length === 0) return undefined
  const instructions = turns.flatMap(({ role, blocks }) => (role === "system" ? blocks.flatMap(ownText) : []))
  const question = lastUserText(request)
  return { context: [...instructions, ...found].join("\n"), ...(!isBlank(question) && { question }) }
}

function textsOfSource(block: Block): readonly string[] {
  if (block.type === "tool_result") return block.blocks.flatMap(ownText)
  return block.type === "opaque" && sources.has(kindOf(block.value)) ? ownText(block) : []
}

/** Types of blocks of the Messages protocol. */
const sources: ReadonlySet<unknown> = new Set(["document", "search_result"])

const kindOf = (value: unknown): unknown => (value as { readonly type?: unknown } | null)?.type

const ownText = (block: Block): readonly string[] =>
  (block.type === "text" || block.type === "opaque") && block.text !== undefined ? [block.text] : []
