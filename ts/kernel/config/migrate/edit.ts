// Edits of a YAML document that keep comments and the order of keys.

import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, Scalar, YAMLMap } from "yaml"
import type { DocumentPath } from "../../error.ts"

export interface Place {
  readonly map: YAMLMap
  readonly path: DocumentPath
}

/** Every map at a pattern such as `providers.models.*`; `*` is each entry of a list or a map. */
export function mapsAt(document: Document, pattern: string): readonly Place[] {
  const steps = pattern === "" ? [] : pattern.split(".")
  const walk = (node: unknown, [step, ...rest]: readonly string[], path: DocumentPath): readonly Place[] => {
    const found = isAlias(node) ? node.resolve(document) : node
    if (step === undefined) return isMap(found) ? [{ map: found, path }] : []
    if (isSeq(found))
      return step === "*" ? found.items.flatMap((item, index) => walk(item, rest, [...path, index])) : []
    if (!isMap(found)) return []
    return found.items.flatMap((pair) => {
      const key = keyOf(pair)
      return step === "*" || step === key ? walk(pair.value, rest, [...path, key]) : []
    })
  }
  return walk(document.contents, steps, [])
}

/** The map at a path, made where there is none; undefined where something else stands in its way. */
export function mapIn(document: Document, path: readonly string[]): YAMLMap | undefined {
  let map: unknown = document.contents
  for (const key of path) {
    if (!isMap(map)) return undefined
    const pair = pairOf(map, key)
    if (pair === undefined) map.items.push(document.createPair(key, {}))
    else if (isScalar(pair.value) && pair.value.value === null) pair.value = new YAMLMap()
    const next = pairOf(map, key)?.value
    map = isAlias(next) ? next.resolve(document) : next
  }
  return isMap(map) ? map : undefined
}

export const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key)

export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key)
}

/** Gives a pair another key; the comments of the old one stay. */
export function rename(pair: Pair, key: string): void {
  if (isScalar(pair.key)) pair.key.value = key
  else pair.key = new Scalar(key)
}

export function remove(map: YAMLMap, key: string): void {
  map.items.splice(
    map.items.findIndex((pair) => keyOf(pair) === key),
    1,
  )
}

/** The plain value of a node. */
export function plain(document: Document, node: unknown): unknown {
  return isAlias(node) || isMap(node) || isSeq(node) || isScalar(node) ? node.toJS(document) : node
}

/** Puts a pair into a map under a key. Where that key is there already, maps are put together; the rest is left out, and told. */
export function place(document: Document, map: YAMLMap, pair: Pair, key: string): readonly string[] {
  const there = pairOf(map, key)
  if (there === undefined) {
    rename(pair, key)
    map.items.push(pair)
    return []
  }
  if (isMap(there.value) && isMap(pair.value)) {
    const target = there.value
    return pair.value.items.flatMap((inner) =>
      place(document, target, inner as Pair, keyOf(inner as Pair)).map((lost) => `${key}.${lost}`),
    )
  }
  return JSON.stringify(plain(document, there.value)) === JSON.stringify(plain(document, pair.value)) ? [] : [key]
}
