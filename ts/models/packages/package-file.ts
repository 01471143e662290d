// One file of a package: found inside the folder of its package only, and only if it is a regular file.

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, sep } from "node:path"
import { isRtrError, RtrError } from "../../kernel/index.ts"
import { isCommit } from "../hub/repository.ts"

/** Bytes of the longest description that is read whole; the largest known ones have some hundred kilobytes. */
export const maxDescriptionBytes = 16 * 1024 * 1024

/**
 * Real path of a file of the package in `folder`; undefined when the package has no such file. Throws an `RtrError` for a
 * name that is no relative path inside the package, for a link that leads out of it, and for what is no regular file.
 */
export function findPackageFile(folder: string, name: string): string | undefined {
  if (!isInside(name)) throw refused(folder, name, "the name must be a relative path inside the package")
  const file = join(folder, name)
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  try {
    const path = realpathSync(file)
    if (!path.startsWith(boundsOf(realpathSync(folder)) + sep))
      throw refused(
        folder,
        name,
        "is a link that leads out of the package folder or of its model in a hub cache; put the file itself there",
      )
    if (!statSync(path).isFile()) throw refused(folder, name, "is not a regular file")
    return path
  } catch (cause) {
    throw isRtrError(cause) ? cause : refused(folder, name, `cannot be opened: ${(cause as Error).message}`, cause)
  }
}

/**
 * Content of a file that describes the package; undefined when the package has none. Throws as `findPackageFile` does, and
 * for a file that is longer than any description.
 */
export function readDescription(folder: string, name: string): Buffer | undefined {
  const path = findPackageFile(folder, name)
  if (path === undefined) return undefined
  let opened: number | undefined
  try {
    // What was found a moment ago may be something else by now: opening a pipe must not wait, and what is open is asked again.
    opened = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = fstatSync(opened)
    if (!found.isFile()) throw refused(folder, name, "is not a regular file")
    if (found.size > maxDescriptionBytes)
      throw refused(folder, name, `has ${found.size} bytes; a description has at most ${maxDescriptionBytes}`)
    return readAtMost(opened, found.size)
  } catch (cause) {
    throw isRtrError(cause) ? cause : refused(folder, name, `cannot be read: ${(cause as Error).message}`, cause)
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}

/** Parsed JSON of a file that describes the package; undefined when the package has none. */
export function readJsonDescription(folder: string, name: string): unknown {
  const content = readDescription(folder, name)
  if (content === undefined) return undefined
  try {
    return JSON.parse(content.toString()) as unknown
  } catch (cause) {
    throw refused(folder, name, `is not JSON: ${(cause as Error).message}`, cause)
  }
}

function isInside(name: string): boolean {
  if (isAbsolute(name) || name.includes("\0")) return false
  return name.split(sep === "/" ? "/" : /[\\/]/).every((part) => part !== "" && part !== "." && part !== "..")
}

function readAtMost(opened: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  let length = 0
  while (length < bytes) {
    const read = readSync(opened, buffer, length, bytes - length, null)
    if (read === 0) break
    length += read
  }
  return buffer.subarray(0, length)
}

/**
 * The folder that links may not leave: the package, or the whole model in a hub cache, whose snapshots are links to `blobs/`.
 * The worker decides the same way (crates/rtrun-core/src/package/files.rs).
 */
function boundsOf(root: string): string {
  const snapshots = dirname(root)
  const model = dirname(snapshots)
  const isCached =
    isCommit(basename(root).toLowerCase()) &&
    basename(snapshots) === "snapshots" &&
    basename(model).startsWith("models--")
  return isCached ? model : root
}

const refused = (folder: string, name: string, problem: string, cause?: unknown): RtrError =>
  new RtrError("invalid_package", `Cannot use ${JSON.stringify(name)} of package ${folder}: ${problem}`, { cause })
