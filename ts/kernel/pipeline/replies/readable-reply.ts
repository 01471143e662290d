// The part of a reply that a guard can read: nothing else reaches the client of a decision that has replies read.

import { isPlainName } from "../../chat/wire-strings.ts"
import type { Block, ChatReply } from "../../types/chat.ts"

/**
 * The reply as written anew: without probabilities of tokens, what loopers add about the way to it, and what only the wire of
 * the backend knows. Identifiers that may be words are replaced; `ownModel` stands for such a name of the model.
 */
export function readableReply(reply: ChatReply, ownModel: string): ChatReply {
  const { id, model, created, choices, usage } = reply
  return {
    id: isPlainName(id) ? id : `${/^(?:resp_|msg_)/.exec(id)?.[0] ?? "chatcmpl-"}${crypto.randomUUID()}`,
    model: isPlainName(model) ? model : ownModel,
    created,
    choices: choices.map(({ blocks, stop }) => ({ blocks: blocks.map(readableBlock), stop })),
    ...(usage !== undefined && { usage }),
  }
}

/** A copy: a dialect writes the original of a block that it knows. */
function readableBlock(block: Block): Block {
  switch (block.type) {
    case "tool_call":
      return { ...block, id: isPlainName(block.id) ? block.id : `call_${crypto.randomUUID()}` }
    case "tool_result":
      return { ...block, blocks: block.blocks.map(readableBlock) }
    case "reasoning": {
      const { signature, encrypted, ...rest } = block
      return { ...rest, ...(isSeal(signature) && { signature }), ...(isSeal(encrypted) && { encrypted }) }
    }
    default:
      return { ...block }
  }
}

/** What only the vendor can read is in the alphabet of base64, and longer than a sentence. */
const isSeal = (text: string | undefined): text is string =>
  text !== undefined && text.length >= 64 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
