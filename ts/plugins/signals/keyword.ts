// Finds configured words: exactly, with typing errors, by pattern, by BM25 or by shared n-grams.

import { defineSignal, type Fact, type Static, Type } from "../../kernel/index.ts"
import { compilePattern, patternProblem } from "../_shared/regular-expression.ts"
import { anyWord, wordsOf } from "../_shared/words.ts"

const rule = Type.Object({
  operator: Type.Unsafe<"AND" | "OR" | "NOR">({
    type: "string",
    enum: ["AND", "OR", "NOR"],
    description: "All keywords, any keyword, or none",
  }),
  keywords: Type.Array(Type.String({ minLength: 1 }), { minItems: 1 }),
  case_sensitive: Type.Optional(Type.Boolean()),
  method: Type.Optional(
    Type.Unsafe<"" | "exact" | "fuzzy" | "regex" | "bm25" | "ngram">({
      type: "string",
      enum: ["", "exact", "fuzzy", "regex", "bm25", "ngram"],
    }),
  ),
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

const longestWord = 40

/** Says for each keyword whether the text has it. */
interface Matcher {
  matches(keyword: number, text: string): boolean
  /** Set when one test answers for any keyword at once. */
  any?(text: string): boolean
  readonly scored: boolean
}

export default defineSignal({
  about: "Matches when configured words or patterns appear in the text",
  configKey: "keywords",
  rule,
  check(rules, report) {
    rules.forEach((entry, index) => {
      if (entry.method !== "regex") return
      entry.keywords.forEach((keyword, position) => {
        const problem = patternProblem(keyword)
        if (problem !== undefined) report([index, "keywords", position], `is not a valid pattern: ${problem}`)
      })
    })
  },
  async setup(rules) {
    const readers = await Promise.all(rules.map(createReader))
    return { read: ({ text }) => readers.map((read) => read(text)) }
  },
})

async function createReader(entry: Rule): Promise<(text: string) => Fact> {
  const matcher = await createMatcher(entry)
  const indexes = entry.keywords.map((_, keyword) => keyword)
  const holds = (text: string): boolean => {
    if (entry.operator === "AND") return indexes.every((keyword) => matcher.matches(keyword, text))
    const any = matcher.any?.(text) ?? indexes.some((keyword) => matcher.matches(keyword, text))
    return entry.operator === "OR" ? any : !any
  }
  return (text) => {
    const most = matcher.scored ? maxScoredCharacters : maxSearchedCharacters
    const cut = text.length > most
    const matched = holds(cut ? text.slice(0, most) : text)
    // What stands in the unread part could still add a keyword; it cannot take one away.
    const settled = !cut || (entry.operator === "NOR" ? !matched : matched)
    return settled
      ? { rule: entry.name, state: matched ? "match" : "no_match", confidence: 1 }
      : { rule: entry.name, state: "unknown", confidence: 0, reason: "input_limit" }
  }
}

async function createMatcher(entry: Rule): Promise<Matcher> {
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

function exactMatcher({ keywords, case_sensitive: caseSensitive = false }: Rule): Matcher {
  const each = keywords.map((keyword) => anyWord([keyword], caseSensitive))
  const any = anyWord(keywords, caseSensitive)
  return {
    matches: (keyword, text) => each[keyword]?.test(text) === true,
    any: (text) => any.test(text),
    scored: false,
  }
}

function regexMatcher({ keywords, case_sensitive: caseSensitive = false }: Rule): Matcher {
  const patterns = keywords.map((keyword) => compilePattern(keyword, caseSensitive))
  return { matches: (keyword, text) => patterns[keyword]?.test(text) === true, scored: false }
}

async function fuzzyMatcher(entry: Rule): Promise<Matcher> {
  const { distance } = await import("fastest-levenshtein")
  const exact = exactMatcher(entry)
  const most = entry.fuzzy_threshold ?? 2
  const lower = entry.keywords.map((keyword) => keyword.toLowerCase())
  const near = (keyword: number, text: string): boolean => {
    const wanted = lower[keyword] ?? ""
    for (const word of wordsOf(text))
      if (Math.abs(word.length - wanted.length) <= most && distance(word, wanted) <= most) return true
    return false
  }
  return { matches: (keyword, text) => exact.matches(keyword, text) || near(keyword, text), scored: true }
}

/** Each keyword is one document of an index; the text is the query. English stemming and stop words. */
async function bm25Matcher({ keywords, bm25_threshold: threshold }: Rule): Promise<Matcher> {
  const [{ default: MiniSearch }, { stemmer }] = await Promise.all([import("minisearch"), import("stemmer")])
  const processTerm = (term: string): string | null => {
    const word = term.toLowerCase()
    // The stemmer's patterns backtrack, and no English word is this long.
    if (word.length > longestWord) return word
    return stopWords.has(word) ? null : stemmer(word)
  }
  const index = new MiniSearch({ fields: ["text"], idField: "id", processTerm })
  index.addAll(keywords.map((text, id) => ({ id, text })))
  const least = threshold === undefined || threshold === 0 ? 0.1 : threshold
  const hits = (text: string): ReadonlySet<number> =>
    new Set(
      index.search(text, { combineWith: "OR" }).flatMap(({ id, score }) => (score >= least ? [id as number] : [])),
    )
  return { matches: (keyword, text) => hits(text).has(keyword), any: (text) => hits(text).size > 0, scored: true }
}

/** Compares each word, and the whole text, with each keyword by the n-grams they share. */
function ngramMatcher({
  keywords,
  ngram_threshold: threshold,
  ngram_arity: arity = 3,
  case_sensitive: caseSensitive = false,
}: Rule): Matcher {
  const least = threshold === undefined || threshold === 0 ? 0.4 : threshold
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  const grams = keywords.map((keyword) => gramsOf(fold(keyword), arity))
  const matches = (keyword: number, text: string): boolean => {
    const wanted = grams[keyword]
    if (wanted === undefined) return false
    const words = new Set(fold(text).match(/[\p{L}\p{N}_-]+/gu) ?? [])
    for (const word of words) if (similarity(gramsOf(word, arity), wanted) >= least) return true
    return similarity(gramsOf(fold(text), arity), wanted) >= least
  }
  return { matches, scored: true }
}

interface Grams {
  readonly counts: ReadonlyMap<string, number>
  readonly total: number
}

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
