// Matches personal data: what patterns find and a check confirms, and what a model marks.

import {
  closest,
  defineSignal,
  type Fact,
  guardRule,
  guardSettings,
  hasText,
  reasonOf,
  section,
  type SignalInput,
  Type,
  type UnknownReason,
} from "../../kernel/index.ts"
import { asksBuiltInModel } from "../_shared/personal-data/bound-model.ts"
import type { Entity } from "../_shared/personal-data/entities.ts"
import { entityKinds, kindOf, noEntity, wantedKinds } from "../_shared/personal-data/kinds.ts"
import { createPatternSearch } from "../_shared/personal-data/pattern-entities.ts"
import { createReader, type TextReader } from "../_shared/personal-data/read-text.ts"

const kinds = (description: string) => Type.Optional(Type.Array(Type.String(), { description }))

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Probability that what a model marks needs; at 0, or left out, the threshold of the model itself holds. The built-in model has one for each kind, which this only raises",
    }),
  ),
  pii_types: kinds(
    "Kinds of personal data that match; private data when left out: every kind but DATE_TIME, DOMAIN_NAME, GPE (places), NRP, ORGANIZATION and TITLE, which many harmless texts have",
  ),
  pii_types_allowed: kinds(
    "Kinds of personal data that do not match; none when left out. A list that allows all private data leaves the other kinds",
  ),
  ...guardRule,
})

const settings = section({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "For rules without their own; that of the model when left out",
    }),
  ),
  ...guardSettings,
})

/** What one rule looks for. */
interface Wanted {
  readonly name: string
  readonly threshold: number | undefined
  readonly textsIn: (input: SignalInput) => readonly string[]
  readonly isWanted: (kind: string) => boolean
}

export default defineSignal({
  about: "Matches when the text has personal data: names, addresses, numbers of people, cards and accounts",
  needs: ["inference.spans"],
  binding: "pii_classifier",
  defaultHead: "pii",
  guard: true,
  rule,
  settings: { path: ["model_catalog", "modules", "classifier", "pii"], schema: settings },
  check(rules, report) {
    rules.forEach((each, index) => {
      for (const key of ["pii_types", "pii_types_allowed"] as const)
        each[key]?.forEach((kind, position) => {
          if (isKind(kind)) return
          const meant = isKind(kindOf(kind)) ? kindOf(kind) : closest(kind.toUpperCase(), entityKinds)
          const hint = meant === undefined ? `; the kinds are ${entityKinds.join(", ")}` : ` (did you mean "${meant}"?)`
          report([index, key, position], `"${kind}" is no kind of personal data${hint}`)
        })
      if (each.pii_types !== undefined && !entityKinds.some(wantedKinds(each)))
        report([index, "pii_types"], "names no kind that may match; leave it out for private data")
    })
  },
  async setup(rules, { settings: { threshold: common = 0 }, document }) {
    const wanted = rules.map((entry): Wanted => {
      const { name, threshold = common } = entry
      return {
        name,
        threshold: threshold === 0 ? undefined : threshold,
        textsIn: (input) => input.textsFor(entry),
        isWanted: wantedKinds(entry),
      }
    })
    const isBuiltIn = asksBuiltInModel(document)
    const searchPatterns = await createPatternSearch()
    return {
      async read(input, { spans }) {
        const reader = createReader(spans, isBuiltIn, searchPatterns)
        const readings = await Promise.all(wanted.map((each) => readRule(each, input, reader)))
        // Thrown, so that somebody hears of it; the kernel makes the same facts of it.
        const failed = readings.find(({ failure }) => failure !== undefined)
        if (failed !== undefined && readings.every(({ fact }) => fact.state === "unknown")) throw failed.failure
        return readings.map(({ fact }) => fact)
      },
    }
  },
})

const isKind = (name: string): boolean => name === noEntity || entityKinds.includes(name)

interface RuleReading {
  readonly fact: Fact
  /** Why the fact is unknown, when a question failed. */
  readonly failure?: unknown
}

/**
 * The value is the highest probability of a finding of the wanted kinds: the number that a threshold compares. A text that
 * was not read whole can only add to what was found, so a match stands and a missing one is unknown.
 */
async function readRule(
  { name, threshold, textsIn, isWanted }: Wanted,
  input: SignalInput,
  reader: TextReader,
): Promise<RuleReading> {
  const match = (found: readonly Entity[], truncated?: UnknownReason): RuleReading => ({
    fact: {
      rule: name,
      state: "match",
      confidence: 1,
      value: Math.max(...found.map(({ probability }) => probability)),
      ...(truncated !== undefined && { atLeast: true, reason: truncated }),
    },
  })
  const unknown = (failure: unknown): RuleReading => ({
    fact: { rule: name, state: "unknown", confidence: 0, reason: reasonOf(failure) },
    failure,
  })
  const wanted = (found: readonly Entity[]): readonly Entity[] => found.filter(({ kind }) => isWanted(kind))
  let texts: readonly string[]
  let certain: readonly Entity[]
  try {
    texts = textsIn(input)
    certain = wanted((await Promise.all(texts.map(reader.patternsIn))).flat())
  } catch (tooMuch) {
    return unknown(tooMuch)
  }
  // Surer than any model, and without waiting for one.
  if (certain.length > 0) return match(certain)
  const read = await Promise.all(texts.filter(hasText).map((text) => reader.read(text, threshold)))
  const found = wanted(read.flatMap(({ entities }) => entities))
  const failed = read.find(({ failure }) => failure !== undefined)
  if (found.length > 0) return match(found, failed === undefined ? undefined : reasonOf(failed.failure))
  if (failed !== undefined) return unknown(failed.failure)
  return { fact: { rule: name, state: "no_match", confidence: 1, value: 0 } }
}
