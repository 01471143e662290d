// Whether a package can be used from the cache alone.

import { findPackageFile, readJsonDescription } from "../packages/package-file.ts"
import type { ModelCache } from "./cache.ts"
import type { RecordedFiles } from "./fetch-model.ts"

export interface CachedPackageOptions {
  /** The files that are needed, where they are known. */
  readonly recorded?: RecordedFiles | undefined
  /** A snapshot that another tool made is taken too, if it has what no package can do without. */
  readonly takesForeign?: boolean
  readonly onNotice?: ((message: string) => void) | undefined
}

/** The commit of a revision whose files are all in the cache; undefined otherwise. */
export async function findCachedPackage(
  cache: ModelCache,
  revision: string,
  { recorded, takesForeign = false, onNotice }: CachedPackageOptions,
): Promise<string | undefined> {
  const commit = await cache.findCommit(revision)
  if (commit === undefined) return undefined
  if (recorded !== undefined) return (await hasAll(cache, commit, Object.keys(recorded))) ? commit : undefined
  const listing = await cache.readListing(commit)
  if (listing !== undefined) {
    const found = await Promise.all(Object.keys(listing).map((path) => cache.findFile(commit, path)))
    const isComplete = Object.values(listing).every(
      ({ bytes, digest }, index) => found[index]?.digest === digest && found[index].bytes === bytes,
    )
    return isComplete ? commit : undefined
  }
  const isUsable = takesForeign && looksComplete(cache.snapshotFolder(commit))
  if (isUsable)
    onNotice?.(
      `${cache.repository}@${commit} was cached by another tool; files that it left out are not noticed offline`,
    )
  return isUsable ? commit : undefined
}

async function hasAll(cache: ModelCache, commit: string, paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => cache.findFile(commit, path)))
  return found.every((file) => file !== undefined)
}

/** Configuration, weights, and what `modules.json` and the index of the weights name. */
function looksComplete(folder: string): boolean {
  const isThere = (name: string): boolean => orElse(() => findPackageFile(folder, name) !== undefined, false)
  const index = readJson(folder, "model.safetensors.index.json")
  const modules = readJson(folder, "modules.json")
  const needed = [
    "config.json",
    "tokenizer.json",
    ...Object.values((index as { weight_map?: Record<string, string> } | undefined)?.weight_map ?? {}),
    ...(Array.isArray(modules) ? (modules as { path?: string; type?: string }[]) : [])
      .filter(({ type }) => type?.endsWith("Pooling"))
      .map(({ path }) => `${path}/config.json`),
  ]
  const hasWeights = index !== undefined || isThere("model.safetensors") || isThere("onnx/model.onnx")
  return hasWeights && [...new Set(needed)].every(isThere)
}

const readJson = (folder: string, name: string): unknown => orElse(() => readJsonDescription(folder, name), undefined)

/** A file that cannot be used counts as one that is not there. */
function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
