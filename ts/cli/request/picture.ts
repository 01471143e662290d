// Pictures from files, as models take them.

import { readFile, stat } from "node:fs/promises"

export interface Picture {
  /** Media type. */
  readonly type: string
  /** Base64. */
  readonly data: string
}

/** In base64 it fits into the largest request. */
const maxBytes = 20 * 1024 * 1024

/** Reads a picture; its type is what its first bytes say. Throws an `RtrError` that names the file. */
export async function readPicture(file: string): Promise<Picture> {
  const { RtrError } = await import("rtr")
  const refuse = (reason: string, cause?: unknown): Error =>
    new RtrError("invalid_request", `Cannot send --image ${file}: ${reason}`, { cause })
  const bytes = await readSmall(file).catch((cause: unknown) => {
    throw refuse(cause instanceof Error ? cause.message : String(cause), cause)
  })
  if (bytes === undefined) throw refuse(`it is no file of at most ${maxBytes / 2 ** 20} MiB`)
  const type = typeOf(bytes)
  if (type === undefined) throw refuse("it is neither PNG, JPEG, GIF nor WebP")
  return { type, data: bytes.toString("base64") }
}

async function readSmall(file: string): Promise<Buffer | undefined> {
  const info = await stat(file)
  return info.isFile() && info.size <= maxBytes ? readFile(file) : undefined
}

function typeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12)
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (/^GIF8[79]a/.test(head)) return "image/gif"
  return /^RIFF[^]{4}WEBP/.test(head) ? "image/webp" : undefined
}
