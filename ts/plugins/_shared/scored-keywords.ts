// Keywords of a rule that are found by how near the words of a text are: with typos, by BM25 or by shared n-grams.

import type { Work } from "../../kernel/index.ts"
import { wordFinders, wordsOf } from "./words.ts"

/** The keywords of one rule and how they are searched. */
export interface KeywordEntry {
  readonly keywords: readonly string[]
  /** Whether a text has to have every keyword. */
  readonly isEveryNeeded: boolean
  readonly case_sensitive?: boolean | undefined
  readonly method?: "" | "exact" | "fuzzy" | "regex" | "bm25" | "ngram" | undefined
  readonly fuzzy_match?: boolean | undefined
  readonly fuzzy_threshold?: number | undefined
  readonly bm25_threshold?: number | undefined
  readonly ngram_threshold?: number | undefined
  readonly ngram_arity?: number | undefined
}

/**
 * Searches a text for any or for every keyword of one rule. Scored methods search it once, however many keywords there are.
 */
export interface KeywordMatcher {
  /** For a short text. A scored method has nothing that is quick. */
  readonly quick?: (text: string) => boolean
  /** What a character costs: about a nanosecond for each. */
  readonly cost: number
  /** Undefined where the part that was not read decides. */
  search(text: string): Work<boolean | undefined>
}

/** Scored methods look at every word, so they read this much and no more; the others search, and read far more. */
const maxScoredCharacters = 65_536
/** Those that compare the text as a whole do it in one step. */
const maxRankedCharacters = 16_384

const maxStemmedCharacters = 40

/** Scored methods search a text once, however many keywords there are. */
export function createScoredMatcher(entry: KeywordEntry): KeywordMatcher | Promise<KeywordMatcher> {
  if (entry.method === "bm25") return bm25Matcher(entry)
  return entry.method === "ngram" ? ngramMatcher(entry) : fuzzyMatcher(entry)
}

async function fuzzyMatcher(entry: KeywordEntry): Promise<KeywordMatcher> {
  const { distance } = await import("fastest-levenshtein")
  const { keywords, isEveryNeeded, fuzzy_threshold: maxEdits = 2 } = entry
  const finders = wordFinders(keywords, entry.case_sensitive, isEveryNeeded)
  function* near(words: ReadonlySet<string>, wanted: string): Work<boolean> {
    let count = 0
    for (const word of words) {
      if (++count % wordsOfStep === 0) yield
      if (Math.abs(word.length - wanted.length) <= maxEdits && distance(word, wanted) <= maxEdits) return true
    }
    return false
  }
  return scoredMatcher(maxScoredCharacters, function* (text) {
    let words: ReadonlySet<string> | undefined
    for (const [index, keyword] of keywords.entries()) {
      yield
      const finder = finders[index]
      const found =
        (finder !== undefined && (yield* finder.testing(text)) === true) ||
        (yield* near((words ??= wordsOf(text)), keyword.toLowerCase()))
      if (found !== isEveryNeeded) return found
    }
    return isEveryNeeded
  })
}

const wordsOfStep = 256

/** A matcher that reads a part of a long text, where the rest could still add a keyword and take none away. */
function scoredMatcher(max: number, search: (text: string) => Work<boolean>): KeywordMatcher {
  return {
    cost: Infinity,
    *search(text) {
      const found = yield* search(text.slice(0, max))
      return found || text.length <= max ? found : undefined
    },
  }
}

/** A matcher of a search that finds the positions of all keywords at once. */
function allAtOnce(
  max: number,
  { keywords, isEveryNeeded }: KeywordEntry,
  search: (text: string) => Work<ReadonlySet<number>>,
): KeywordMatcher {
  return scoredMatcher(max, function* (text) {
    const { size } = yield* search(text)
    return isEveryNeeded ? size === keywords.length : size > 0
  })
}

/** Each keyword is one document of an index; the text is the query. English stemming and stop words. */
async function bm25Matcher(entry: KeywordEntry): Promise<KeywordMatcher> {
  const { keywords, bm25_threshold: threshold } = entry
  const [{ default: MiniSearch }, { stemmer }] = await Promise.all([import("minisearch"), import("stemmer")])
  const processTerm = (term: string): string | null => {
    const word = term.toLowerCase()
    // The stemmer's patterns backtrack, and no English word is this long.
    if (word.length > maxStemmedCharacters) return word
    return stopWords.has(word) ? null : stemmer(word)
  }
  const index = new MiniSearch({ fields: ["text"], idField: "id", processTerm })
  index.addAll(keywords.map((text, id) => ({ id, text })))
  const minScore = threshold === undefined || threshold === 0 ? 0.1 : threshold
  return allAtOnce(maxRankedCharacters, entry, function* (text) {
    yield
    return new Set(
      index.search(text, { combineWith: "OR" }).flatMap(({ id, score }) => (score >= minScore ? [id as number] : [])),
    )
  })
}

/** Compares each word, and the whole text, with each keyword by the n-grams they share. */
function ngramMatcher(entry: KeywordEntry): KeywordMatcher {
  const { keywords, ngram_threshold: threshold, ngram_arity: arity = 3, case_sensitive: caseSensitive = false } = entry
  const minSimilarity = threshold === undefined || threshold === 0 ? 0.4 : threshold
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  const wanted = keywords.map((keyword) => gramsOf(fold(keyword), arity))
  return allAtOnce(maxRankedCharacters, entry, function* (text) {
    const folded = fold(text)
    const missing = new Set(wanted.keys())
    const found = new Set<number>()
    for (const part of [...new Set(folded.match(/[\p{L}\p{N}_-]+/gu) ?? []), folded]) {
      if (missing.size === 0) break
      yield
      const grams = gramsOf(part, arity)
      for (const keyword of missing)
        if (similarity(grams, wanted[keyword] ?? noGrams) >= minSimilarity) {
          missing.delete(keyword)
          found.add(keyword)
        }
    }
    return found
  })
}

interface Grams {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

const noGrams: Grams = { counts: new Map(), total: 1 }

/** Character n-grams of a text with `arity - 1` spaces on either side. */
function gramsOf(text: string, arity: number): Grams {
  const characters = [...`${" ".repeat(arity - 1)}${text}${" ".repeat(arity - 1)}`]
  const counts = new Map<string, number>()
  const total = characters.length - arity + 1
  for (let start = 0; start < total; start++) {
    const gram = characters.slice(start, start + arity).join("")
    counts.set(gram, (counts.get(gram) ?? 0) + 1)
  }
  return { counts, total }
}

/** Shared n-grams of all n-grams, lifted by a warp of 2 so that short words with one wrong letter still reach 0.4. */
function similarity(a: Grams, b: Grams): number {
  let same = 0
  for (const [gram, count] of a.counts) same += Math.min(count, b.counts.get(gram) ?? 0)
  const all = a.total + b.total - same
  return (all ** 2 - (all - same) ** 2) / all ** 2
}

const stopWords: ReadonlySet<string> = new Set(
  "a an and are as at be but by for from has have he her his i if in into is it its me my no not of on or our she so such that the their them then there these they this to was we were what when where which who will with you your".split(
    " ",
  ),
)
