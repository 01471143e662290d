// Patterns from a configuration run on text from strangers, so they run in linear time: RE2 syntax, no backtracking.

import { RE2JS } from "re2js"

export interface Pattern {
  test(text: string): boolean
  count(text: string): number
}

/** Compiles RE2 syntax. Throws with the engine's message for a pattern that is not valid. */
export function compilePattern(source: string, caseSensitive: boolean): Pattern {
  const pattern = RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
  return {
    test: (text) => pattern.test(text),
    count: (text) => {
      const matcher = pattern.matcher(text)
      let found = 0
      while (matcher.find()) found += 1
      return found
    },
  }
}

/** What is wrong with a pattern, or undefined. */
export function patternProblem(source: string): string | undefined {
  try {
    RE2JS.compile(source)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : "it does not compile"
  }
}
