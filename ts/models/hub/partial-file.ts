// A file that is being fetched. It grows at its end, and a full disk removes it instead of leaving it half written.

import { type FileHandle, open, rm, stat, statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { RtrError } from "../../kernel/index.ts"

export class PartialFile {
  readonly path: string
  readonly #handle: FileHandle
  #bytes: number

  private constructor(path: string, handle: FileHandle, bytes: number) {
    this.path = path
    this.#handle = handle
    this.#bytes = bytes
  }

  /**
   * Opens what an earlier try has left, or makes an empty file. More than `wholeBytes` cannot be right and is dropped.
   * Rejects when the rest does not fit on the disk.
   */
  static async open(path: string, wholeBytes: number): Promise<PartialFile> {
    const left = await stat(path).catch(() => undefined)
    await checkFreeSpace(dirname(path), wholeBytes - (left?.size ?? 0))
    const handle = await open(path, "a+")
    const { size } = await handle.stat()
    if (size > wholeBytes) await handle.truncate(0)
    return new PartialFile(path, handle, size > wholeBytes ? 0 : size)
  }

  get bytes(): number {
    return this.#bytes
  }

  async append(chunk: Uint8Array): Promise<void> {
    await this.#orRemove(async () => {
      for (let written = 0; written < chunk.length;)
        written += (await this.#handle.write(chunk, written, chunk.length - written)).bytesWritten
    })
    this.#bytes += chunk.length
  }

  async restart(): Promise<void> {
    await this.#handle.truncate(0)
    this.#bytes = 0
  }

  /** Returns when the content is on the disk. */
  sync(): Promise<void> {
    return this.#orRemove(() => this.#handle.sync())
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #orRemove(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      await rm(this.path, { force: true })
      throw toStorageError(cause, dirname(this.path))
    }
  }
}

/** Refuses a download that cannot fit, before it fills the disk. */
async function checkFreeSpace(folder: string, neededBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (neededBytes > bavail * bsize)
    throw full(folder, `${mebibytes(neededBytes)} are needed, ${mebibytes(bavail * bsize)} are free`)
}

/** What a failure to write in the cache folder becomes; anything else stays as it is. */
export function toStorageError(cause: unknown, folder: string): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  if (code === "ENOSPC" || code === "EDQUOT") return full(folder, "there is no room left", cause)
  if (["EACCES", "EPERM", "EROFS", "ENOTDIR", "EIO"].includes(code))
    return new RtrError(
      "unavailable",
      `Cannot write to the cache folder ${folder} (${code}); make it writable or give another with --cache-dir`,
      { cause },
    )
  return cause
}

const full = (folder: string, problem: string, cause?: unknown): RtrError =>
  new RtrError(
    "unavailable",
    `Cannot store the model in ${folder}: ${problem}; free the disk or give another folder with --cache-dir`,
    { cause },
  )

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`
