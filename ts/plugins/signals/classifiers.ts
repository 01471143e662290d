// Matches the labels of classifiers that a document brings: models of its own, on this machine or on servers of others.

import {
  type BatchedQuestions,
  type BoundService,
  defineSignal,
  type DocumentPath,
  type Fact,
  literals,
  reasonOf,
  type RuleOf,
  RtrError,
  Type,
} from "../../kernel/index.ts"
import { checkExternals, useProblem } from "../_shared/external/check.ts"
import { externalClassifier } from "../_shared/external/classifier.ts"
import { externalJudge } from "../_shared/external/judge.ts"
import { externalModels, findExternal } from "../_shared/external/settings.ts"
import { askedExternals } from "../_shared/external/uses.ts"
import { probabilityOf } from "../_shared/label-probability.ts"
import { isBlank } from "../_shared/text-size.ts"
import { boundNames } from "../_shared/signals/bound-names.ts"

const rule = Type.Object({
  type: literals(["local", "llm", "sequence_classifier"], {
    description:
      "local: a model on this machine; llm: a chat model that names a label; sequence_classifier: a classifier over HTTP",
  }),
  labels: Type.Array(Type.String({ minLength: 1, pattern: "^[^\\s:]([^:]*[^\\s:])?$" }), {
    minItems: 1,
    maxItems: 255,
    uniqueItems: true,
    description: "What the model can say; a condition names one by its label",
  }),
  model: Type.Optional(
    Type.String({
      minLength: 1,
      description: "For llm and sequence_classifier: name in global.model_catalog.external",
    }),
  ),
  instructions: Type.Optional(
    Type.String({ minLength: 1, pattern: "\\S", description: "For llm: what to judge, in words" }),
  ),
  model_path: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "For local: folder of the model's package, where binding classifier.NAME names no deployment; a relative path starts at the folder of the document",
    }),
  ),
  use_cpu: Type.Optional(
    Type.Boolean({ description: "For local with model_path: true keeps the model off accelerators" }),
  ),
})

type Rule = RuleOf<typeof rule>

const usualSeconds = 5
const maxTokens = 128

/** Probability from which a condition without a predicate matches. */
const evenOdds = 0.5

export default defineSignal({
  about: "Matches the labels of classifiers that the document brings",
  configKey: "classifiers",
  conditionType: "classifier",
  needs: ["inference.classify", "inference.decide"],
  ruleBindings: { classifier: () => true },
  // Only a model on this machine is asked for its labels before it serves.
  expectedLabels: ({ type, labels }) => (type === "local" ? { labels, noOthers: true } : undefined),
  settings: { path: ["model_catalog", "external"], schema: externalModels },
  rule,
  factNames: ({ name, labels }) => labels.map((label) => `${name}:${label}`),
  services: servicesOf,
  checkGlobal: (document, report) => checkExternals(document, askedExternals(document), report),
  check(rules, report, { document } = {}) {
    const names = rules.map(({ name }) => name.trim().toLowerCase())
    rules.forEach((entry, index) => {
      const { name, type, model } = entry
      if (name.includes(":")) report([index, "name"], "must have no colon, which stands between a name and a label")
      if (names.indexOf(name.trim().toLowerCase()) !== index)
        report([index, "name"], `"${name}" is the name of another classifier, but for capitals`)
      for (const key of ["model", "instructions", "model_path", "use_cpu"] as const)
        if (entry[key] !== undefined && !keysOf[type].includes(key))
          report([index, key], `does not belong to a classifier of type ${type}`)
      for (const key of neededKeys[type])
        if (entry[key] === undefined) report([index, key], `is missing; a classifier of type ${type} needs it`)
      if (document === undefined) return
      if (type === "local" && entry.model_path === undefined && !isBound(document, name))
        report(
          [index],
          `needs a model: model_path, or a deployment under global.model_catalog.bindings["classifier.${name}"]`,
        )
      if (type === "local" || model === undefined) return
      const problem = useProblem(document, { name: model, role: "classification", isChat: type === "llm" })
      if (problem !== undefined) report([index, "model"], problem)
    })
  },
  setup(rules) {
    return {
      async read({ text }, questions) {
        const facts = await Promise.all(
          rules.map(async (entry): Promise<readonly Fact[]> => {
            if (isBlank(text)) return factsOf(entry, () => 0)
            try {
              return factsOf(entry, await ask(entry, text, questions))
            } catch (error) {
              // One classifier that is away says nothing about the others.
              return unknownFacts(entry, error)
            }
          }),
        )
        return facts.flat()
      },
    }
  },
})

