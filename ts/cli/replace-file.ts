// Writes a file whole or not at all: a full disk leaves what was there before.

import { randomUUID } from "node:crypto"
import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

export type WriteFile = (path: string, text: string, options: { readonly mode?: number }) => void

/**
 * Writes beside the file and renames. A link is followed, the mode of a file that is replaced stays, one that is
 * new gets `newMode`, and what is no regular
 * file, such as /dev/stdout, is written to. Throws an `RtrError` that names the path.
 */
export async function replaceFile(
  path: string,
  text: string,
  write: WriteFile = writeFileSync,
  newMode?: number,
): Promise<void> {
  const { RtrError } = await import("rtr")
  let temporary: string | undefined
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found !== undefined && !found.isFile()) return write(path, text, {})
    const target = found === undefined ? path : realpathSync(path)
    temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
    const mode = found === undefined ? newMode : found.mode & 0o777
    write(temporary, text, mode === undefined ? {} : { mode })
    renameSync(temporary, target)
  } catch (cause) {
    if (temporary !== undefined) rmSync(temporary, { force: true })
    const { code } = cause as NodeJS.ErrnoException
    const reason = (code === undefined ? undefined : reasons[code]) ?? (cause as Error).message
    throw new RtrError("invalid_request", `Cannot write ${path}: ${reason}`, { cause })
  }
}

/** What the file system says without the name of the file beside, which means nothing to anybody. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "its folder may not be written to (EACCES)",
  EDQUOT: "the quota of the disk is used up (EDQUOT)",
  EISDIR: "it is a folder; name a file (EISDIR)",
  ENOENT: "its folder does not exist (ENOENT)",
  ENOSPC: "the disk is full (ENOSPC)",
  ENOTDIR: "what should be its folder is none (ENOTDIR)",
  EROFS: "the file system is read-only (EROFS)",
}
