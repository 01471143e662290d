// How many characters have to be added, left out or changed to make one word of another.

/** Levenshtein's distance, a row of the table at a time. Words of documents are short; a library is ten times this file. */
export function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const changed = (above[column - 1] as number) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (above[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    above = current
  }
  return above[other.length] as number
}
