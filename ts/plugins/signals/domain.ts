// Matches the subject of the text, as a classifier sees it.

import {
  type Classification,
  defineSignal,
  type DocumentPath,
  type Fact,
  literals,
  RtrError,
  section,
  suggestion,
  Type,
} from "../../kernel/index.ts"
import { checkDomain, domainBackend, domainServices, mcp, mcpOf } from "../_shared/external/domain.ts"
import { narrowing } from "../_shared/projections/relations.ts"
import { isBlank } from "../_shared/text-size.ts"

/** Labels of the domain classifier. */
const labels: readonly string[] = [
  "biology",
  "business",
  "chemistry",
  "computer science",
  "economics",
  "engineering",
  "health",
  "history",
  "law",
  "math",
  "other",
  "philosophy",
  "physics",
  "psychology",
]

const rule = Type.Object({
  mmlu_categories: Type.Optional(
    Type.Array(literals(labels), { description: "Labels that mean this domain; the name itself when left out" }),
  ),
  model_scores: Type.Optional(
    Type.Array(section({ model: Type.String({ minLength: 1 }), score: Type.Number() }), {
      description: "Scores for the static selector of the decision with this name",
    }),
  ),
})

const domain = section({
  threshold: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: "Probability that a label needs" })),
  fallback_category: Type.Optional(
    literals(labels, { description: "Label to assume when none reaches the threshold" }),
  ),
  ...domainBackend,
})

const settings = section({ domain: Type.Optional(domain), mcp: Type.Optional(mcp) })

export default defineSignal({
  about:
    "Matches the subject of the text: law, math, computer science and eleven more; the embedded model was measured in English, and is near guessing in other languages",
  configKey: "domains",
  needs: ["inference.classify"],
  binding: "domain_classifier",
  defaultHead: "domain",
  debugHeader: { name: "selected-category", tells: "match" },
  rule,
  settings: { path: ["model_catalog", "modules", "classifier"], schema: settings },
  services: domainServices,
  checkGlobal: checkDomain,
  usualThreshold: thresholdOf,
  implyRules: (names) =>
    names.map((name) => ({
      name,
      description: name,
      mmlu_categories: labels.includes(name.toLowerCase()) ? [name.toLowerCase()] : ["other"],
    })),
  modelScores: ({ model_scores: scores = [] }) => Object.fromEntries(scores.map(({ model, score }) => [model, score])),
  check(rules, report, { labels: known, document = {} } = {}) {
    // A model of others has labels of its own, which only it can tell.
    if (known === undefined || domainServices(document).length > 0) return
    const tell = (path: DocumentPath, label: string, what: string, severity?: "warning"): void => {
      report(
        path,
        `"${label}" is no label of the domain model, ${what}: ${known.join(", ")}${suggestion(label, known)}`,
        severity,
      )
    }
    rules.forEach(({ name, mmlu_categories: categories = [] }, index) => {
      if (categories.length === 0 && !known.includes(name.toLowerCase()))
        tell([index, "name"], name, "so that the rule never matches without mmlu_categories, some of", "warning")
      categories.forEach((label, place) => {
        if (!known.includes(label)) tell([index, "mmlu_categories", place], label, "whose labels are")
      })
    })
  },
  partitionProblem: ({ name, mmlu_categories: categories = [] }, semantics) =>
    semantics === "exclusive" || categories.length > 0 || labels.includes(name.toLowerCase())
      ? undefined
      : `"${name}" is no label of the domain model, so that softmax_exclusive needs its mmlu_categories`,
  setup(rules, { settings: options, ...around }) {
    const { domain: { fallback_category: fallback } = {} } = options
    const threshold = thresholdOf(options, around.document ?? {})
    const narrow = narrowing(
      around,
      rules.map(({ name }) => name),
    )
    const isForeign = domainServices(around.document ?? {}).length > 0
    const labelsOf = rules.map(({ name, mmlu_categories: categories = [] }) => {
      const own = categories.length > 0 ? categories : [name.toLowerCase()]
      return new Set(isForeign ? [...own, name.toLowerCase()] : own)
    })
    return {
      async read({ text }, { classify }) {
        if (isBlank(text))
          return narrow(rules.map(({ name }): Fact => ({ rule: name, state: "no_match", confidence: 0, value: 0 })))
        const answer = await classify(text)
        const classification = isForeign
          ? { ...answer, labels: answer.labels.map((label) => label.toLowerCase()) }
          : answer
        if (!isForeign) checkTask(classification, labelsOf)
        const detected = detect(classification, threshold, fallback)
        const facts = rules.map(({ name }, index): Fact => {
          const wanted = labelsOf[index] ?? new Set()
          const value = Math.max(
            0,
            ...classification.labels.map((label, position) =>
              wanted.has(label) ? (classification.probabilities[position] ?? 0) : 0,
            ),
          )
          const matched = detected.some((label) => wanted.has(label))
          return { rule: name, state: matched ? "match" : "no_match", confidence: value, value }
        })
        return narrow(facts)
      },
    }
  },
})

/** An MCP server has a threshold of its own. */
function thresholdOf({ domain: own }: { readonly domain?: { readonly threshold?: number } }, document: object): number {
  const judge = mcpOf(document) ?? own
  return judge?.threshold ?? 0.5
}

/** A model that knows none of the domains was made for another task, and says of none of them that it is not there. */
function checkTask({ labels: answered }: Classification, wanted: readonly ReadonlySet<string>[]): void {
  if (answered.some((label) => labels.includes(label) || wanted.some((names) => names.has(label)))) return
  throw new RtrError(
    "invalid_model_output",
    `Cannot tell domains from the labels ${answered.join(", ")}: none is a domain; bind domain_classifier to a head of domains`,
  )
}

/** When the classifier is sure, its first label; when it wavers, every label that reaches the threshold. */
function detect(
  { labels: names, probabilities }: Classification,
  threshold: number,
  fallback: string | undefined,
): readonly string[] {
  const reaching = names.flatMap((label, index) =>
    (probabilities[index] ?? 0) >= threshold ? [{ label, probability: probabilities[index] ?? 0 }] : [],
  )
  if (reaching.length === 0) return fallback === undefined ? [] : [fallback]
  const ranked = reaching.toSorted((a, b) => b.probability - a.probability)
  return (normalizedEntropy(probabilities) < wavering ? ranked.slice(0, 1) : ranked).map(({ label }) => label)
}

/** Share of the largest possible entropy from which a distribution counts as wavering. */
const wavering = 0.4

function normalizedEntropy(probabilities: Float32Array): number {
  const entropy = probabilities.reduce(
    (sum, probability) => (probability > 0 ? sum - probability * Math.log(probability) : sum),
    0,
  )
  return probabilities.length < 2 ? 0 : entropy / Math.log(probabilities.length)
}
