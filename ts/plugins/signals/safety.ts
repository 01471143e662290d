// Matches texts with harmful content, or with some kinds of it.

import {
  defineSignal,
  type Fact,
  guardRule,
  guardSettings,
  hasText,
  reasonOf,
  section,
  Type,
} from "../../kernel/index.ts"
import { createLanguageCheck, guardLanguages, inLanguages } from "../_shared/languages/measured-languages.ts"
import { riskIn } from "../_shared/label-probability.ts"
import { onceEach } from "../_shared/once-each.ts"

const label = Type.String({ minLength: 1, pattern: "\\S" })
const threshold = Type.Number({ minimum: 0, maximum: 1 })

const rule = Type.Object({
  threshold: Type.Number({ ...threshold, description: "Probability of the unsafe labels from which the rule matches" }),
  labels: Type.Optional(
    Type.Array(label, {
      minItems: 2,
      uniqueItems: true,
      description: "Labels of the model; safe and unsafe when left out",
    }),
  ),
  unsafe_labels: Type.Optional(
    Type.Array(label, {
      minItems: 1,
      uniqueItems: true,
      description: "Those whose probabilities add up to the risk; unsafe when left out",
    }),
  ),
  hazard: Type.Optional(
    section(
      {
        labels: Type.Optional(
          Type.Array(label, { minItems: 1, uniqueItems: true, description: "Labels of the second model" }),
        ),
        categories: Type.Array(label, { minItems: 1, uniqueItems: true, description: "Those that the rule is about" }),
        threshold: Type.Number({ ...threshold, description: "Score from which one of them counts" }),
      },
      { description: "Asks a second model which kind of harm it is, once the first one has found some" },
    ),
  ),
  ...guardRule,
})

const settings = section({ ...guardLanguages, ...guardSettings })

const usualLabels = ["safe", "unsafe"]
const usualUnsafe = ["unsafe"]

export default defineSignal({
  about: "Matches texts with harmful content, or with some kinds of it; its model is one that the document binds",
  needs: ["inference.classify"],
  ruleBindings: { safety: () => true, hazard: ({ hazard }) => hazard !== undefined },
  expectedLabels: ({ unsafe_labels: unsafe = usualUnsafe, hazard }, { binding }) => ({
    labels: binding === "hazard" ? (hazard?.categories ?? []) : unsafe,
  }),
  guard: true,
  rule,
  settings: { path: ["model_catalog", "modules", "safety"], schema: settings },
  check(rules, report) {
    rules.forEach(({ labels = usualLabels, unsafe_labels: unsafe = usualUnsafe, hazard }, index) => {
      const isMissing = (each: string, known: readonly string[]): boolean => !known.includes(each)
      unsafe.forEach((each, place) => {
        if (isMissing(each, labels))
          report([index, "unsafe_labels", place], `"${each}" is not among the labels ${labels.join(", ")}`)
      })
      if (labels.every((each) => unsafe.includes(each)))
        report([index, "unsafe_labels"], "holds every label, so that the rule would match every text")
      hazard?.categories.forEach((each, place) => {
        if (isMissing(each, hazard.labels ?? hazard.categories))
          report([index, "hazard", "categories", place], `"${each}" is not among the labels of hazard`)
      })
    })
  },
  async setup(rules, { settings: { languages } }) {
    // The document binds every model of it.
    const reads = await createLanguageCheck({
      said: languages,
      isBuiltIn: false,
      loadDetector: () => import("eld/small"),
    })
    return {
      async read(input, { classify }) {
        const ask = onceEach((binding: string) => onceEach((text: string) => classify(text, { binding })))
        const facts = await Promise.all(
          rules.map(async (entry): Promise<Fact> => {
            const { name, threshold: bound, unsafe_labels: unsafe = usualUnsafe, hazard } = entry
            const measure = async (text: string): Promise<Reading> => {
              const first = await ask(`safety.${name}`)(text)
              const risk = riskIn(first, unsafe, "sum")
              if (hazard === undefined) return { risk, isFound: risk >= bound, failure: first.truncated }
              // Most texts are harmless, and cost one question.
              if (risk < bound) return { risk: 0, isFound: false, failure: first.truncated }
              const second = await ask(`hazard.${name}`)(text)
              const kind = riskIn(second, hazard.categories, "max")
              return { risk: kind, isFound: kind >= hazard.threshold, failure: first.truncated ?? second.truncated }
            }
            return toFact(name, await readAll(() => input.textsFor(entry), measure))
          }),
        )
        return inLanguages(facts, rules, { input, reads })
      },
    }
  },
})

/** What the models say of one text, and why they did not read all of it. */
interface Reading {
  readonly risk: number
  readonly isFound: boolean
  readonly failure: unknown
}

/** `texts` throws where there are too many to read. */
async function readAll(
  texts: () => readonly string[],
  measure: (text: string) => Promise<Reading>,
): Promise<readonly Reading[]> {
  const failed = (failure: unknown): Reading => ({ risk: 0, isFound: false, failure })
  try {
    return await Promise.all(
      texts()
        .filter(hasText)
        .map((text) => measure(text).catch(failed)),
    )
  } catch (error) {
    return [failed(error)]
  }
}

/** What was found stands, whatever else was not read; where nothing was, an unread text leaves the question open. */
function toFact(name: string, readings: readonly Reading[]): Fact {
  const unread = readings.find(({ failure }) => failure !== undefined)
  const found = readings.filter(({ isFound }) => isFound)
  if (found.length === 0 && unread !== undefined)
    return { rule: name, state: "unknown", confidence: 0, reason: reasonOf(unread.failure) }
  const value = Math.max(0, ...(found.length > 0 ? found : readings).map(({ risk }) => risk))
  return {
    rule: name,
    state: found.length > 0 ? "match" : "no_match",
    confidence: Math.min(1, value),
    value,
    ...(unread !== undefined && { atLeast: true, reason: reasonOf(unread.failure) }),
  }
}
