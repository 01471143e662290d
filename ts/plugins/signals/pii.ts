// Matches personal data: what patterns find and a check confirms, and what a model marks.

import {
  closest,
  defineSignal,
  type Fact,
  guardRule,
  guardSettings,
  hasText,
  type PartialCoverage,
  reasonOf,
  section,
  type SignalInput,
  type TextSpan,
  Type,
  type UnknownReason,
} from "../../kernel/index.ts"
import { type Entity, mergeEntities, toEntities } from "../_shared/entities.ts"
import { entityKinds, kindOf, noEntity } from "../_shared/entity-kinds.ts"
import { onceEach } from "../_shared/once-each.ts"
import { findPatternEntities } from "../_shared/pattern-entities.ts"

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Probability that what a model marks needs; at 0, or left out, the threshold of the model itself holds",
    }),
  ),
  pii_types_allowed: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Kinds of personal data that do not match; none when left out. GPE (places), ORGANIZATION, DATE_TIME, NRP, AGE and DOMAIN_NAME are in many harmless texts; a TITLE alone never matches",
    }),
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

/** One text with what patterns found in it. */
interface Searched {
  readonly text: string
  readonly patterns: readonly Entity[]
}

/** What the model marked in a text, and why it did not read it, or not all of it. */
interface Marked {
  readonly entities: readonly Entity[]
  readonly failure: unknown
}

/** What one rule looks for. */
interface Wanted {
  readonly name: string
  readonly threshold: number | undefined
  readonly textsIn: (input: SignalInput) => readonly string[]
  readonly isForbidden: (entity: Entity) => boolean
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
    rules.forEach(({ pii_types_allowed: allowed = [] }, index) =>
      allowed.forEach((kind, position) => {
        if (isKind(kind)) return
        const meant = isKind(kindOf(kind)) ? kindOf(kind) : closest(kind.toUpperCase(), entityKinds)
        const hint = meant === undefined ? `; the kinds are ${entityKinds.join(", ")}` : ` (did you mean "${meant}"?)`
        report([index, "pii_types_allowed", position], `"${kind}" is no kind of personal data${hint}`)
      }),
    )
  },
  setup(rules, { settings: { threshold: common = 0 } }) {
    const wanted = rules.map((entry): Wanted => {
      const { name, threshold = common } = entry
      const allowed = new Set(entry.pii_types_allowed)
      return {
        name,
        threshold: threshold === 0 ? undefined : threshold,
        textsIn: (input) => input.textsFor(entry),
        isForbidden: ({ kind }) => kind !== namesNobody && !allowed.has(kind),
      }
    })
    return {
      async read(input, { spans }) {
        const search = onceEach(searchIn)
        const ask = askOnce(spans)
        const readings = await Promise.all(
          wanted.map((each) => readRule(each, () => each.textsIn(input).map(search), ask)),
        )
        // Thrown, so that somebody hears of it; the kernel makes the same facts of it.
        const failed = readings.find(({ failure }) => failure !== undefined)
        if (failed !== undefined && readings.every(({ fact }) => fact.state === "unknown")) throw failed.failure
        return readings.map(({ fact }) => fact)
      },
    }
  },
})

/** A form of address, or a position: whoever has it is found as a person. */
const namesNobody = "TITLE"

const isKind = (name: string): boolean => name === noEntity || entityKinds.includes(name)

const searchIn = async (text: string): Promise<Searched> => ({ text, patterns: await findPatternEntities(text) })

type Spans = (text: string, options?: { readonly threshold?: number }) => Promise<readonly TextSpan[] & PartialCoverage>
type AskModel = (threshold: number | undefined) => (text: string) => Promise<Marked>

/**
 * Asks about each text once for each threshold: what a span holds, and so its probability, depends on it. The questions
 * travel together, and the model reads the text once for all of them.
 */
function askOnce(spans: Spans): AskModel {
  return onceEach((threshold) =>
    onceEach((text) =>
      spans(text, threshold === undefined ? {} : { threshold }).then(
        (marked) => ({ entities: toEntities(marked), failure: marked.truncated }),
        (failure: unknown) => ({ entities: [], failure }),
      ),
    ),
  )
}

interface RuleReading {
  readonly fact: Fact
  /** Why the fact is unknown, when a question failed. */
  readonly failure?: unknown
}

/**
 * The value is the highest probability of an entity that is not allowed: the number that a threshold compares. A text
 * that was not read whole can only add to what was found, so a match stands and a missing one is unknown.
 */
async function readRule(
  { name, threshold, isForbidden }: Wanted,
  search: () => readonly Promise<Searched>[],
  ask: AskModel,
): Promise<RuleReading> {
  const match = (value: number, truncated?: UnknownReason): RuleReading => ({
    fact: {
      rule: name,
      state: "match",
      confidence: 1,
      value,
      ...(truncated !== undefined && { atLeast: true, reason: truncated }),
    },
  })
  const unknown = (failure: unknown): RuleReading => ({
    fact: { rule: name, state: "unknown", confidence: 0, reason: reasonOf(failure) },
    failure,
  })
  let searched: readonly Searched[]
  try {
    searched = await Promise.all(search())
  } catch (tooMuch) {
    return unknown(tooMuch)
  }
  // Surer than any model, and without waiting for one.
  if (searched.some(({ patterns }) => patterns.some(isForbidden))) return match(1)
  const read = searched.filter(({ text }) => hasText(text))
  const asked = ask(threshold)
  const marked = await Promise.all(read.map(({ text }) => asked(text)))
  let value = -1
  for (const [index, answer] of marked.entries()) {
    const { text = "", patterns = [] } = read[index] ?? {}
    for (const entity of mergeEntities(text, patterns, answer.entities))
      if (isForbidden(entity)) value = Math.max(value, entity.probability)
  }
  const failed = marked.find(({ failure }) => failure !== undefined)
  if (value >= 0) return match(value, failed === undefined ? undefined : reasonOf(failed.failure))
  if (failed !== undefined) return unknown(failed.failure)
  return { fact: { rule: name, state: "no_match", confidence: 1, value: 0 } }
}
