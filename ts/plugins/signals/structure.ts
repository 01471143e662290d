// Matches how the text is built: patterns, words, sequences, length.

import {
  defineSignal,
  type Fact,
  literals,
  type Predicate,
  predicateHolds,
  predicateProblem,
  section,
  type Static,
  Type,
  type Work,
  workOn,
} from "../../kernel/index.ts"
import { numberPredicate } from "../_shared/signals/number-predicate.ts"
import { compilePattern, reportPatterns } from "../_shared/regular-expression.ts"
import { utf8Bytes } from "../_shared/text-size.ts"
import { countUnits, countWords, createWords, maxSearchedCharacters } from "../_shared/words.ts"

const rule = Type.Object({
  feature: section({
    type: literals(["exists", "count", "density", "sequence"]),
    source: section({
      type: literals(["regex", "keyword_set", "sequence", "text_bytes"]),
      pattern: Type.Optional(Type.String({ minLength: 1 })),
      keywords: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })),
      sequences: Type.Optional(Type.Array(Type.Array(Type.String({ minLength: 1 }), { minItems: 2 }), { minItems: 1 })),
      case_sensitive: Type.Optional(Type.Boolean()),
    }),
  }),
  predicate: Type.Optional(numberPredicate),
})

type Rule = Static<typeof rule> & { readonly name: string }
type Source = Rule["feature"]["source"]

/** The field that each kind of source needs. */
const fieldOf = { regex: "pattern", keyword_set: "keywords", sequence: "sequences", text_bytes: undefined } as const

export default defineSignal({
  about: "Matches how the text is built: occurrences, density, order of markers, length in bytes",
  rule,
  check(rules, report) {
    rules.forEach(({ feature, predicate }, index) => {
      const { type, source } = feature
      const at = [index, "feature"]
      const needed = fieldOf[source.type]
      if (needed !== undefined && source[needed] === undefined)
        report([...at, "source", needed], `is missing; a source of type ${source.type} needs it`)
      for (const field of ["pattern", "keywords", "sequences"] as const) {
        if (field !== needed && source[field] !== undefined)
          report([...at, "source", field], `does not belong to a source of type ${source.type}`)
      }
      if ((type === "sequence") !== (source.type === "sequence"))
        report([...at, "type"], "sequence features and sequence sources go together")
      if (source.type === "text_bytes" && type !== "count")
        report([...at, "type"], "must be count for a source of type text_bytes")
      if (type === "exists" && predicate !== undefined) report([index, "predicate"], "is not allowed with exists")
      const range = predicate === undefined ? undefined : predicateProblem(predicate)
      if (range !== undefined) report([index, "predicate"], range)
    })
    return reportPatterns(
      rules.flatMap(({ feature: { source } }, index) =>
        source.pattern === undefined
          ? []
          : [{ pattern: source.pattern, path: [index, "feature", "source", "pattern"] }],
      ),
      report,
    )
  },
  async setup(rules) {
    const measures = await Promise.all(rules.map(({ feature }) => createMeasure(feature.type, feature.source)))
    const toFact = (index: number, value: number | undefined): Fact => {
      const { name, predicate } = rules[index] as Rule
      if (value === undefined) return { rule: name, state: "unknown", confidence: 0, reason: "input_limit" }
      const matched = predicate === undefined ? value > 0 : predicateHolds(predicate, value)
      return {
        rule: name,
        state: matched ? "match" : "no_match",
        confidence: predicate === undefined ? 1 : certainty(predicate, value),
        value,
      }
    }
    function* reading(text: string): Work<readonly Fact[]> {
      const facts: Fact[] = []
      for (const [index, measure] of measures.entries()) {
        facts.push(toFact(index, yield* measure(text)))
        yield
      }
      return facts
    }
    return { read: ({ text }) => workOn(text, reading(text)) }
  },
})

/** Undefined for a text that is too long. */
type Measure = (text: string) => Work<number | undefined>

async function createMeasure(type: Rule["feature"]["type"], source: Source): Promise<Measure> {
  const count = await createCount(source, type === "exists")
  if (type === "density")
    return function* (text) {
      const found = yield* count(text)
      yield
      return found === undefined ? undefined : found / Math.max(1, yield* countUnits(text))
    }
  return count
}

/** For a source of which one occurrence is enough, 0 or 1. */
async function createCount(source: Source, isOneEnough: boolean): Promise<Measure> {
  const caseSensitive = source.case_sensitive ?? false
  switch (source.type) {
    case "regex": {
      const { testing, counting } = await compilePattern(source.pattern ?? "", caseSensitive)
      if (!isOneEnough) return counting
      return function* (text) {
        const found = yield* testing(text)
        return found === undefined ? undefined : Number(found)
      }
    }
    case "keyword_set": {
      const { keywords = [] } = source
      const words = createWords(keywords, caseSensitive)
      const most = isOneEnough ? 1 : Infinity
      return upToLimit((text) => countWords(text, words, most))
    }
    case "sequence": {
      const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
      const sequences = (source.sequences ?? []).map((markers) => markers.map(fold))
      return upToLimit(function* (text) {
        const folded = fold(text)
        for (const markers of sequences) {
          if (inOrder(folded, markers)) return 1
          yield
        }
        return 0
      })
    }
    case "text_bytes":
      return utf8Bytes
  }
}

/** A part of a text says nothing of how often something is in it. */
function upToLimit(count: (text: string) => Work<number>): Measure {
  return function* (text) {
    return text.length > maxSearchedCharacters ? undefined : yield* count(text)
  }
}

function inOrder(text: string, markers: readonly string[]): boolean {
  let from = 0
  return markers.every((marker) => {
    const found = text.indexOf(marker, from)
    from = found + marker.length
    return found >= 0
  })
}

/** Grows from one half with the distance to the first bound. */
function certainty({ gt, gte, lt, lte }: Predicate, value: number): number {
  const nearest = gt ?? gte ?? lt ?? lte ?? value
  return Math.max(0.5, 1 / (1 + Math.exp(-4 * Math.abs(value - nearest))))
}
