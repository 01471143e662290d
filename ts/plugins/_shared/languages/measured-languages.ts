// The languages in which a model has been measured. That a guard finds nothing in another one says nothing.

import {
  type Fact,
  literals,
  type MaybePromise,
  type SignalInput,
  Type,
  type Work,
  workOn,
} from "../../../kernel/index.ts"
import { languageCodes } from "./language-codes.ts"
import { type Detector, hasForeignSentence } from "./foreign-sentences.ts"
import { plainWords } from "./plain-words.ts"

/** Those of the heads of the built-in packages, as their cards say. */
const measured: readonly string[] = ["en"]

/** A key of a signal's settings; `consequence` says what follows in a text of another language. */
const measuredLanguages = (consequence: string) => ({
  languages: Type.Optional(
    Type.Union(
      [
        Type.Literal("any"),
        Type.Array(literals(languageCodes, { form: 'an ISO 639-1 code such as "en"' }), {
          minItems: 1,
          uniqueItems: true,
        }),
      ],
      {
        description: `Languages that the model was measured in, as ISO 639-1 codes, or any: ${consequence}. en for the built-in model, any for others, when left out`,
      },
    ),
  ),
})

/** A key of a guard's settings. */
export const guardLanguages = measuredLanguages(
  "where it finds nothing in a text of another one, the fact is unknown (unsupported_language), and on_error and on_unknown say what follows",
)

/** The same of a signal that asks its model nothing about other texts. */
export const askedLanguages = measuredLanguages(
  "in a text of another one the classifier is not asked; hybrid looks for the keywords, and without them the facts are unknown (unsupported_language)",
)

type Languages = "any" | readonly string[]
/** Whether a model can read a text. */
export type ReadsLanguage = (text: string) => Work<boolean>

interface Given {
  readonly said: Languages | undefined
  /** Whether it is the product's model that is asked. */
  readonly isBuiltIn: boolean
  readonly loadDetector: () => Promise<{ readonly eld: Detector }>
}

/** Undefined for a model of all languages. */
export async function createLanguageCheck({
  said,
  isBuiltIn,
  loadDetector,
}: Given): Promise<ReadsLanguage | undefined> {
  const known = said ?? (isBuiltIn ? measured : "any")
  if (known === "any") return undefined
  const { eld } = await loadDetector()
  const isKnown = (text: string): boolean => {
    const sample = plainWords(text)
    if (sample === undefined || !hasSentence(sample)) return true
    const detected = eld.detect(sample)
    if (!detected.isReliable() || known.includes(detected.language)) return true
    const scores = detected.getScores()
    const best = scores[detected.language] ?? 0
    return known.some((code) => (scores[code] ?? 0) > best - nearly)
  }
  return function* (text) {
    return isKnown(sampleOf(text)) && !(yield* hasForeignSentence(text, known, eld))
  }
}

const nearly = 0.08
const partCharacters = 1000

/** The beginning, the middle and the end. */
function sampleOf(text: string): string {
  const { length } = text
  if (length <= 3 * partCharacters) return text
  const middle = (length - partCharacters) >> 1
  return [0, middle, length - partCharacters].map((start) => text.slice(start, start + partCharacters)).join("\n")
}

/** Fewer letters may be of many languages, names or abbreviations; a sign of Chinese or Korean says more. */
const fewestLetters = 20
const fewestOthers = 5
const letters = /\p{L}/gu
const others = /[^\P{L}\p{sc=Latin}]/gu

function hasSentence(text: string): boolean {
  const count = text.match(letters)?.length ?? 0
  return count >= fewestLetters || (count >= fewestOthers && (text.match(others)?.length ?? 0) * 2 > count)
}

/** Facts that found nothing are unknown where the rule had to read a text in another language. */
export function inLanguages(
  facts: readonly Fact[],
  rules: readonly { readonly name: string }[],
  { input, reads }: { readonly input: SignalInput; readonly reads: ReadsLanguage | undefined },
): MaybePromise<readonly Fact[]> {
  if (reads === undefined || facts.every(({ state }) => state !== "no_match")) return facts
  return workOn(
    "",
    checking(facts, (name) => input.textsFor(rules.find((rule) => rule.name === name) ?? { name }), reads),
  )
}

function* checking(
  facts: readonly Fact[],
  textsOf: (rule: string) => readonly string[],
  reads: ReadsLanguage,
): Work<readonly Fact[]> {
  const known = new Map<string, boolean>()
  const checked: Fact[] = []
  for (const fact of facts) {
    let isRead = true
    if (fact.state === "no_match")
      for (const text of textsOf(fact.rule)) {
        if (!isRead) break
        isRead = known.get(text) ?? (yield* reads(text))
        known.set(text, isRead)
        yield
      }
    checked.push(isRead ? fact : { rule: fact.rule, state: "unknown", confidence: 0, reason: "unsupported_language" })
  }
  return checked
}
