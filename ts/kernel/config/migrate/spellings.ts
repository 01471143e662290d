// The renames of 2026: older spellings of v0.3 documents become the current ones.

import { type Document, isMap, isScalar } from "yaml"
import { formatPath } from "../../schema/problem.ts"
import { keyAliases, pluginTypeAliases } from "../aliases.ts"
import { reasoningFamilies } from "../sections/reasoning/families.ts"
import { providerOf } from "./flat-keys.ts"
import { mapsAt, pairOf, plain, remove, rename } from "./edit.ts"
import { isJson } from "./json.ts"

export function migrateSpellings(document: Document, tell: (change: string) => void): void {
  for (const [parent, from, to] of keyAliases)
    for (const { map, path } of mapsAt(document, parent.join("."))) {
      const older = pairOf(map, from)
      if (older === undefined) continue
      const current = pairOf(map, to)
      const place = formatPath([...path, from])
      if (current === undefined) {
        rename(older, to)
        tell(`${place} → ${to}`)
      } else if (JSON.stringify(plain(document, current.value)) === JSON.stringify(plain(document, older.value))) {
        // Two values that differ are for somebody who knows which one is meant.
        remove(map, from)
        tell(`${place} was removed: ${to} says the same`)
      }
    }
  for (const { map, path } of pluginsOf(document)) {
    const type = pairOf(map, "type")?.value
    const to = isScalar(type) ? pluginTypeAliases[String(type.value)] : undefined
    if (!isScalar(type) || to === undefined) continue
    tell(`${formatPath([...path, "type"])}: ${String(type.value)} → ${to}`)
    type.value = to
  }
}

const pluginsOf = (document: Document): ReturnType<typeof mapsAt> =>
  ["routing", "recipes.*.routing"].flatMap((at) => mapsAt(document, `${at}.decisions.*.plugins.*`))

/** The older router told a model nothing about reasoning whose family it did not know. */
export function dropUnknownFamilies(document: Document, tell: (change: string) => void): void {
  const declared = plain(document, document.getIn(["providers", "defaults", "reasoning_families"], true))
  for (const { map, path } of mapsAt(document, "providers.models.*")) {
    const name = plain(document, pairOf(map, "reasoning_family")?.value)
    if (typeof name !== "string" || (isJson(declared) && Object.hasOwn(declared, name))) continue
    if (Object.hasOwn(reasoningFamilies, name)) continue
    remove(map, "reasoning_family")
    tell(`${formatPath([...path, "reasoning_family"])} was removed: the document has no family "${name}"`)
  }
}

/** A model's `reasoning_family`, and the family in `providers.defaults`, become the model's own `reasoning`. */
export function migrateReasoning(document: Document, tell: (change: string) => void): void {
  const [defaults] = mapsAt(document, "providers.defaults")
  const families = pairOf(defaults?.map ?? emptyMap(document), "reasoning_families")?.value
  const known = (plain(document, families) ?? {}) as Readonly<
    Record<string, { readonly type?: string; readonly parameter?: string }>
  >
  let isUsedElsewhere = false
  for (const { map, path } of mapsAt(document, "providers.models.*")) {
    const pair = pairOf(map, "reasoning_family")
    if (pair === undefined) continue
    const name = String(plain(document, pair.value))
    const family = Object.hasOwn(known, name) ? known[name] : undefined
    if (family === undefined || pairOf(map, "reasoning") !== undefined) {
      isUsedElsewhere = true
      continue
    }
    rename(pair, "reasoning")
    pair.value = document.createNode({ ...family })
    tell(`${formatPath([...path, "reasoning_family"])}: ${name} → reasoning`)
  }
  if (defaults === undefined || families === undefined || isUsedElsewhere) return
  remove(defaults.map, "reasoning_families")
  tell("providers.defaults.reasoning_families is in the models now")
}

const emptyMap = (document: Document): Parameters<typeof pairOf>[0] => document.createNode({}) as never

/** Older documents leave out that a backend is vLLM's. */
export function nameProviders(document: Document): void {
  for (const { map } of mapsAt(document, "providers.models.*")) {
    if (pairOf(map, "provider") !== undefined) continue
    const refs = pairOf(map, "backend_refs")?.value
    const format = plain(document, pairOf(map, "api_format")?.value)
    for (const ref of (refs as { readonly items?: readonly unknown[] } | undefined)?.items ?? [])
      if (isMap(ref) && pairOf(ref, "provider") === undefined)
        ref.items.push(document.createPair("provider", providerOf(format)))
  }
}
