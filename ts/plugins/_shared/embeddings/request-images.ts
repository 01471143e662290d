// The images of a request, for models that make vectors of them.

import type { ChatRequest, MediaSource } from "../../../kernel/index.ts"

/** Most images of one request that are read: each takes a model as long as a long text. */
const maxImages = 4

/** Base64 data URLs. */
export interface RequestImages {
  readonly urls: readonly string[]
  /** There are images that stand elsewhere, which nobody fetches, or more than are read. */
  readonly isPartial: boolean
}

/** Those of the last user turn that has one. */
export function imagesOf({ turns }: Pick<ChatRequest, "turns">): RequestImages {
  const last = turns.findLast(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "image"))
  const sources = (last?.blocks ?? []).flatMap((block) => (block.type === "image" ? [block.source] : []))
  const inline = sources.flatMap((source) => dataUrl(source) ?? [])
  const urls = inline.slice(0, maxImages)
  return { urls, isPartial: urls.length < sources.length }
}

function dataUrl(source: MediaSource): string | undefined {
  if (source.kind === "base64") return `data:${source.mediaType ?? "image/png"};base64,${source.data}`
  return source.kind === "url" && /^data:image\//i.test(source.url) ? source.url : undefined
}

/** One white pixel: a model that has no vector for it reads no images. */
export const testImage =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC"
