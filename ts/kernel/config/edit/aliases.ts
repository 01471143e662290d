// Keeps what the aliases of a YAML document stand for, while the values that they repeat change.

import { type Alias, type Document, isAlias, type Node, visit } from "yaml"

/** Call it before a document changes, and what it returns behind: an alias that has lost its anchor then has the value itself. */
export function writeOutAliases(document: Document): () => void {
  const before = resolvedIn(document)
  // Read now: a change may take what an inner alias stands for.
  const values = new Map(
    [...new Set(before.values())].map((node) => [node, node?.toJS(document, { maxAliasCount: -1 }) as unknown]),
  )
  return () => {
    const after = resolvedIn(document)
    visit(document, {
      Alias: (_, alias) => {
        const node = before.get(alias)
        return node === undefined || node === after.get(alias) ? undefined : document.createNode(values.get(node))
      },
    })
  }
}

/** What each alias stands for: the last value before it that has its anchor. */
function resolvedIn(document: Document): ReadonlyMap<Alias, Node | undefined> {
  const anchors = new Map<string, Node>()
  const resolved = new Map<Alias, Node | undefined>()
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) resolved.set(node, anchors.get(node.source))
      else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return resolved
}
