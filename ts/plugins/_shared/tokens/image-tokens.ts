// How many tokens an image has, about: providers cut images into tiles or patches, each in a way of its own.

import type { ImageBlock } from "../../../kernel/index.ts"

/** Providers shrink larger images to about this many, and it is assumed of an image whose size is not in the request. */
export const mostImageTokens = 1600
/** What an image takes that its client wants seen roughly. */
const lowDetailTokens = 85
/** Anthropic's figure; that of others is near it. */
const pixelsPerToken = 750

export function imageTokens({ source, detail }: ImageBlock): number {
  if (detail === "low") return lowDetailTokens
  const size = source.kind === "base64" ? imageSize(source.data) : undefined
  if (size === undefined) return mostImageTokens
  return Math.min(mostImageTokens, Math.ceil((size.width * size.height) / pixelsPerToken))
}

interface ImageSize {
  readonly width: number
  readonly height: number
}

/** From the head of a PNG, GIF, WebP or JPEG file in base64; undefined for anything else. */
export function imageSize(base64: string): ImageSize | undefined {
  const head = bytesAt(base64, 0, 30)
  if (head === undefined) return undefined
  const signature = String.fromCharCode(...new Uint8Array(head.buffer, 0, 16))
  if (signature.startsWith("\x89PNG")) return { width: head.getUint32(16), height: head.getUint32(20) }
  if (signature.startsWith("GIF8")) return { width: head.getUint16(6, true), height: head.getUint16(8, true) }
  if (signature.startsWith("RIFF")) return webpSize(head, signature.slice(12))
  return signature.startsWith("\xff\xd8") ? jpegSize(base64) : undefined
}

function webpSize(head: DataView, format: string): ImageSize | undefined {
  if (format === "VP8 ") return { width: head.getUint16(26, true) & 0x3fff, height: head.getUint16(28, true) & 0x3fff }
  if (format === "VP8L") {
    const bits = head.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (format !== "VP8X") return undefined
  return { width: (head.getUint32(23, true) >>> 8) + 1, height: (head.getUint32(26, true) >>> 8) + 1 }
}

/** Segments before the one with the size hold previews, colours and comments. */
const maxSegments = 64

function jpegSize(base64: string): ImageSize | undefined {
  let offset = 2
  for (let segment = 0; segment < maxSegments; segment++) {
    const view = bytesAt(base64, offset, 9)
    if (view === undefined || view.getUint8(0) !== 0xff) return undefined
    const marker = view.getUint8(1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { width: view.getUint16(7), height: view.getUint16(5) }
    offset += 2 + view.getUint16(2)
  }
  return undefined
}

/** Bytes of a file in base64; undefined where it is shorter, or no base64. */
function bytesAt(base64: string, offset: number, length: number): DataView | undefined {
  const skipped = offset % 3
  const start = ((offset - skipped) / 3) * 4
  const end = start + Math.ceil((skipped + length) / 3) * 4
  if (end > base64.length) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64.slice(start, end)), (character) => character.charCodeAt(0))
    return new DataView(bytes.slice(skipped).buffer)
  } catch {
    return undefined
  }
}