const neededKeys = { local: [], llm: ["model", "instructions"], sequence_classifier: ["model"] } as const
const keysOf: Readonly<Record<Rule["type"], readonly string[]>> = {
  ...neededKeys,
  local: ["model_path", "use_cpu"],
}

type Questions = Pick<BatchedQuestions, "classify" | "decide">
type Probabilities = (label: string) => number

/** Rejects where the model answers something else than its rule says that it can. */
async function ask(
  { name, type, labels, instructions = "" }: Rule,
  text: string,
  { classify, decide }: Questions,
): Promise<Probabilities> {
  const options = { binding: `classifier.${name}` }
  if (type === "llm") {
    const choices = labels.map((key) => ({ key }))
    const decided = await decide(text, { type: "choice", instructions, choices }, options)
    return (label) => (decided.type === "choice" ? (decided.probabilities[label] ?? 0) : 0)
  }
  const classification = await classify(text, options)
  const others = classification.labels.filter((label) => !labels.includes(label))
  if (others.length > 0)
    throw new RtrError(
      "invalid_model_output",
      `Cannot read the answer of classifier "${name}": it has labels that the rule does not have`,
    )
  return (label) => probabilityOf(classification, label)
}

function factsOf({ name, labels }: Rule, probability: Probabilities): readonly Fact[] {
  return labels.map((label): Fact => {
    const value = probability(label)
    return {
      rule: `${name}:${label}`,
      state: value >= evenOdds ? "match" : "no_match",
      confidence: Math.min(1, Math.max(0, value)),
      value,
    }
  })
}

const unknownFacts = ({ name, labels }: Rule, error: unknown): readonly Fact[] =>
  labels.map((label): Fact => ({ rule: `${name}:${label}`, state: "unknown", confidence: 0, reason: reasonOf(error) }))

interface Bindings {
  readonly routing?: {
    readonly decisions?: unknown
    readonly signals?: { readonly classifiers?: readonly Rule[] }
  }
  readonly recipes?: readonly Pick<Bindings, "routing">[]
}

/** Whether the document names a deployment for a rule, or for all of them. */
function isBound(document: object, name: string): boolean {
  const bound = boundNames(document)
  return bound.has(`classifier.${name}`) || bound.has("classifier")
}

/** Who answers the rules that decisions use, of all recipes. */
function servicesOf(document: object): readonly BoundService[] {
  const { recipes = [] } = document as Bindings
  const profiles = [{ routing: (document as Bindings).routing, at: [] }, ...recipes.map(ofRecipe)]
  const bound = profiles.flatMap(({ routing, at }): readonly BoundService[] => {
    const used = namesIn(routing?.decisions)
    return (routing?.signals?.classifiers ?? []).flatMap((entry, index) =>
      used.has(entry.name) ? answering(entry, document, [...at, "routing", "signals", "classifiers", index]) : [],
    )
  })
  const asked = new Map<string | undefined, string | undefined>()
  for (const { binding, service, deployment } of bound) {
    const by = service?.name ?? deployment?.artifact
    if (asked.has(binding) && asked.get(binding) !== by)
      throw new RtrError(
        "invalid_config",
        `Cannot use ${binding}: two recipes have a classifier of that name with different models; give them names of their own`,
      )
    asked.set(binding, by)
  }
  return bound
}

const ofRecipe = (
  { routing }: Pick<Bindings, "routing">,
  index: number,
): Pick<Bindings, "routing"> & { readonly at: DocumentPath } => ({ routing, at: ["recipes", index] })

function answering(
  { name, type, model: asked = "", model_path: artifact, use_cpu: onCpu }: Rule,
  document: object,
  at: DocumentPath,
): readonly BoundService[] {
  const binding = `classifier.${name}`
  if (type === "local") {
    if (artifact === undefined) return []
    const deployment = {
      name: `classifier.${name.replaceAll(/[^\w.-]/g, "-")}`,
      artifact,
      ...(onCpu === true && { device: "cpu" }),
      writtenAt: [...at, "model_path"],
    }
    return [{ binding, deployment }]
  }
  const model = findExternal(document, { name: asked, role: "classification" })
  if (model === undefined) return []
  return [
    { binding, service: type === "llm" ? externalJudge(model, usualSeconds, maxTokens) : externalClassifier(model) },
  ]
}

/** Names of the classifiers that conditions ask for. */
function namesIn(node: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(node)) for (const each of node) namesIn(each, found)
  else if (typeof node === "object" && node !== null) {
    const { type, name, rules, conditions } = node as Readonly<Record<string, unknown>>
    if (type === "classifier" && typeof name === "string") found.add(name)
    namesIn(rules, found)
    namesIn(conditions, found)
  }
  return found
}
