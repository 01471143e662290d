// The manifest of a knowledge base: labels with example sentences.

import { type ReadDocumentFile, RtrError } from "../../../kernel/index.ts"
import { type KnowledgeBase, manifestPath } from "./settings.ts"

/** Example sentences by label. */
export type Manifest = ReadonlyMap<string, readonly string[]>

/** More labels or examples than this make a start slow and say no more. */
export const maxExemplars = 20_000

export interface Label {
  readonly name: string
  readonly description?: string
  readonly exemplars: readonly string[]
}

/** Everything that a manifest says. */
export interface ManifestFile {
  readonly description?: string
  readonly labels: readonly Label[]
}

/** The example sentences of a knowledge base. Rejects as `readManifestFile` does. */
export async function readManifest(base: KnowledgeBase, readFile: ReadDocumentFile | undefined): Promise<Manifest> {
  const { labels } = await readManifestFile(base, readFile)
  return new Map(labels.map(({ name, exemplars }) => [name, exemplars]))
}

/** Reads the manifest of a knowledge base. Rejects with `invalid_config` that names the knowledge base, the file and what is wrong. */
export async function readManifestFile(
  base: KnowledgeBase,
  readFile: ReadDocumentFile | undefined,
): Promise<ManifestFile> {
  const path = manifestPath(base)
  const refuse = (what: string, cause?: unknown): never => {
    throw new RtrError("invalid_config", `Cannot load knowledge base "${base.name}": ${what}`, { cause })
  }
  if (readFile === undefined) return refuse("this host reads no files")
  let text = ""
  try {
    text = await readFile(path)
  } catch (cause) {
    return refuse((cause as Error).message, cause)
  }
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    return refuse(`${path} is no JSON`)
  }
  const { labels, description } = (value ?? {}) as { readonly labels?: unknown; readonly description?: unknown }
  if (typeof labels !== "object" || labels === null || Array.isArray(labels) || Object.keys(labels).length === 0)
    return refuse(`${path} has no labels; it needs {"labels": {"NAME": {"exemplars": ["…"]}}}`)
  const found: Label[] = []
  let count = 0
  for (const [label, entry] of Object.entries(labels as Readonly<Record<string, unknown>>)) {
    const { exemplars, description: about } = (entry ?? {}) as Readonly<Record<string, unknown>>
    if (!Array.isArray(exemplars) || exemplars.length === 0 || !exemplars.every(isSentence))
      return refuse(`label "${label}" of ${path} needs exemplars: a list of at least one text`)
    count += exemplars.length
    found.push({ name: label, ...described(about), exemplars: exemplars as readonly string[] })
  }
  if (count > maxExemplars) return refuse(`${path} has ${count} exemplars; at most ${maxExemplars} are read`)
  return { ...described(description), labels: found }
}

const described = (value: unknown): { readonly description?: string } =>
  typeof value === "string" ? { description: value } : {}

const isSentence = (value: unknown): boolean => typeof value === "string" && value.trim() !== ""
