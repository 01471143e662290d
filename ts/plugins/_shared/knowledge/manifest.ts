// The manifest of a knowledge base: labels with example sentences.

import { type ReadDocumentFile, RtrError } from "../../../kernel/index.ts"
import { type KnowledgeBase, manifestPath } from "./settings.ts"

/** Example sentences by label. */
export type Manifest = ReadonlyMap<string, readonly string[]>

/** More labels or examples than this make a start slow and say no more. */
const maxExemplars = 20_000

/** Reads the manifest of a knowledge base. Rejects with `invalid_config` that names the knowledge base, the file and what is wrong. */
export async function readManifest(base: KnowledgeBase, readFile: ReadDocumentFile | undefined): Promise<Manifest> {
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
  const { labels } = (value ?? {}) as { readonly labels?: unknown }
  if (typeof labels !== "object" || labels === null || Array.isArray(labels) || Object.keys(labels).length === 0)
    return refuse(`${path} has no labels; it needs {"labels": {"NAME": {"exemplars": ["…"]}}}`)
  const manifest = new Map<string, readonly string[]>()
  let count = 0
  for (const [label, entry] of Object.entries(labels as Readonly<Record<string, unknown>>)) {
    const { exemplars } = (entry ?? {}) as { readonly exemplars?: unknown }
    if (!Array.isArray(exemplars) || exemplars.length === 0 || !exemplars.every(isSentence))
      return refuse(`label "${label}" of ${path} needs exemplars: a list of at least one text`)
    count += exemplars.length
    manifest.set(label, exemplars as readonly string[])
  }
  if (count > maxExemplars) return refuse(`${path} has ${count} exemplars; at most ${maxExemplars} are read`)
  return manifest
}

const isSentence = (value: unknown): boolean => typeof value === "string" && value.trim() !== ""
