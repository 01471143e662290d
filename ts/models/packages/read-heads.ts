// The heads of a package, from its own files, before anything loads it.

import { isAbsolute } from "node:path"
import { RtrError, suggestion } from "../../kernel/index.ts"
import type { PackageHead } from "../../kernel/runtime/node.ts"
import { isFolder, locateArtifact } from "./artifact.ts"
import { builtinPackageNames, findBuiltinPackage } from "./builtin.ts"
import { readJsonDescription } from "./package-file.ts"

/** Families that answer typed questions. */
const decisionFamilies: ReadonlySet<unknown> = new Set(["marker_decisions", "packed_decisions"])
const decisions: PackageHead = { name: "decisions", kind: "decisions", labels: [] }

/** Families whose heads stand in `rtrun.json`, all of them; other classifiers are described by the author's files. */
const withoutOwnClassifier: ReadonlySet<unknown> = new Set([
  "embeddings",
  "static_embeddings",
  "image_embeddings",
  ...decisionFamilies,
])

/**
 * Heads of the package that an `artifact` means: a built-in name or a folder, as a path that is absolute or begins with a
 * dot; `source` is the document that names it. Undefined where only a worker knows them, and for a folder that is not on this
 * machine. Throws an `RtrError` for an artifact that is neither, and for a package that cannot be used.
 */
export function readHeads(artifact: string, source?: string): readonly PackageHead[] | undefined {
  const folder = findBuiltinPackage(artifact) ?? folderOf(artifact, source)
  if (folder === undefined) return undefined
  const settings = readJsonDescription(folder, "rtrun.json")
  if (typeof settings !== "object" || settings === null) return undefined
  const { family, heads } = settings as { readonly family?: unknown; readonly heads?: unknown }
  const own = decisionFamilies.has(family) ? [decisions] : []
  if (heads === undefined) return withoutOwnClassifier.has(family) ? own : undefined
  // What is wrong inside is the worker's to say; it reads the same file.
  return Array.isArray(heads) && heads.every(isHead) ? [...heads, ...own] : undefined
}

/** A name without a dot before it may be meant for a package or a repository of a hub. */
function folderOf(artifact: string, source: string | undefined): string | undefined {
  if (isAbsolute(artifact) || artifact.startsWith(".")) {
    const folder = locateArtifact(artifact, source)
    return isFolder(folder) ? folder : undefined
  }
  const names = builtinPackageNames()
  throw new RtrError(
    "invalid_config",
    `"${artifact}" is neither a built-in package (${names.join(", ")}) nor a path that begins with / or ., and loading from a hub is not supported yet${suggestion(artifact, names)}`,
  )
}

function isHead(value: unknown): value is PackageHead {
  if (typeof value !== "object" || value === null) return false
  const { name, kind, labels } = value as Partial<Readonly<Record<keyof PackageHead, unknown>>>
  return (
    typeof name === "string" &&
    (kind === "sequence" || kind === "scores" || kind === "token") &&
    Array.isArray(labels) &&
    labels.every((label) => typeof label === "string")
  )
}
