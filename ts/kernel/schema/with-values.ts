// A copy of a value with others at some places.

import type { DocumentPath } from "../error.ts"

type Node = Record<string | number, unknown>

/** What holds a changed place is copied once, however many places it holds. The value itself stays as it is. */
export function withValuesAt(root: unknown, values: readonly (readonly [DocumentPath, unknown])[]): unknown {
  const holder: Node = { root }
  const copies = new Set<unknown>()
  for (const [path, value] of values) {
    let parent = holder
    let key: string | number = "root"
    for (const step of path) {
      const node = parent[key] as Node
      const copy = copies.has(node) ? node : ((Array.isArray(node) ? [...node] : { ...node }) as Node)
      copies.add(copy)
      parent[key] = copy
      parent = copy
      key = step
    }
    parent[key] = value
  }
  return holder["root"]
}
