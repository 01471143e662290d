// Patterns from a configuration run on text from strangers, so they run in linear time: RE2 syntax, no backtracking.

import type { DocumentPath, MaybePromise, Report } from "../../kernel/index.ts"

export interface Pattern {
  test(text: string): boolean
  count(text: string): number
}

/** Compiles RE2 syntax. Rejects with the engine's message for a pattern that is not valid. */
export async function compilePattern(source: string, caseSensitive: boolean): Promise<Pattern> {
  const RE2JS = await loadEngine()
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

/** Reports the patterns that do not compile. Returns a promise only when there is one to compile. */
export function reportPatterns(
  patterns: readonly { readonly pattern: string; readonly path: DocumentPath }[],
  report: Report,
): MaybePromise<void> {
  return patterns.length === 0 ? undefined : compileAll(patterns, report)
}

async function compileAll(patterns: Parameters<typeof reportPatterns>[0], report: Report): Promise<void> {
  const RE2JS = await loadEngine()
  for (const { pattern, path } of patterns)
    try {
      RE2JS.compile(pattern)
    } catch (error) {
      report(path, `is not a valid pattern: ${error instanceof Error ? error.message : "it does not compile"}`)
    }
}

/** The engine is half as large as a whole kernel, so it loads with the first pattern. */
async function loadEngine(): Promise<typeof import("re2js").RE2JS> {
  return (await import("re2js")).RE2JS
}
