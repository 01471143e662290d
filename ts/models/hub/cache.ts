// One model in the hub's standard cache: `blobs/<digest>`, `refs/<revision>`, `snapshots/<commit>/<file>` as relative links.

import { copyFile, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { randomUUID } from "node:crypto"
import { basename, dirname, join, relative } from "node:path"
import { isDigest } from "./digest.ts"
import { isCommit } from "./repository.ts"

export interface CachedFile {
  readonly bytes: number
  /** SHA-256 or git blob SHA-1; the name of the blob. */
  readonly digest: string
}

export type CachedFiles = Readonly<Record<string, CachedFile>>

export interface ModelCache {
  readonly repository: string
  blobPath(digest: string): string
  lockPath(digest: string): string
  snapshotFolder(commit: string): string
  /** Where a file of a snapshot is: its size and digest; undefined when it is not there or not named by its digest. */
  findFile(commit: string, path: string): Promise<CachedFile | undefined>
  /** Puts a blob into a snapshot. */
  linkFile(commit: string, path: string, digest: string): Promise<void>
  /** The commit of a revision as it was last known: a ref, a whole commit, or the start of exactly one. */
  findCommit(revision: string): Promise<string | undefined>
  writeRef(revision: string, commit: string): Promise<void>
  /** The files of a package, written when all were there; undefined when it was not this product that fetched them. */
  readListing(commit: string): Promise<CachedFiles | undefined>
  writeListing(commit: string, files: CachedFiles): Promise<void>
}

export function createModelCache(cacheFolder: string, repository: string): ModelCache {
  const name = `models--${repository.replace("/", "--")}`
  const folder = join(cacheFolder, name)
  const blobPath = (digest: string): string => join(folder, "blobs", digest)
  const snapshotFolder = (commit: string): string => join(folder, "snapshots", commit)
  const listingPath = (commit: string): string => join(folder, ".rtrun", `${commit}.json`)
  return {
    repository,
    blobPath,
    lockPath: (digest) => join(cacheFolder, ".locks", name, `${digest}.rtrun`),
    snapshotFolder,

    async findFile(commit, path) {
      const file = join(snapshotFolder(commit), path)
      const digest = await readlink(file).then(basename, () => "")
      const blob = await stat(file).catch(() => undefined)
      return blob?.isFile() === true && isDigest(digest) ? { bytes: blob.size, digest } : undefined
    },

    async linkFile(commit, path, digest) {
      const file = join(snapshotFolder(commit), path)
      await replaceFile(file, async (temporary) => {
        try {
          await symlink(relative(dirname(file), blobPath(digest)), temporary)
        } catch (cause) {
          // Windows allows links to few users only.
          if (!["EPERM", "ENOSYS"].includes((cause as NodeJS.ErrnoException).code ?? "")) throw cause
          await copyFile(blobPath(digest), temporary)
        }
      })
    },

    async findCommit(revision) {
      if (isCommit(revision)) return revision
      const ref = await readFile(join(folder, "refs", revision), "utf8").catch(() => "")
      if (isCommit(ref.trim())) return ref.trim()
      if (!/^[0-9a-f]{7,39}$/.test(revision)) return undefined
      const snapshots = await readdir(join(folder, "snapshots")).catch(() => [])
      const matches = snapshots.filter((commit) => isCommit(commit) && commit.startsWith(revision))
      return matches.length === 1 ? matches[0] : undefined
    },

    writeRef: (revision, commit) =>
      replaceFile(join(folder, "refs", revision), (temporary) => writeFile(temporary, commit)),

    async readListing(commit) {
      const text = await readFile(listingPath(commit), "utf8").catch(() => undefined)
      return text === undefined ? undefined : parseListing(text)
    },

    writeListing: (commit, files) =>
      replaceFile(listingPath(commit), (temporary) =>
        writeFile(temporary, `${JSON.stringify({ schema: listingSchema, files }, null, 2)}\n`),
      ),
  }
}

/** Goes up when other files are selected, so that an older listing does not pass as complete. */
const listingSchema = 1

function parseListing(text: string): CachedFiles | undefined {
  try {
    const { schema, files } = JSON.parse(text) as { schema: number; files: CachedFiles }
    return schema === listingSchema && typeof files === "object" && files !== null ? files : undefined
  } catch {
    // Written whole or not at all by us; a broken one counts as none.
    return undefined
  }
}

/** Makes a file under another name and renames it, so that nobody ever sees half of it. */
async function replaceFile(file: string, make: (temporary: string) => Promise<unknown>): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = join(dirname(file), `.${randomUUID()}`)
  try {
    await make(temporary)
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw cause
  }
}
