// Finds configured words: exactly, with typos, by pattern, by BM25 or by shared n-grams.

import { defineSignal, type Fact, literals, type Static, Type } from "../../kernel/index.ts"
import { compilePattern, reportPatterns } from "../_shared/regular-expression.ts"
import { anyWord, wordsOf } from "../_shared/words.ts"

const rule = Type.Object({
  operator: literals(["AND", "OR", "NOR"], { description: "All keywords, any keyword, or none" }),
  keywords: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  case_sensitive: Type.Optional(Type.Boolean()),
  method: Type.Optional(literals(["", "exact", "fuzzy", "regex", "bm25", "ngram"])),
  fuzzy_match: Type.Optional(Type.Boolean()),
  fuzzy_threshold: Type.Optional(
    Type.Integer({ minimum: 0, description: "Most edits between a keyword and a word of the text" }),
  ),
  bm25_threshold: Type.Optional(Type.Number({ minimum: 0 })),
  ngram_threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  ngram_arity: Type.Optional(Type.Integer({ minimum: 2 })),
})

type Rule = Static<typeof rule> & { readonly name: string }

/** Scored methods look at every word, so they read this much and no more; the others search, and read far more. */
const maxScoredCharacters = 65_536
const maxSearchedCharacters = 2_000_000

const maxStemmedCharacters = 40

/** Searches a text for the keywords of one rule. Scored methods search it once, however many keywords there are. */
interface Matcher {
  any(text: string): boolean
  every(text: string): boolean
  readonly scored: boolean
}

export default defineSignal({
  about: "Matches when configured words or patterns appear in the text",
  configKey: "keywords",
  rule,
  check: (rules, report) =>
    reportPatterns(
      rules.flatMap(({ method, keywords }, index) =>
        method === "regex"
          ? keywords.map((pattern, position) => ({ pattern, path: [index, "keywords", position] }))
          : [],
      ),
      report,
    ),
  async setup(rules) {
    const readers = await Promise.all(rules.map(createReader))
    return { read: ({ text }) => readers.map((read) => read(text)) }
  },
})

async function createReader({ name, operator, ...entry }: Rule): Promise<(text: string) => Fact> {
  const matcher = await createMatcher(entry)
  const max = matcher.scored ? maxScoredCharacters : maxSearchedCharacters
  const match: Fact = Object.freeze({ rule: name, state: "match", confidence: 1 })
  const noMatch: Fact = Object.freeze({ rule: name, state: "no_match", confidence: 1 })
  const truncated: Fact = Object.freeze({ rule: name, state: "unknown", confidence: 0, reason: "input_limit" })
  return (text) => {
    const isCut = text.length > max
    const searched = isCut ? text.slice(0, max) : text
    const found = operator === "AND" ? matcher.every(searched) : matcher.any(searched)
    // The part that was not read could still add a keyword; it cannot take one away.
    if (isCut && !found) return truncated
    return found === (operator !== "NOR") ? match : noMatch
  }
}

type Entry = Omit<Rule, "name" | "operator">

async function createMatcher(entry: Entry): Promise<Matcher> {
  switch (entry.method) {
    case "regex":
      return regexMatcher(entry)
    case "bm25":
      return bm25Matcher(entry)
    case "ngram":
      return ngramMatcher(entry)
    default:
      return entry.fuzzy_match === true || entry.method === "fuzzy" ? fuzzyMatcher(entry) : exactMatcher(entry)
  }
}

function exactMatcher({ keywords, case_sensitive: caseSensitive = false }: Entry): Matcher {
  const each = keywords.map((keyword) => anyWord([keyword], caseSensitive))
  const any = anyWord(keywords, caseSensitive)
  return {
    any: (text) => any.test(text),
    every: (text) => each.every((word) => word.test(text)),
    scored: false,
  }
}

async function regexMatcher({ keywords, case_sensitive: caseSensitive = false }: Entry): Promise<Matcher> {
  const patterns = await Promise.all(keywords.map((keyword) => compilePattern(keyword, caseSensitive)))
  return {
    any: (text) => patterns.some((pattern) => pattern.test(text)),
    every: (text) => patterns.every((pattern) => pattern.test(text)),
    scored: false,
  }
}

async function fuzzyMatcher(entry: Entry): Promise<Matcher> {
  const { distance } = await import("fastest-levenshtein")
  const exact = exactMatcher(entry)
  const maxEdits = entry.fuzzy_threshold ?? 2
  const keywords = entry.keywords.map((keyword) => ({
    wanted: keyword.toLowerCase(),
    exact: anyWord([keyword], entry.case_sensitive ?? false),
  }))
  const near = (words: ReadonlySet<string>, wanted: string): boolean => {
    for (const word of words)
      if (Math.abs(word.length - wanted.length) <= maxEdits && distance(word, wanted) <= maxEdits) return true
    return false
  }
  return {
    any: (text) => {
      if (exact.any(text)) return true
      const words = wordsOf(text)
      return keywords.some(({ wanted }) => near(words, wanted))
    },
    every: (text) => {
      const inexact = keywords.filter(({ exact: word }) => !word.test(text))
      if (inexact.length === 0) return true
      const words = wordsOf(text)
      return inexact.every(({ wanted }) => near(words, wanted))
    },
    scored: true,
  }
}

/** A matcher of a search that finds the positions of all keywords at once. */
function searchMatcher(keywords: readonly string[], search: (text: string) => ReadonlySet<number>): Matcher {
  return {
    any: (text) => search(text).size > 0,
    every: (text) => search(text).size === keywords.length,
    scored: true,
  }
}

/** Each keyword is one document of an index; the text is the query. English stemming and stop words. */
async function bm25Matcher({ keywords, bm25_threshold: threshold }: Entry): Promise<Matcher> {
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
  return searchMatcher(
    keywords,
    (text) =>
      new Set(
        index.search(text, { combineWith: "OR" }).flatMap(({ id, score }) => (score >= minScore ? [id as number] : [])),
      ),
  )
}

/** Compares each word, and the whole text, with each keyword by the n-grams they share. */
function ngramMatcher({
  keywords,
  ngram_threshold: threshold,
  ngram_arity: arity = 3,
  case_sensitive: caseSensitive = false,
}: Entry): Matcher {
  const minSimilarity = threshold === undefined || threshold === 0 ? 0.4 : threshold
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  const wanted = keywords.map((keyword) => gramsOf(fold(keyword), arity))
  return searchMatcher(keywords, (text) => {
    const folded = fold(text)
    const missing = new Set(wanted.keys())
    const found = new Set<number>()
    for (const part of [...new Set(folded.match(/[\p{L}\p{N}_-]+/gu) ?? []), folded]) {
      if (missing.size === 0) break
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
