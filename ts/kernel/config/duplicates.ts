// Finds values that stand twice in a list where each has to be the only one.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"

/** A problem for each value that an earlier one equals; `pathOf` says where the value at a position stands. */
export function duplicates(
  values: readonly (string | undefined)[],
  pathOf: (index: number) => DocumentPath,
): readonly Problem[] {
  const first = new Map<string, number>()
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    if (first.has(value)) return [invalid(pathOf(index), `"${value}" is used already at position ${first.get(value)}`)]
    first.set(value, index)
    return []
  })
}
