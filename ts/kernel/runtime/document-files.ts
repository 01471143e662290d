// Reads files that a document names, beside the document. Those of the built-in knowledge bases come with the product.

import { open } from "node:fs/promises"
import { dirname, join, normalize, resolve } from "node:path"
import { RtrError } from "../error.ts"
import { findUp } from "./find-up.ts"

/** More than any list of examples needs; a larger file is a mistake. */
const maxFileBytes = 16 * 1024 * 1024

/** `source` is the path of the document. Rejects with `invalid_config` that names the file. */
export async function readDocumentFile(path: string, source: string): Promise<string> {
  const beside = resolve(dirname(resolve(source)), path)
  try {
    return await readSmall(beside)
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ENOENT")
      throw new RtrError("invalid_config", `Cannot read ${beside}: ${(cause as Error).message}`, { cause })
    const shipped = normalize(path).startsWith(shippedFolder) ? findUp(join("models", path)) : undefined
    if (shipped !== undefined) return readSmall(shipped)
    throw new RtrError("invalid_config", `There is no file ${beside}`, { cause })
  }
}

/** Documents name the built-in knowledge bases by this path, and few have the files beside them. */
const shippedFolder = "knowledge_bases/"

async function readSmall(path: string): Promise<string> {
  const file = await open(path)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error("it is no regular file")
    if (stats.size > maxFileBytes) throw new Error(`it has ${stats.size} bytes; at most ${maxFileBytes} are read`)
    return decodeUtf8(await file.readFile())
  } finally {
    await file.close()
  }
}

/** Throws where bytes would have to be replaced: the text would be another one than its author wrote. A byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error("it is not UTF-8; save it in that encoding", { cause })
  }
}
