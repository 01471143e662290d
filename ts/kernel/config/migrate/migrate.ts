// From any format before to the current spelling of v0.3. The YAML document is edited, so that comments and the order of keys stay.

import { parseDocument } from "yaml"
import type { DocumentPath } from "../../error.ts"
import { formatPath } from "../../schema/problem.ts"
import { readDocument } from "../document.ts"
import { mapsAt, pairOf, remove } from "./edit.ts"
import { migrateFlat } from "./flat.ts"
import { migrateReasoning, migrateSpellings, nameProviders } from "./spellings.ts"

export interface Migration {
  /** The text as it was where nothing changes. */
  readonly text: string
  /** What was changed, one line each. */
  readonly changes: readonly string[]
}

/**
 * Migrates a text. `effectless` says which keys of the migrated document do nothing; they are removed. Throws a `ConfigError`
 * for a text that is no YAML document.
 */
export function migrateDocument(
  text: string,
  source: string,
  effectless: (value: unknown) => readonly DocumentPath[],
): Migration {
  readDocument(text, source)
  const document = parseDocument(text, { merge: true, uniqueKeys: false, resolveKnownTags: false })
  const changes: string[] = []
  const tell = (change: string): void => void changes.push(change)
  migrateFlat(document, tell)
  migrateSpellings(document, tell)
  migrateReasoning(document, tell)
  if (changes.length > 0) nameProviders(document)
  for (const path of effectless(document.toJS({ maxAliasCount: 1000 })).toReversed()) {
    if (!document.hasIn(path)) continue
    document.deleteIn(path)
    tell(`${formatPath(path)} has no effect and was removed`)
  }
  const [root] = mapsAt(document, "")
  if (root !== undefined && pairOf(root.map, "version")?.value === undefined) {
    if (pairOf(root.map, "version") !== undefined) remove(root.map, "version")
    root.map.items.unshift(document.createPair("version", "v0.3"))
    tell("version: v0.3 was added")
  }
  return { text: changes.length === 0 ? text : document.toString({ lineWidth: 0 }), changes }
}
