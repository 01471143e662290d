// A knowledge base as the management API shows it, and the document that it stands in.

import {
  isRtrError,
  type KeptDocument,
  literals,
  ManagementError,
  mapOf,
  type ReadDocumentFile,
  type ReadDocument,
  Type,
} from "../../../kernel/index.ts"
import type { KbRule } from "./check.ts"
import { type Label, readManifestFile } from "./manifest.ts"
import { type KnowledgeBase, knowledgeBasesOf, manifestPath, ownMetrics } from "./settings.ts"

export const label = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 256, pattern: "\\S" }),
    description: Type.Optional(Type.String({ maxLength: 10_000 })),
    exemplars: Type.Array(Type.String({ minLength: 1, maxLength: 10_000, pattern: "\\S" }), { minItems: 1 }),
  },
  { additionalProperties: false },
)

export const metric = Type.Object(
  {
    name: Type.String({ minLength: 1, pattern: "\\S" }),
    type: literals(["group_margin"]),
    positive_group: Type.String({ minLength: 1 }),
    negative_group: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
)

export const share = Type.Number({ minimum: 0, maximum: 1 })

export const record = Type.Object({
  name: Type.String(),
  type: Type.Literal("embedding_kb"),
  builtin: Type.Boolean({ description: "There without being declared, with sentences that come with the router" }),
  managed: Type.Boolean({ description: "Made by this API, which may change it" }),
  editable: Type.Boolean(),
  threshold: Type.Optional(share),
  label_thresholds: Type.Optional(mapOf(share)),
  description: Type.Optional(Type.String()),
  source: Type.Object({ path: Type.String(), manifest: Type.String() }),
  labels: Type.Array(label),
  groups: Type.Optional(mapOf(Type.Array(Type.String()))),
  metrics: Type.Optional(Type.Array(metric)),
  signal_references: Type.Array(
    Type.Object({
      name: Type.String(),
      target: Type.Object({ kind: Type.String(), value: Type.String() }),
      match: literals(["best", "threshold"]),
      recipe: Type.Optional(Type.String({ description: "The profile that the rule is of; left out for the first" })),
    }),
    { description: "Rules that ask it" },
  ),
  bind_options: Type.Object(
    { labels: Type.Array(Type.String()), groups: Type.Array(Type.String()), metrics: Type.Array(Type.String()) },
    { description: "What rules and scores may name" },
  ),
  load_error: Type.Optional(Type.String({ description: "Why its file cannot be read" })),
})

/** Where the document has its knowledge bases. */
export const basesPath = ["global", "model_catalog", "kbs"] as const

type Value = ReadDocument["value"]

/** What the document declares; undefined where the built-in ones are there instead. */
export function declaredIn(value: Value): readonly KnowledgeBase[] | undefined {
  const { global } = value as { readonly global?: { readonly model_catalog?: { readonly kbs?: unknown } } | null }
  const kbs = global?.model_catalog?.kbs
  return Array.isArray(kbs) ? (kbs as readonly KnowledgeBase[]) : undefined
}

export const basesIn = (value: Value): readonly KnowledgeBase[] => knowledgeBasesOf(declaredIn(value))

/** Folders that the management API has made: `knowledge_bases/NAME/REVISION`. */
export const isManaged = ({ name, source }: KnowledgeBase): boolean =>
  source.path.startsWith(`knowledge_bases/${name}/`) && /\/[0-9a-f]{16}\/?$/.test(source.path)

export async function recordOf(base: KnowledgeBase, value: Value, readFile: ReadDocumentFile): Promise<object> {
  const { name, source, threshold, label_thresholds: thresholds, groups, metrics } = base
  let labels: readonly Label[] = []
  let description: string | undefined
  let loadError: string | undefined
  try {
    ;({ labels, description } = await readManifestFile(base, readFile))
  } catch (error) {
    if (!isRtrError(error)) throw error
    // The reason may name folders of the machine.
    loadError = `${manifestPath(base)} cannot be read as a manifest`
  }
  return {
    name,
    type: "embedding_kb",
    builtin: declaredIn(value) === undefined,
    managed: isManaged(base),
    editable: isManaged(base),
    ...(threshold !== undefined && { threshold }),
    ...(thresholds !== undefined && { label_thresholds: thresholds }),
    ...(description !== undefined && { description }),
    source: { path: source.path, manifest: source.manifest ?? "labels.json" },
    labels,
    ...(groups !== undefined && { groups }),
    ...(metrics !== undefined && { metrics }),
    signal_references: referencesTo(name, value),
    bind_options: {
      labels: labels.map((each) => each.name),
      groups: Object.keys(groups ?? {}),
      metrics: [...ownMetrics, ...(metrics ?? []).map((each) => each.name)],
    },
    ...(loadError !== undefined && { load_error: loadError }),
  }
}

interface Profile {
  readonly name?: string
  readonly routing?: { readonly signals?: { readonly kb?: readonly KbRule[] } | null } | null
}

/** Rules of all profiles that name a knowledge base. */
function referencesTo(kb: string, value: Value): readonly object[] {
  const { recipes } = value as { readonly recipes?: unknown }
  const profiles: readonly Profile[] = [
    { ...value, name: undefined } as Profile,
    ...(Array.isArray(recipes) ? recipes : []),
  ]
  return profiles.flatMap(({ name: recipe, routing }) =>
    (routing?.signals?.kb ?? [])
      .filter((rule) => rule.kb === kb)
      .map(({ name, target, match = "threshold" }) => ({
        name,
        target,
        match,
        ...(recipe !== undefined && { recipe }),
      })),
  )
}

/** Throws on a host that follows no file. */
export function baseDocument({ document }: { readonly document: KeptDocument | undefined }): KeptDocument {
  if (document !== undefined) return document
  throw new ManagementError(
    501,
    "CONFIG_UNAVAILABLE",
    "This host follows no configuration file; knowledge bases are read and changed through rtr serve",
  )
}

/** Throws `KB_NOT_FOUND`. */
export function findBase(
  bases: readonly KnowledgeBase[],
  name: string,
): { readonly base: KnowledgeBase; readonly index: number } {
  const index = bases.findIndex((each) => each.name === name)
  const base = bases[index]
  if (base === undefined)
    throw new ManagementError(
      404,
      "KB_NOT_FOUND",
      `There is no such knowledge base; GET /api/v1/storage/knowledge-bases lists all`,
    )
  return { base, index }
}
