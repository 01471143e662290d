// Matches personal data: what patterns find and a check confirms, and what a model marks.

import {
  closest,
  defineSignal,
  type Fact,
  type Finding,
  guardRule,
  guardSettings,
  hasText,
  reasonOf,
  section,
  type SignalInput,
  Type,
  type UnknownReason,
} from "../../kernel/index.ts"
import { createLanguageCheck, guardLanguages, inLanguages } from "../_shared/languages/measured-languages.ts"
import { onceEach } from "../_shared/once-each.ts"
import { assistantNames } from "../_shared/personal-data/assistant-names.ts"
import { allowsValue } from "../_shared/personal-data/allowed-values.ts"
import { asksBuiltInModel } from "../_shared/personal-data/bound-model.ts"
import type { Entity } from "../_shared/personal-data/entities.ts"
import { acrossSeams, seamsIn } from "../_shared/personal-data/message-parts.ts"
import { entityKinds, kindOf, noEntity, wantedKinds } from "../_shared/personal-data/kinds.ts"
import { createPatternSearch } from "../_shared/personal-data/pattern-entities.ts"
import { createReader, type TextReader } from "../_shared/personal-data/read-text.ts"
import { withoutLineNumbers } from "../_shared/guards/line-numbers.ts"
import { publicIn } from "../_shared/personal-data/public-data.ts"

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
  values_allowed: Type.Optional(
    Type.Array(Type.String({ minLength: 1, pattern: "\\S" }), {
      description:
        "Values of any kind that do not match: your own names, mailboxes and addresses. Capitals make no difference, and a part of an address is enough",
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
  ...guardLanguages,
  ...guardSettings,
})

/** What one rule looks for. */
interface Wanted {
  readonly name: string
  readonly threshold: number | undefined
  readonly textsIn: (input: SignalInput) => readonly string[]
  readonly isWanted: (kind: string) => boolean
  /** The rule names its kinds, so it wants every value of them that it does not allow. */
  readonly namesKinds: boolean
  readonly isAllowed: (kind: string, value: string) => boolean
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
      if (each.pii_types?.every(isKind) === true && !entityKinds.some(wantedKinds(each)))
        report([index, "pii_types"], "names no kind that may match; leave it out for private data")
    })
  },
  async setup(rules, { settings: { threshold: common = 0, languages }, document }) {
    const wanted = rules.map((entry): Wanted => {
      const { name, threshold = common } = entry
      return {
        name,
        threshold: threshold === 0 ? undefined : threshold,
        textsIn: (input) => input.textsFor(entry),
        isWanted: wantedKinds(entry),
        namesKinds: entry.pii_types !== undefined,
        isAllowed: allowsValue(entry.values_allowed),
      }
    })
    const isBuiltIn = asksBuiltInModel(document)
    const searchPatterns = await createPatternSearch()
    const reads = await createLanguageCheck({ said: languages, isBuiltIn, loadDetector: () => import("eld/small") })
    return {
      async read(input, { spans }) {
        const withoutNumbers = onceEach(withoutLineNumbers)
        const seams = seamsIn(input.request, withoutNumbers)
        const reader = createReader(spans, isBuiltIn, acrossSeams(searchPatterns, seams))
        let assistants: ReadonlySet<string> | undefined
        const isAssistant = (name: string): boolean => {
          assistants ??= assistantNames([input.request, input.asked])
          return assistants.has(name.toLowerCase())
        }
        const readings = await Promise.all(
          wanted.map((each) => readRule(each, input, { reader, isAssistant, withoutNumbers })),
        )
        // Thrown, so that somebody hears of it; the kernel makes the same facts of it.
        const failed = readings.find(({ failure }) => failure !== undefined)
        if (failed !== undefined && readings.every(({ fact }) => fact.state === "unknown")) throw failed.failure
        const facts = readings.map(({ fact }) => fact)
        return inLanguages(facts, rules, { input, reads })
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
  { name, threshold, textsIn, isWanted, namesKinds, isAllowed }: Wanted,
  input: SignalInput,
  {
    reader,
    isAssistant,
    withoutNumbers,
  }: {
    readonly reader: TextReader
    readonly isAssistant: (name: string) => boolean
    /** The text with blanks in place of numbers of lines. */
    readonly withoutNumbers: (text: string) => string
  },
): Promise<RuleReading> {
  const match = (found: readonly FoundIn[], truncated?: UnknownReason): RuleReading => ({
    fact: {
      rule: name,
      state: "match",
      confidence: 1,
      value: found.reduce((most, { probability }) => Math.max(most, probability), 0),
      kinds: [...new Set(found.map(({ kind }) => kind))].toSorted(),
      ...(truncated !== undefined && { atLeast: true, reason: truncated }),
      ...(input.preview !== undefined && { findings: toFindings(found, texts) }),
    },
  })
  const unknown = (failure: unknown): RuleReading => ({
    fact: { rule: name, state: "unknown", confidence: 0, reason: reasonOf(failure) },
    failure,
  })
  const wanted = (found: readonly (readonly Entity[])[]): readonly FoundIn[] =>
    found.flatMap((entities, text) =>
      entities.flatMap((each) => (isWanted(each.kind) && isOfSomebody(each, text) ? [{ ...each, text }] : [])),
    )
  const isPublic = onceEach((text: number) => publicIn(texts[text] ?? ""))
  const isOfSomebody = (entity: Entity, text: number): boolean => {
    const { kind } = entity
    const value = (texts[text] ?? "").slice(entity.start, entity.end)
    if (isAllowed(kind, value)) return false
    if (namesKinds) return true
    return !(kind === "PERSON" && isAssistant(value)) && !isPublic(text)(entity)
  }
  let texts: readonly string[] = []
  let certain: readonly FoundIn[]
  try {
    texts = textsIn(input).map(withoutNumbers)
    certain = wanted(await Promise.all(texts.map(reader.patternsIn)))
  } catch (tooMuch) {
    return unknown(tooMuch)
  }
  // Surer than any model, and without waiting for one. A preview shows all that there is.
  if (certain.length > 0 && input.preview === undefined) return match(certain)
  const read = await Promise.all(texts.map((text) => (hasText(text) ? reader.read(text, threshold) : nothing)))
  const found = wanted(read.map(({ entities }) => entities))
  const failed = read.find(({ failure }) => failure !== undefined)
  if (found.length > 0) return match(found, failed === undefined ? undefined : reasonOf(failed.failure))
  if (failed !== undefined) return unknown(failed.failure)
  return { fact: { rule: name, state: "no_match", confidence: 1, value: 0 } }
}

const nothing = { entities: [], failure: undefined }

/** `text` is its position among those of the rule. */
interface FoundIn extends Entity {
  readonly text: number
}

/** In their order, so that no part of a text is counted twice: a client may send a text of nothing else. */
function toFindings(found: readonly FoundIn[], texts: readonly string[]): readonly Finding[] {
  let [text, at, counted] = [0, 0, 0]
  return found
    .toSorted((one, other) => one.text - other.text || one.start - other.start)
    .map(({ kind, start, end, probability, text: of }) => {
      if (of !== text) [text, at, counted] = [of, 0, 0]
      const written = texts[of] ?? ""
      counted += codePoints(written.slice(at, start))
      at = start
      return {
        kind,
        text,
        start: counted,
        end: counted + codePoints(written.slice(start, end)),
        confidence: probability,
      }
    })
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
