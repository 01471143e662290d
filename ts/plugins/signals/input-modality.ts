// Matches the kinds of content that the user sent: text, images, audio, video.

import { type Block, defineSignal, type Fact, hasText, literals, Type } from "../../kernel/index.ts"

const rule = Type.Object({
  modality: literals(["text", "image", "audio", "video"], {
    description: "Kind of content in any of the user's messages",
  }),
})

type Modality = "text" | "image" | "audio" | "video"

export default defineSignal({
  about: "Matches the kinds of content that the user sent: text, image, audio or video",
  rule,
  setup(rules) {
    return {
      read({ request }) {
        const counts = { text: 0, image: 0, audio: 0, video: 0 }
        for (const { role, blocks } of request.turns) {
          if (role !== "user") continue
          for (const block of blocks) {
            const modality = modalityOf(block)
            if (modality !== undefined) counts[modality] += 1
          }
        }
        return rules.map(({ name, modality }): Fact => {
          const value = counts[modality]
          return { rule: name, state: value > 0 ? "match" : "no_match", confidence: Number(value > 0), value }
        })
      },
    }
  },
})

/** Kinds of content that only some backends know, by the type that their protocol gives them. */
const opaqueTypes: ReadonlyMap<unknown, Modality> = new Map([
  ["audio_url", "audio"],
  ["video_url", "video"],
  ["input_video", "video"],
  ["video", "video"],
])

function modalityOf(block: Block): Modality | undefined {
  switch (block.type) {
    case "text":
      return hasText(block.text) ? "text" : undefined
    case "image":
    case "audio":
      return block.type
    case "opaque": {
      const { value } = block
      return typeof value === "object" && value !== null && "type" in value ? opaqueTypes.get(value["type"]) : undefined
    }
    default:
      return undefined
  }
}
