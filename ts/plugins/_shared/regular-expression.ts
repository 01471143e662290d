// Patterns from a configuration run on text from strangers, so they run in linear time: RE2 syntax, no backtracking.

import type { DocumentPath, MaybePromise, Report, Work } from "../../kernel/index.ts"
import { maxReadCharacters } from "./text-size.ts"
import type { Finder } from "./words.ts"

export interface Pattern extends Finder {
  /** Instructions of its program: the time for a character grows with them. */
  readonly size: number
  /** Counts its matches, each behind the one before it. Undefined for a text that is too long to be read whole. */
  counting(text: string): Work<number | undefined>
}

/** Patterns of one signal, characters of a pattern, and instructions of its program: more than people write by hand. */
export const maxPatterns = 1000
export const maxPatternCharacters = 4096
export const maxPatternSize = 1000

/**
 * Characters times instructions that a pattern reads in one step: 25 ms at worst, where every character makes a new state
 * of the engine, and a hundredth of that as a rule (docs/why/long-texts.md).
 */
const stepCost = 250_000

/** The same for a whole text. */
const textCost = 2_500_000

/** Compiles RE2 syntax. Rejects with the engine's message for a pattern that is not valid. */
export async function compilePattern(source: string, caseSensitive: boolean): Promise<Pattern> {
  const RE2JS = await loadEngine()
  const pattern = RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
  const size = pattern.programSize()
  const stepCharacters = Math.ceil(stepCost / size)
  const maxCharacters = charactersRead(size)
  // What such a pattern finds at the end of a part may be nothing in the text.
  const looksBehind = /\$|\\[bBzZ]/.test(source)
  return {
    size,
    test: (text) => pattern.test(text),
    *testing(text) {
      const read = text.slice(0, maxCharacters)
      // The states that a part makes stay, so that the next, longer part makes few.
      for (let end = stepCharacters; end < read.length; end += stepCharacters) {
        if (pattern.test(read.slice(0, end)) && !looksBehind) return true
        yield
      }
      const found = pattern.test(read)
      if (read.length === text.length) return found
      if (!found || !looksBehind) return found ? true : undefined
      yield
      const matcher = pattern.matcher(read)
      return matcher.find() && matcher.end() < read.length ? true : undefined
    },
    *counting(text) {
      if (text.length > maxCharacters) return undefined
      const matcher = pattern.matcher(text)
      let found = 0
      while (matcher.find()) {
        found += 1
        yield
      }
      return found
    },
  }
}

/** How many characters of a text a pattern with so many instructions reads. */
export const charactersRead = (size: number): number => Math.min(maxReadCharacters, Math.floor(textCost / size))

/** Reports the patterns that do not compile or cost too much. Returns a promise only when there is one to compile. */
export function reportPatterns(
  patterns: readonly { readonly pattern: string; readonly path: DocumentPath }[],
  report: Report,
): MaybePromise<void> {
  const [more] = patterns.slice(maxPatterns)
  if (more !== undefined)
    report(more.path, `is pattern ${maxPatterns + 1} of this signal; the most are ${maxPatterns}. Join some with |`)
  return patterns.length === 0 ? undefined : compileAll(patterns.slice(0, maxPatterns), report)
}

async function compileAll(patterns: Parameters<typeof reportPatterns>[0], report: Report): Promise<void> {
  const RE2JS = await loadEngine()
  for (const { pattern, path } of patterns) {
    if (pattern.length > maxPatternCharacters) {
      report(path, `has ${pattern.length} characters; a pattern has at most ${maxPatternCharacters}. Write several`)
      continue
    }
    try {
      const size = RE2JS.compile(pattern).programSize()
      if (size > maxPatternSize)
        report(
          path,
          `makes a program of ${size} instructions; the most are ${maxPatternSize}. Repeat less, as a{1000} is a thousand, or write several patterns`,
        )
    } catch (error) {
      report(path, `is not a valid pattern: ${error instanceof Error ? error.message : "it does not compile"}`)
    }
  }
}

/** The engine is half as large as a whole kernel, so it loads with the first pattern. */
async function loadEngine(): Promise<typeof import("re2js").RE2JS> {
  return (await import("re2js")).RE2JS
}
