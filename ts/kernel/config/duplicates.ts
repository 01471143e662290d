// Finds values that stand twice in a list where each has to be the only one.

import type { DocumentPath } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"

/** A problem for each value that an earlier one equals; `pathOf` says where the value at a position stands, with the position in it. */
export function duplicates(
  values: readonly (string | undefined)[],
  pathOf: (index: number) => DocumentPath,
): readonly Problem[] {
  const first = new Map<string, number>()
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    const earlier = first.get(value)
    if (earlier !== undefined) return [invalid(pathOf(index), `"${value}" is used already by ${placeOf(earlier)}`)]
    first.set(value, index)
    return []
  })

  /** The list and the position: what stands before them is that of a recipe where the document has some. */
  function placeOf(index: number): string {
    const path = pathOf(index)
    return `${path[path.lastIndexOf(index) - 1]}[${index}]`
  }
}
