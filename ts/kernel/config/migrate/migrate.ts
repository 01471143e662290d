// From any format before to the current spelling of v0.3. The YAML document is edited, so that comments and the order of keys stay.

import { type Document, parseDocument } from "yaml"
import { RtrError } from "../../error.ts"
import { formatPath } from "../../schema/problem.ts"
import { readDocument } from "../document.ts"
import { migrateCategories } from "./categories.ts"
import { migrateDomainLabels } from "./domain-labels.ts"
import { mapsAt, pairOf, remove } from "./edit.ts"
import { dropUncalledModels, migrateFlat } from "./flat.ts"
import { documentsIn, foreignIn, isOlder } from "./formats.ts"
import { appendTo, createGuardRules, migrateGuardPlugins } from "./guards.ts"
import { dropUnknownFamilies, migrateReasoning, migrateSpellings, nameProviders } from "./spellings.ts"
import type { MigrationTarget } from "./target.ts"

export interface Migration {
  /** The text as it was where nothing changes. */
  readonly text: string
  /** What was changed, one line each. */
  readonly changes: readonly string[]
}

/** Migrates a text. Throws a `ConfigError` for a text that is no YAML document, and `invalid_config` for one of another program. */
export function migrateDocument(text: string, source: string, target: MigrationTarget): Migration {
  const foreign = foreignIn(documentsIn(text))
  if (foreign !== undefined) throw new RtrError("invalid_config", `Cannot migrate ${source}: it ${foreign}`)
  const older = isOlder(readDocument(text, source).value)
  const document = parseDocument(text, { merge: true, uniqueKeys: false, resolveKnownTags: false })
  const changes: string[] = []
  const tell = (change: string): void => void changes.push(change)
  migrateFlat(document, tell)
  if (older) migrateOlderRouting(document, target, tell)
  migrateSpellings(document, tell)
  if (older) dropUnknownFamilies(document, tell)
  migrateReasoning(document, tell)
  if (changes.length > 0) nameProviders(document)
  const removed = [
    [target.effectless, "has no effect"] as const,
    // Nobody can say what such a key would do in a document of today.
    ...(older ? [[target.unknown, "has no counterpart here"] as const] : []),
  ]
  for (const [find, reason] of removed)
    for (const path of find(document.toJS({ maxAliasCount: 1000 })).toReversed()) {
      if (!document.hasIn(path)) continue
      document.deleteIn(path)
      tell(`${formatPath(path)} ${reason} and was removed`)
    }
  writeVersion(document, older, tell)
  return { text: changes.length === 0 ? text : document.toString({ lineWidth: 0 }), changes }
}

/** A server of MCP over HTTP has the name of its protocol now. */
function migrateTransport(document: Document, tell: (change: string) => void): void {
  const path = ["global", "model_catalog", "modules", "classifier", "mcp", "transport_type"]
  if (document.getIn(path) !== "http") return
  document.setIn(path, "streamable-http")
  tell(`${formatPath(path)}: http → streamable-http`)
}

/** What categories, switches of guards and plugins did is done by decisions and rules. */
function migrateOlderRouting(document: Document, target: MigrationTarget, tell: (change: string) => void): void {
  const rules = createGuardRules(document)
  migrateTransport(document, tell)
  migrateDomainLabels(document, target.domainLabels, tell)
  const decisions = migrateCategories(document, rules, tell) ?? migrateGuardPlugins(document, rules, tell)
  if (rules.write())
    tell("listeners: guards no longer read a request that names its model; models: [MoM] on a listener forbids those")
  for (const decision of decisions) {
    appendTo(document, ["routing"], "decisions", document.createNode(decision))
    tell(`routing.decisions: "${String(decision["name"])}" was added`)
  }
  dropUncalledModels(document, tell)
}

function writeVersion(document: Document, older: boolean, tell: (change: string) => void): void {
  const [root] = mapsAt(document, "")
  if (root === undefined) return
  const version: unknown = document.get("version") ?? undefined
  if (version === "v0.3" || (version !== undefined && !older)) return
  if (pairOf(root.map, "version") !== undefined) remove(root.map, "version")
  root.map.items.unshift(document.createPair("version", "v0.3"))
  tell(version === undefined ? "version: v0.3 was added" : `version: ${String(version)} → v0.3`)
}
