// Hashes a whole package: what is damaged is named, what is whole gets one digest.

import { createHash } from "node:crypto"
import { readdir, readlink, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import { RtrError } from "../../kernel/index.ts"
import { digestOfFile, isDigest } from "../hub/digest.ts"
import type { RecordedFiles } from "../hub/fetch-model.ts"
import { findPackageFile, readDescription } from "./package-file.ts"

export interface CheckedPackage {
  /** SHA-256 of `manifest.json`; without one, of the lines `<sha256>  <path>` of all files in the order of their paths. */
  readonly digest: string
  readonly files: number
  readonly bytes: number
}

const sha256Like = "0".repeat(64)

/**
 * Reads every file of a package folder. Files are compared with `recorded`, with the manifest, and with the digest that
 * names a cached file; a difference rejects with an `RtrError` that names the file. So does a file outside the folder or
 * that is no regular file, of which nothing is read.
 */
export async function checkPackage(folder: string, recorded?: RecordedFiles): Promise<CheckedPackage> {
  const manifest = readManifest(folder)
  const expected: RecordedFiles = { ...manifest?.files, ...recorded }
  const paths = await listFiles(folder)
  const lines: string[] = []
  let bytes = 0
  for (const path of [...new Set([...paths, ...Object.keys(expected)])].toSorted()) {
    const file = await checkFile(folder, path, expected[path])
    bytes += file.bytes
    lines.push(`${file.sha256}  ${path}\n`)
  }
  const digest = manifest?.sha256 ?? createHash("sha256").update(lines.join("")).digest("hex")
  return { digest, files: paths.length, bytes }
}

/** Compares only the files that are recorded. */
export async function checkRecordedFiles(folder: string, recorded: RecordedFiles): Promise<void> {
  for (const [path, expected] of Object.entries(recorded)) await checkFile(folder, path, expected)
}

async function checkFile(
  folder: string,
  path: string,
  expected: RecordedFiles[string] | undefined,
): Promise<{ bytes: number; sha256: string }> {
  const file = join(folder, path)
  const real = findPackageFile(folder, path)
  if (real === undefined) throw damaged(file, "is missing")
  const found = await stat(real)
  if (expected !== undefined && found.size !== expected.bytes)
    throw damaged(file, `has ${found.size} bytes; ${expected.bytes} are recorded`)
  const sha256 = await digestOfFile(real, sha256Like)
  if (expected !== undefined && sha256 !== expected.sha256)
    throw damaged(file, `has SHA-256 ${sha256}; ${expected.sha256} is recorded`)
  const blob = await readlink(file).then(basename, () => "")
  if (isDigest(blob)) {
    const digest = blob.length === 64 ? sha256 : await digestOfFile(real, blob)
    if (digest !== blob) throw damaged(file, `has digest ${digest}; in the cache it is named ${blob}`)
  }
  return { bytes: found.size, sha256 }
}

const damaged = (file: string, problem: string): RtrError =>
  new RtrError("invalid_package", `Cannot use ${file}: it ${problem}; remove it and fetch it again`)

function readManifest(folder: string): { sha256: string; files: RecordedFiles } | undefined {
  const content = readDescription(folder, "manifest.json")
  if (content === undefined) return undefined
  try {
    const { files } = JSON.parse(content.toString()) as { files: Readonly<Record<string, unknown>> }
    const bare = Object.keys(files).find((path) => typeof files[path] !== "object" || files[path] === null)
    if (bare !== undefined) throw new TypeError(`files[${JSON.stringify(bare)}] must have bytes and sha256`)
    return { sha256: createHash("sha256").update(content).digest("hex"), files: files as RecordedFiles }
  } catch (cause) {
    throw damaged(join(folder, "manifest.json"), `is no manifest (${(cause as Error).message})`)
  }
}

/** Paths with `/`. Links to folders are not followed; links to files are what a cache is made of. */
async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
}
