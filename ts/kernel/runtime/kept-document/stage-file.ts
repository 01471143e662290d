// A file that is written beside its place first, so that it is there whole or not at all.

import { randomUUID } from "node:crypto"
import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { ManagementError } from "../../http/management-error.ts"

export interface StagedFile {
  /** Puts it in its place. */
  commit(): Promise<void>
  /** Removes it. */
  discard(): Promise<void>
}

/** Follows a link, keeps the mode of a file that is there, and makes folders that are not. */
export async function stageFile(path: string, text: string): Promise<StagedFile> {
  try {
    const target = await realpath(path).catch(() => path)
    const found = await stat(target).catch(() => undefined)
    await mkdir(dirname(target), { recursive: true, mode: 0o755 })
    const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
    const discard = (): Promise<void> => rm(temporary, { force: true })
    await writeFile(temporary, text, { mode: found === undefined ? 0o644 : found.mode & 0o777 }).catch(
      async (error: unknown) => {
        await discard()
        throw error
      },
    )
    return { commit: () => rename(temporary, target), discard }
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException
    throw new ManagementError(
      500,
      "CONFIG_PERSIST_ERROR",
      `Cannot write ${basename(path)} beside the document (${code}); the router needs a folder that it may write to`,
    )
  }
}
