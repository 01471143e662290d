// What a request needs of a model, against what the model's card says.

import type { SkippedModel } from "../../../types/call.ts"
import type { Block, ChatRequest } from "../../../types/chat.ts"
import type { PlannedFallback } from "../../../types/plan.ts"

/** Words of cards, without the signs between them. */
const toolWords = ["tools", "tooluse", "toolcalling", "functioncalling"]
const imageWords = ["vision", "image", "images", "multimodal"]

/** A token of most texts is longer: a model is passed over only when the request is too long for sure. */
const charactersPerToken = 4

type Card = Readonly<Record<string, unknown>> | undefined

/** Says what a model lacks for this request; undefined for one that can take it, or whose card does not tell. */
export function readNeeds(
  request: ChatRequest,
  { checksCapabilities, checksContext }: Pick<PlannedFallback, "checksCapabilities" | "checksContext">,
): (card: Card) => SkippedModel["reason"] | undefined {
  const needsTools = checksCapabilities && request.tools.length > 0
  const needsImages = checksCapabilities && hasImage(request)
  const tokens = checksContext ? fewestTokens(request) : 0
  return (card) => {
    const window = card?.["context_window_size"]
    if (typeof window === "number" && tokens > window) return "context_length"
    const listed = card?.["capabilities"]
    if (!Array.isArray(listed)) return undefined
    const words = new Set(
      listed.map((word) =>
        String(word)
          .toLowerCase()
          .replaceAll(/[^a-z]/g, ""),
      ),
    )
    if (needsTools && !toolWords.some((word) => words.has(word))) return "tools"
    if (needsImages && !imageWords.some((word) => words.has(word))) return "images"
    return undefined
  }
}

const blocksOf = ({ turns }: ChatRequest): readonly Block[] => turns.flatMap(({ blocks }) => blocks)

function hasImage(request: ChatRequest): boolean {
  const isImage = (block: Block): boolean =>
    block.type === "image" || (block.type === "tool_result" && block.blocks.some(isImage))
  return blocksOf(request).some(isImage)
}

/** Texts, calls and tools, and the longest answer that the client asks for. */
function fewestTokens(request: ChatRequest): number {
  const charactersOf = (block: Block): number => {
    if (block.type === "tool_result") return block.blocks.reduce((sum, each) => sum + charactersOf(each), 0)
    if (block.type === "tool_call") return block.name.length + block.arguments.length
    return "text" in block && typeof block.text === "string" ? block.text.length : 0
  }
  const texts = blocksOf(request).reduce((sum, block) => sum + charactersOf(block), 0)
  const tools = request.tools.length === 0 ? 0 : JSON.stringify(request.tools).length
  return Math.ceil((texts + tools) / charactersPerToken) + (request.generation.maxOutputTokens ?? 0)
}
