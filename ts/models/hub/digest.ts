// The two digests of hub files: SHA-256 of large ones, the git blob's SHA-1 of small ones. A cached file is named by its digest.

import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"

/** Whether a text is a digest that files are checked against. */
export const isDigest = (text: string): boolean => /^([0-9a-f]{64}|[0-9a-f]{40})$/.test(text)

/** The digest of an `ETag`, without its quotes and mark; undefined when it is something else. */
export function digestOfTag(tag: string | undefined): string | undefined {
  const text = tag?.replace(/^W\//, "").replaceAll('"', "").toLowerCase()
  return text !== undefined && isDigest(text) ? text : undefined
}

/** The digest of a file, of the same kind as `like`. */
export async function digestOfFile(path: string, like: string): Promise<string> {
  const hash = createHash(like.length === 64 ? "sha256" : "sha1")
  if (like.length !== 64) hash.update(`blob ${(await stat(path)).size}\0`)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  return hash.digest("hex")
}
