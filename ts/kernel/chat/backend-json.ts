// Parses the JSON of backends within bounds.

import { upstreamFault } from "../error.ts"
import type { WireObject } from "../types/dialect.ts"

/** Replies have a few levels. Writing a value that is nested thousands of levels deep takes more stack than there is. */
const maxDepth = 512

/** The JSON object that a backend sent; undefined for anything else. Throws `upstream_error` for one that is nested too deep. */
export function parseBackendObject(text: string): WireObject | undefined {
  // Each level has two brackets, and few replies have many.
  if (text.length > 2 * maxDepth && hasManyBrackets(text) && isTooDeep(text))
    throw upstreamFault(`its JSON is nested deeper than ${maxDepth} levels`)
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireObject) : undefined
  } catch {
    return undefined
  }
}

/** Searching for a character is far quicker than looking at each. */
function hasManyBrackets(text: string): boolean {
  let count = 0
  for (const bracket of ["{", "["])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > maxDepth) return true
    }
  return false
}

/** Strings are stepped over by searching, which is quick for a long text. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      at = endOfString(text, at)
      if (at < 0) return false
    } else if (code === 91 || code === 123) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (code === 93 || code === 125) depth -= 1
  }
  return false
}

/** The position of the quote that ends the string which begins at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === 92) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return -1
}
