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
} from "../../kernel/index.ts"
import { compilePattern, reportPatterns } from "../_shared/regular-expression.ts"
import { countUnits, wordPattern } from "../_shared/words.ts"

const bound = Type.Optional(Type.Number())

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
  predicate: Type.Optional(section({ gt: bound, gte: bound, lt: bound, lte: bound })),
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
    const readers = rules.map((entry, index) => {
      const measure = measures[index] as Measure
      return (text: string): Fact => {
        const value = measure(text)
        const { predicate } = entry
        const matched = predicate === undefined ? value > 0 : predicateHolds(predicate, value)
        return {
          rule: entry.name,
          state: matched ? "match" : "no_match",
          confidence: predicate === undefined ? 1 : certainty(predicate, value),
          value,
        }
      }
    })
    return {
      read: ({ text }) =>
        text.length > maxCharacters
          ? rules.map(({ name }): Fact => ({ rule: name, state: "unknown", confidence: 0, reason: "input_limit" }))
          : readers.map((read) => read(text)),
    }
  },
})

/** Counting is one pass that nothing interrupts; a longer text would hold up every other request. */
const maxCharacters = 2_000_000

type Measure = (text: string) => number

async function createMeasure(type: Rule["feature"]["type"], source: Source): Promise<Measure> {
  const count = await createCount(source)
  if (type === "exists") return (text) => (count(text) > 0 ? 1 : 0)
  if (type === "density") return (text) => count(text) / Math.max(1, countUnits(text))
  return count
}

async function createCount(source: Source): Promise<Measure> {
  const caseSensitive = source.case_sensitive ?? false
  switch (source.type) {
    case "regex":
      return (await compilePattern(source.pattern ?? "", caseSensitive)).count
    case "keyword_set": {
      const words = new RegExp((source.keywords ?? []).map(wordPattern).join("|"), caseSensitive ? "gu" : "giu")
      return (text) => text.match(words)?.length ?? 0
    }
    case "sequence": {
      const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase())
      const sequences = (source.sequences ?? []).map((markers) => markers.map(fold))
      return (text) => (sequences.some((markers) => inOrder(fold(text), markers)) ? 1 : 0)
    }
    case "text_bytes":
      return (text) => new TextEncoder().encode(text).length
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
