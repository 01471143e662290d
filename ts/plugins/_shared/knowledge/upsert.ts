// A knowledge base as a client of the management API sends it, and what becomes of it in the document.

import { ManagementError, mapOf, type Static, Type } from "../../../kernel/index.ts"
import { maxExemplars } from "./manifest.ts"
import { label, metric, share } from "./record.ts"
import { type KnowledgeBase, ownMetrics } from "./settings.ts"

export const baseName = Type.String({ pattern: "^[A-Za-z0-9_-]+$", minLength: 1, maxLength: 64 })

const fields = {
  threshold: Type.Optional(share),
  label_thresholds: Type.Optional(mapOf(share)),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  labels: Type.Array(label, { minItems: 1, maxItems: 1000 }),
  groups: Type.Optional(mapOf(Type.Array(Type.String(), { minItems: 1 }))),
  metrics: Type.Optional(Type.Array(metric)),
}

export const created = Type.Object({ name: baseName, ...fields }, { additionalProperties: false })
export const updated = Type.Object({ name: Type.Optional(baseName), ...fields }, { additionalProperties: false })

export type Upsert = Static<typeof updated>

/** Throws `INVALID_INPUT` with everything that the schema cannot find. */
export function checkUpsert({ labels, label_thresholds: thresholds = {}, groups = {}, metrics = [] }: Upsert): void {
  const problems: string[] = []
  const names = new Set<string>()
  for (const { name } of labels) {
    if (names.has(name)) problems.push(`labels has "${name}" twice`)
    names.add(name)
  }
  const expectLabel = (name: string, where: string): void => {
    if (!names.has(name)) problems.push(`${where} names "${name}", which is no label`)
  }
  for (const name of Object.keys(thresholds)) expectLabel(name, "label_thresholds")
  for (const [group, members] of Object.entries(groups))
    for (const name of members) expectLabel(name, `groups.${group}`)
  const taken = new Set<string>(ownMetrics)
  for (const { name, positive_group: positive, negative_group: negative } of metrics) {
    if (taken.has(name.toLowerCase())) problems.push(`metrics has "${name}", which is there already`)
    taken.add(name.toLowerCase())
    for (const group of [positive, negative])
      if (!Object.hasOwn(groups, group)) problems.push(`metrics.${name} names "${group}", which is no group`)
  }
  const count = labels.reduce((sum, { exemplars }) => sum + exemplars.length, 0)
  if (count > maxExemplars) problems.push(`labels has ${count} exemplars; at most ${maxExemplars} are read`)
  if (problems.length > 0)
    throw new ManagementError(
      400,
      "INVALID_INPUT",
      `Cannot take the knowledge base: ${problems.slice(0, 20).join("; ")}`,
    )
}

/** The entry of the document and its file, whose folder is named after what it holds: another text is another file. */
export async function writtenAs(
  name: string,
  { labels, description, threshold, label_thresholds: thresholds, groups, metrics }: Upsert,
): Promise<{ readonly entry: KnowledgeBase; readonly files: Readonly<Record<string, string>> }> {
  const manifest = {
    version: "1.0.0",
    ...(description !== undefined && { description }),
    labels: Object.fromEntries(labels.map(({ name: each, ...rest }) => [each, rest])),
  }
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))
  const revision = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("")
  const path = `knowledge_bases/${name}/${revision}`
  const entry = {
    name,
    source: { path, manifest: "labels.json" },
    ...(threshold !== undefined && { threshold }),
    ...(thresholds !== undefined && { label_thresholds: thresholds }),
    ...(groups !== undefined && { groups }),
    ...(metrics !== undefined && { metrics }),
  }
  return { entry, files: { [`${path}/labels.json`]: text } }
}
