// Finds configured words: exactly, with typos, by pattern, by BM25 or by shared n-grams.

import { defineSignal, type Fact, literals, type Static, Type, type Work, workOn } from "../../kernel/index.ts"
import { compilePattern, reportPatterns } from "../_shared/regular-expression.ts"
import type { KeywordEntry, KeywordMatcher } from "../_shared/scored-keywords.ts"
import { anyOf, eachOf, type Finder, wordFinders } from "../_shared/words.ts"

const rule = Type.Object({
  operator: literals(["AND", "OR", "NOR"], { description: "All keywords, any keyword, or none" }),
  keywords: Type.Array(Type.String(), { minItems: 1, description: "An empty one is in every text" }),
  case_sensitive: Type.Optional(Type.Boolean()),
  method: Type.Optional(literals(["", "exact", "fuzzy", "regex", "bm25", "ngram"])),
  fuzzy_match: Type.Optional(Type.Boolean()),
  fuzzy_threshold: Type.Optional(
    Type.Integer({ minimum: 0, description: "Most edits between a keyword and a word of the text" }),
  ),
  bm25_threshold: Type.Optional(Type.Number({ minimum: 0 })),
  ngram_threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  ngram_arity: Type.Optional(Type.Integer({ minimum: 2, maximum: 16 })),
})

type Rule = Static<typeof rule> & { readonly name: string }

/** A keyword takes up to 7 KB of memory, and each of its n-grams a hundred bytes. */
const maxKeywords = 50_000
const maxKeywordCharacters = 2_000_000

export default defineSignal({
  about: "Matches when configured words or patterns appear in the text",
  configKey: "keywords",
  rule,
  check: (rules, report) => {
    let [count, characters] = [0, 0]
    // Also of a rule whose keywords are missing, so that its other problems are told as well.
    const tooMany = rules.findIndex(({ keywords = [] }) => {
      count += keywords.length
      for (const { length } of keywords) characters += length
      return count > maxKeywords || characters > maxKeywordCharacters
    })
    if (tooMany >= 0)
      report(
        [tooMany, "keywords"],
        `makes it ${count} keywords of ${characters} characters in this signal; the most are ${maxKeywords} of ${maxKeywordCharacters}`,
      )
    rules.forEach((entry, index) => reportEffectless(entry, (key, message) => report([index, key], message, "warning")))
    return reportPatterns(
      rules.flatMap(({ method, keywords }, index) =>
        method === "regex"
          ? keywords.map((pattern, position) => ({ pattern, path: [index, "keywords", position] }))
          : [],
      ),
      report,
    )
  },
  async setup(rules) {
    const readers = await Promise.all(rules.map(createReader))
    const cost = readers.reduce((sum, { quick, cost: each }) => sum + (quick === undefined ? Infinity : each), 0)
    // Not even an empty text is for what has nothing quick.
    const maxQuickCharacters = cost === Infinity ? -1 : quickCost / cost
    return {
      read: ({ text }) =>
        text.length > maxQuickCharacters
          ? workOn(text, readingAll(readers, text))
          : readers.map(({ quick }) => quick?.(text) as Fact),
    }
  },
})

/** Keys that only one method reads. */
const keysOfMethod = {
  fuzzy: ["fuzzy_threshold"],
  bm25: ["bm25_threshold"],
  ngram: ["ngram_threshold", "ngram_arity"],
} as const

function reportEffectless(entry: Partial<Rule>, tell: (key: string, message: string) => void): void {
  const { method = "", fuzzy_match: isFuzzy = false } = entry
  const isPlain = method === "" || method === "exact"
  const used = isPlain && isFuzzy ? "fuzzy" : method
  if (isFuzzy && !isPlain && method !== "fuzzy") tell("fuzzy_match", `has no effect with method: ${method}`)
  for (const [owner, keys] of Object.entries(keysOfMethod))
    for (const key of keys)
      if (owner !== used && entry[key] !== undefined)
        tell(key, `has no effect ${isPlain ? `without method: ${owner}` : `with method: ${method}`}`)
}

/** What is done without a look at the clock: about a millisecond. */
const quickCost = 1_000_000

interface Reader {
  readonly quick?: (text: string) => Fact
  readonly cost: number
  reading(text: string): Work<Fact>
}

function* readingAll(readers: readonly Reader[], text: string): Work<readonly Fact[]> {
  const facts: Fact[] = []
  for (const { reading } of readers) {
    facts.push(yield* reading(text))
    yield
  }
  return facts
}

async function createReader({ name, operator, ...entry }: Rule): Promise<Reader> {
  const { quick, cost, search } = await createMatcher({ ...entry, isEveryNeeded: operator === "AND" })
  const match: Fact = Object.freeze({ rule: name, state: "match", confidence: 1 })
  const noMatch: Fact = Object.freeze({ rule: name, state: "no_match", confidence: 1 })
  const truncated: Fact = Object.freeze({ rule: name, state: "unknown", confidence: 0, reason: "input_limit" })
  const toFact = (found: boolean): Fact => (found === (operator !== "NOR") ? match : noMatch)
  return {
    cost,
    ...(quick !== undefined && { quick: (text) => toFact(quick(text)) }),
    *reading(text) {
      const found = yield* search(text)
      return found === undefined ? truncated : toFact(found)
    },
  }
}

/** The scored methods load with the first rule that has one. */
async function createMatcher(given: KeywordEntry): Promise<KeywordMatcher> {
  const { method = "", fuzzy_match: isFuzzy = false } = given
  if (method === "regex") return regexMatcher(given)
  const keywords = given.keywords.filter((keyword) => keyword !== "")
  const isScored = method === "bm25" || method === "ngram"
  const hasEmpty = keywords.length < given.keywords.length
  if (hasEmpty && (keywords.length === 0 || isScored === given.isEveryNeeded)) return constantMatcher(!isScored)
  const entry = { ...given, keywords }
  if (method === "bm25" || method === "ngram" || method === "fuzzy" || isFuzzy)
    return (await import("../_shared/scored-keywords.ts")).createScoredMatcher(entry)
  return exactMatcher(entry)
}

/** What an empty keyword says: it is in every text, and no text is like it. */
const constantMatcher = (found: boolean): KeywordMatcher => ({
  quick: () => found,
  cost: 1,
  // oxlint-disable-next-line require-yield -- there is nothing to wait for.
  *search() {
    return found
  },
})

function searchMatcher(finders: readonly Finder[], isEveryNeeded: boolean, cost: number): KeywordMatcher {
  return isEveryNeeded
    ? { quick: (text) => finders.every((finder) => finder.test(text)), cost, search: (text) => eachOf(finders, text) }
    : { quick: (text) => finders.some((finder) => finder.test(text)), cost, search: (text) => anyOf(finders, text) }
}

function exactMatcher(entry: KeywordEntry): KeywordMatcher {
  return searchMatcher(
    wordFinders(entry.keywords, entry.case_sensitive, entry.isEveryNeeded),
    entry.isEveryNeeded,
    costOfSearch + entry.keywords.length,
  )
}

/** A text of beginnings and parts of words costs so much, whatever the number of words. */
const costOfSearch = 20

async function regexMatcher({
  keywords,
  case_sensitive: caseSensitive = false,
  isEveryNeeded,
}: KeywordEntry): Promise<KeywordMatcher> {
  const patterns = await Promise.all(keywords.map((keyword) => compilePattern(keyword, caseSensitive)))
  const size = patterns.reduce((sum, pattern) => sum + pattern.size, 0)
  return searchMatcher(patterns, isEveryNeeded, 4 * size)
}
