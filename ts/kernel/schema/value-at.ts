// The value at a place of a document.

import type { DocumentPath } from "../error.ts"

/** Undefined where the path leads nowhere. */
export function valueAt(root: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (node, step) => (node as Record<string | number, unknown> | null | undefined)?.[step],
    root,
  )
}
