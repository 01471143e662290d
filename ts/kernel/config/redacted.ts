// The word that stands for a secret in a printed document.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"

export const redacted = "<redacted>"

/** Secrets of a printed document that nobody has put back: everybody knows the word, so it must not become a key. */
export function redactedProblems(document: unknown, path: DocumentPath = []): readonly Problem[] {
  if (typeof document === "string")
    return document.includes(redacted)
      ? [
          invalid(
            path,
            `has "${redacted}" in place of a secret that was not printed; write the value or a \${VARIABLE}`,
          ),
        ]
      : []
  if (typeof document !== "object" || document === null) return []
  return Object.entries(document).flatMap(([key, item]) =>
    redactedProblems(item, [...path, Array.isArray(document) ? Number(key) : key]),
  )
}
