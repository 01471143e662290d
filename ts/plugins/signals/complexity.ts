// Tells hard requests from easy ones by their likeness to examples of both.

import {
  createRuleTree,
  defineSignal,
  type Fact,
  ruleProblems,
  type RuleTree,
  rulesSchema,
  ruleTypes,
  section,
  Type,
} from "../../kernel/index.ts"
import { type Bank, createBank, prototypeScoring } from "../_shared/prototype-bank.ts"
import { isBlank } from "../_shared/text-size.ts"

/** Signals that a composer may ask: they are read before this one. */
const composable = [
  "keyword",
  "embedding",
  "domain",
  "fact_check",
  "user_feedback",
  "reask",
  "preference",
  "language",
  "context",
  "structure",
  "modality",
  "kb",
  "conversation",
]

const examples = (description: string) =>
  section({ candidates: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description }) })

const rule = Type.Object({
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 2,
      description:
        "How much more a text has to be like one list than like the other; 0.1 when left out. Useful values are 0.05 to 0.15",
    }),
  ),
  hard_above: Type.Optional(
    Type.Number({ description: "The same for hard alone: similarity to hard less that to easy" }),
  ),
  easy_below: Type.Optional(Type.Number({ description: "The same for easy alone, where it is a negative number" })),
  hard: examples("Requests that are hard"),
  easy: examples("Requests that are easy"),
  composer: Type.Optional(rulesSchema(composable, "Composer")),
  prototype_scoring: Type.Optional(prototypeScoring),
})

const settings = section({ prototype_scoring: Type.Optional(prototypeScoring) })

const defaultThreshold = 0.1
const levels = ["easy", "medium", "hard"] as const

export default defineSignal({
  about:
    "Tells how hard a request is, by its likeness to examples: conditions name rule:easy, rule:medium or rule:hard",
  needs: ["inference.embed"],
  embeddingBinding: "embedding",
  rule,
  settings: { path: ["model_catalog", "modules", "complexity"], schema: settings },
  factNames: ({ name }) => levels.map((level) => `${name}:${level}`),
  after: (rules) => [...new Set(rules.flatMap(({ composer }) => ruleTypes(composer)))],
  check(rules, report, { declared } = {}) {
    rules.forEach((entry, index) => {
      const { easyBelow, hardAbove } = boundsOf(entry)
      if (easyBelow > hardAbove)
        report([index, "easy_below"], `is ${easyBelow}, above ${hardAbove}, from which a request is hard`)
      ruleProblems(entry.composer, declared).forEach(({ path, message }) =>
        report([index, "composer", ...path], message),
      )
    })
  },
  async setup(rules, { settings: { prototype_scoring: shared }, embedAll }) {
    const bankOf = async (candidates: readonly string[], own: object | undefined): Promise<Bank> =>
      createBank(candidates, await embedAll(candidates), { ...shared, ...own })
    const measures = await Promise.all(
      rules.map(async (entry): Promise<Measure> => ({
        name: entry.name,
        ...boundsOf(entry, { ...shared, ...entry.prototype_scoring }.margin_threshold),
        hard: await bankOf(entry.hard.candidates, entry.prototype_scoring),
        easy: await bankOf(entry.easy.candidates, entry.prototype_scoring),
        composer: entry.composer === undefined ? undefined : createRuleTree(entry.composer),
      })),
    )
    return {
      async read({ text, factsOf }, { embed }) {
        const vector = isBlank(text) ? undefined : await embed(text)
        return measures.flatMap((measure) => toFacts(measure, vector, factsOf))
      },
    }
  },
})

interface Bounds {
  readonly hardAbove: number
  readonly easyBelow: number
}

interface Measure extends Bounds {
  readonly name: string
  readonly hard: Bank
  readonly easy: Bank
  readonly composer: RuleTree | undefined
}

/** What is nearer to even than `margin` is neither hard nor easy. */
function boundsOf(
  entry: { readonly threshold?: number; readonly hard_above?: number; readonly easy_below?: number },
  margin = 0,
): Bounds {
  const { threshold = defaultThreshold, hard_above: hardAbove = threshold, easy_below: easyBelow = -threshold } = entry
  if (margin === 0) return { hardAbove, easyBelow }
  return { hardAbove: Math.max(hardAbove, margin), easyBelow: Math.min(easyBelow, -margin) }
}

/** One level matches, none where the text is blank or the composer says no. */
function toFacts(
  { name, hard, easy, hardAbove, easyBelow, composer }: Measure,
  vector: Float32Array | undefined,
  factsOf: Parameters<RuleTree>[0],
): readonly Fact[] {
  const none = (level: string): Fact => ({ rule: `${name}:${level}`, state: "no_match", confidence: 0 })
  if (vector === undefined) return levels.map(none)
  const [toHard, toEasy] = [hard(vector), easy(vector)]
  const difference = toHard - toEasy
  const found = difference > hardAbove ? "hard" : difference < easyBelow ? "easy" : "medium"
  const composed = composer === undefined ? true : composer(factsOf)
  return levels.map((level): Fact => {
    if (level !== found || composed === false) return none(level)
    const fact = `${name}:${level}`
    // What the composer asks for is not known; it failed where it was read.
    if (composed === undefined) return { rule: fact, state: "unknown", confidence: 0, reason: "failed" }
    const value = Math.abs(difference)
    const values = { difference, hard: toHard, easy: toEasy }
    return { rule: fact, state: "match", confidence: Math.min(1, value), value, values }
  })
}
