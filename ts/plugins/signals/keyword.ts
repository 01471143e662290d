// Finds configured words: exactly, with typos, by pattern, by BM25 or by shared n-grams.

import { defineSignal, type Fact, literals, type Static, Type, type Work, workOn } from "../../kernel/index.ts"
import { compilePattern, reportPatterns } from "../_shared/regular-expression.ts"
import { anyOf, anyWord, eachOf, type Finder, wordsOf } from "../_shared/words.ts"

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
/** Those that compare the text as a whole do it in one step. */
const maxRankedCharacters = 16_384

const maxStemmedCharacters = 40

/** Searches a text for the keywords of one rule. Scored methods search it once, however many keywords there are. */
interface Matcher {
  /** For a short text. A scored method has nothing that is quick. */
  readonly quick?: { any(text: string): boolean; every(text: string): boolean }
  /** What a character costs: about a nanosecond for each. */
  readonly cost: number
  /** Undefined where the part that was not read decides. */
  any(text: string): Work<boolean | undefined>
  every(text: string): Work<boolean | undefined>
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
  const { quick, cost, any, every } = await createMatcher(entry)
  const match: Fact = Object.freeze({ rule: name, state: "match", confidence: 1 })
  const noMatch: Fact = Object.freeze({ rule: name, state: "no_match", confidence: 1 })
  const truncated: Fact = Object.freeze({ rule: name, state: "unknown", confidence: 0, reason: "input_limit" })
  const toFact = (found: boolean): Fact => (found === (operator !== "NOR") ? match : noMatch)
  return {
    cost,
    ...(quick !== undefined && {
      quick: (text) => toFact(operator === "AND" ? quick.every(text) : quick.any(text)),
    }),
    *reading(text) {
      const found = yield* operator === "AND" ? every(text) : any(text)
      return found === undefined ? truncated : toFact(found)
    },
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

function searchMatcher(any: readonly Finder[], every: readonly Finder[], cost: number): Matcher {
  return {
    quick: {
      any: (text) => any.some((finder) => finder.test(text)),
      every: (text) => every.every((finder) => finder.test(text)),
    },
    cost,
    any: (text) => anyOf(any, text),
    every: (text) => eachOf(every, text),
  }
}

function exactMatcher({ keywords, case_sensitive: caseSensitive = false }: Entry): Matcher {
  const each = keywords.map((keyword) => anyWord([keyword], caseSensitive))
  return searchMatcher([anyWord(keywords, caseSensitive)], each, keywords.length)
}

async function regexMatcher({ keywords, case_sensitive: caseSensitive = false }: Entry): Promise<Matcher> {
  const patterns = await Promise.all(keywords.map((keyword) => compilePattern(keyword, caseSensitive)))
  const size = patterns.reduce((sum, pattern) => sum + pattern.size, 0)
  return searchMatcher(patterns, patterns, 4 * size)
}

async function fuzzyMatcher(entry: Entry): Promise<Matcher> {
  const { distance } = await import("fastest-levenshtein")
  const caseSensitive = entry.case_sensitive ?? false
  const anyExact = anyWord(entry.keywords, caseSensitive)
  const maxEdits = entry.fuzzy_threshold ?? 2
  const keywords = entry.keywords.map((keyword) => ({
    wanted: keyword.toLowerCase(),
    exact: anyWord([keyword], caseSensitive),
  }))
  function* near(words: ReadonlySet<string>, wanted: string): Work<boolean> {
    let count = 0
    for (const word of words) {
      if (++count % wordsOfStep === 0) yield
      if (Math.abs(word.length - wanted.length) <= maxEdits && distance(word, wanted) <= maxEdits) return true
    }
    return false
  }
  return scoredMatcher(
    maxScoredCharacters,
    function* (text) {
      if ((yield* anyExact.testing(text)) === true) return true
      const words = wordsOf(text)
      for (const { wanted } of keywords) {
        yield
        if (yield* near(words, wanted)) return true
      }
      return false
    },
    function* (text) {
      let words: ReadonlySet<string> | undefined
      for (const { wanted, exact } of keywords) {
        yield
        if ((yield* exact.testing(text)) === true) continue
        words ??= wordsOf(text)
        if (!(yield* near(words, wanted))) return false
      }
      return true
    },
  )
}

const wordsOfStep = 256

type Search = (text: string) => Work<boolean>

/** A matcher that reads a part of a long text, where the rest could still add a keyword and take none away. */
function scoredMatcher(max: number, any: Search, every: Search): Matcher {
  const upTo = (search: Search) =>
    function* (text: string): Work<boolean | undefined> {
      const found = yield* search(text.slice(0, max))
      return found || text.length <= max ? found : undefined
    }
  return { cost: Infinity, any: upTo(any), every: upTo(every) }
}

/** A matcher of a search that finds the positions of all keywords at once. */
function allAtOnce(
  max: number,
  keywords: readonly string[],
  search: (text: string) => Work<ReadonlySet<number>>,
): Matcher {
  return scoredMatcher(
    max,
    function* (text) {
      return (yield* search(text)).size > 0
    },
    function* (text) {
      return (yield* search(text)).size === keywords.length
    },
  )
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
  return allAtOnce(maxRankedCharacters, keywords, function* (text) {
    yield
    return new Set(
      index.search(text, { combineWith: "OR" }).flatMap(({ id, score }) => (score >= minScore ? [id as number] : [])),
    )
  })
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
  return allAtOnce(maxRankedCharacters, keywords, function* (text) {
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
