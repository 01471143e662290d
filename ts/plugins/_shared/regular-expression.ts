// Patterns from a configuration run on text from strangers, so they run in linear time: RE2 syntax, no backtracking.

import type { DocumentPath, MaybePromise, Report, Work } from "../../kernel/index.ts"
import type { Finder } from "./words.ts"

export interface Pattern extends Finder {
  /** Instructions of its program: the time for a character grows with them. */
  readonly size: number
  /** Counts its matches, each behind the one before it. Undefined for a text that is too long. */
  counting(text: string): Work<number | undefined>
}

/** Patterns of one signal, characters of a pattern, and instructions of its program: more than people write by hand. */
const maxPatterns = 1000
const maxPatternCharacters = 4096
const maxPatternSize = 4000

/**
 * Characters times instructions that a pattern reads in one step: 25 ms for the worst patterns and texts that were found,
 * and a tenth of that as a rule.
 */
const stepCost = 500_000

/** The same for a whole text, of which no more than so many characters are read. */
const textCost = 10_000_000
const mostCharacters = 262_144

/** A character is two code units at most. */
const aside = 2

/** Compiles RE2 syntax. Rejects with the engine's message for a pattern that is not valid. */
export async function compilePattern(source: string, caseSensitive: boolean): Promise<Pattern> {
  const RE2JS = await loadEngine()
  const pattern = RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
  const size = pattern.programSize()
  const pieceLength = pieceCharacters(size)
  const maxCharacters = Math.min(mostCharacters, Math.floor(textCost / size))
  const overlap = pieceLength >> 2
  // What such a pattern finds at the end of a piece may be nothing in the text.
  const seesEdge = /\$|\\[bBzZ]/.test(source)
  // Its matches may depend on both ends of the text.
  const isAnchored = /[$^]|\\[AzZ]/.test(source.replace(/\[\^|\\[$^]/g, ""))

  /** Counts matches piece by piece, up to `most`. One longer than the overlap may be missed where a piece ends. */
  function* finding(text: string, most: number): Work<number> {
    const limit = Math.min(text.length, maxCharacters)
    let [found, from] = [0, 0]
    for (let start = 0; ; start += pieceLength - overlap) {
      const end = Math.min(start + pieceLength, limit)
      // With the character before it, which tells whether a word begins.
      const before = Math.max(0, start - aside)
      const piece = text.slice(before, end)
      const matcher = pattern.matcher(piece)
      const searched = Math.max(from, start) - before
      for (let isFound = searched <= piece.length && matcher.find(searched); isFound; isFound = matcher.find()) {
        const [first, last] = [before + matcher.start(), before + matcher.end()]
        // What begins so late is found in the next piece, where all of it is.
        if (end < limit && first >= end - overlap) break
        if (!(seesEdge && end < text.length && last === end)) {
          from = last
          found += 1
          if (found === most) return found
        }
        yield
      }
      if (end === limit) return found
      yield
    }
  }

  return {
    size,
    test: (text) => pattern.test(text),
    *testing(text) {
      // The engine's fastest way, which for a hostile text makes a new state at every character.
      if (text.length * 2 <= pieceLength) return pattern.test(text)
      if ((yield* finding(text, 1)) > 0) return true
      return text.length > maxCharacters || (isAnchored && text.length > pieceLength) ? undefined : false
    },
    *counting(text) {
      if (text.length > maxCharacters || (isAnchored && text.length > pieceLength)) return undefined
      return yield* finding(text, Infinity)
    },
  }
}

/** Characters that a pattern with so many instructions reads at once. Longer texts are read in pieces that overlap by a quarter. */
export const pieceCharacters = (size: number): number => Math.floor(stepCost / size)

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
