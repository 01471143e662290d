// The first documents routed by category: each had its models with scores, a system prompt and settings of guards. A category
// becomes a domain rule and a decision for it.

import { type Document } from "yaml"
import { formatPath } from "../../schema/problem.ts"
import { mapsAt, pairOf, plain, type Place, remove } from "./edit.ts"
import { allOf, attackDecisions, type GuardedScope, type GuardRules, refusing, takePolicies } from "./guards.ts"
import { isJson, type Json, list, numberOf } from "./json.ts"

/** Keys of a category that its decision has now. */
const decisionKeys: readonly string[] = [
  "model_scores",
  "use_reasoning",
  "reasoning_effort",
  "system_prompt",
  "system_prompt_enabled",
  "system_prompt_mode",
  "jailbreak_enabled",
  "jailbreak_threshold",
  "pii_enabled",
  "pii_threshold",
]
/** Keys without a counterpart, and why. */
const leftOut: Readonly<Record<string, string>> = {
  reasoning_description: "rtr does not use it",
  semantic_cache_enabled: "rtr keeps no replies to answer from",
  semantic_cache_similarity_threshold: "rtr keeps no replies to answer from",
}

/** Above the decision of the default model, and below what stops attacks. */
const categoryPriority = 100
const attackPriority = 1000

interface Candidate {
  readonly model: string
  readonly [key: string]: unknown
}

/** Decisions for the categories and guards of a document that has none; undefined for one that has decisions. */
export function migrateCategories(
  document: Document,
  rules: GuardRules,
  tell: (change: string) => void,
): readonly Json[] | undefined {
  if (mapsAt(document, "routing.decisions.*").length > 0) return undefined
  const domains = mapsAt(document, "routing.signals.domains.*")
  const places = domains.some(({ map }) => pairOf(map, "model_scores") !== undefined) ? domains : []
  const usual = document.getIn(["providers", "defaults", "model"])
  const last: readonly Candidate[] = typeof usual === "string" ? [{ model: usual }] : []
  const denied = takePolicies(document, rules, tell)
  const categories = places.map((place) => takeCategory(document, place, tell))
  const decisions = categories.flatMap(({ category, scope }) => {
    const own = candidatesOf(category)
    const prompt = promptOf(category)
    const { description, pii_enabled: guarded = true, pii_threshold: threshold } = category
    return decisionsFor(
      {
        name: scope.name,
        ...(description !== undefined && { description }),
        priority: categoryPriority,
        rules: scope.rules,
        modelRefs: own.length > 0 ? own : last,
        ...(prompt !== undefined && { plugins: [prompt] }),
      },
      last,
      (model) => (guarded === false ? undefined : denied(model, numberOf(threshold))),
    )
  })
  const fallback =
    last.length === 0
      ? []
      : decisionsFor({ name: "default", priority: 0, modelRefs: last }, [], (model) => denied(model, undefined))
  const scopes = categories.map(({ scope }) => scope)
  const attacks = attackDecisions(document, rules, { scopes, priority: attackPriority })
  // The default model needs no decision of its own where there is no other.
  const isAlone = decisions.length === 0 && fallback.length === 1
  return [...attacks, ...decisions, ...(isAlone ? [] : fallback)]
}

function takeCategory(document: Document, { map, path }: Place, tell: (change: string) => void) {
  const category = plain(document, map) as Json
  const name = String(category["name"])
  for (const key of decisionKeys) if (pairOf(map, key) !== undefined) remove(map, key)
  for (const [key, reason] of Object.entries(leftOut)) {
    if (pairOf(map, key) === undefined) continue
    remove(map, key)
    tell(`${formatPath([...path, key])} was left out: ${reason}`)
  }
  tell(`${formatPath(path)}: models, prompt and guards → routing.decisions, decision "${name}"`)
  const scope: GuardedScope = {
    name,
    rules: { type: "domain", name },
    enabled: typeof category["jailbreak_enabled"] === "boolean" ? category["jailbreak_enabled"] : undefined,
    threshold: numberOf(category["jailbreak_threshold"]),
  }
  return { category, scope }
}

/** The best score first, each model once. */
function candidatesOf({
  model_scores: scores,
  use_reasoning: usual,
  reasoning_effort: usualEffort,
}: Json): readonly Candidate[] {
  const ranked = list(scores).toSorted((a, b) => (numberOf(b["score"]) ?? 0) - (numberOf(a["score"]) ?? 0))
  const first = new Map<string, Candidate>()
  for (const {
    model,
    lora_name: lora,
    use_reasoning: reasons = usual,
    reasoning_effort: effort = usualEffort,
  } of ranked) {
    const key = JSON.stringify([model, lora])
    if (first.has(key)) continue
    first.set(key, {
      model: String(model),
      ...(lora !== undefined && { lora_name: lora }),
      ...(reasons !== undefined && { use_reasoning: reasons }),
      // An effort without reasoning said nothing.
      ...(reasons === true && effort !== undefined && { reasoning_effort: effort }),
    })
  }
  return [...first.values()]
}

/** The prompt replaced that of the client, unless the category said otherwise. */
function promptOf({
  system_prompt: prompt,
  system_prompt_enabled: enabled,
  system_prompt_mode: mode = "replace",
}: Json): Json | undefined {
  return typeof prompt !== "string" || prompt === ""
    ? undefined
    : {
        type: "system_prompt",
        configuration: { ...(enabled === false && { enabled }), system_prompt: prompt, mode },
      }
}

/**
 * A decision, and those above it for requests with personal data that its best model may not see. The best model that may see
 * them answers, the default model last; without one, the request is refused.
 */
function decisionsFor(
  decision: Json & { readonly name: string; readonly priority: number; readonly modelRefs: readonly Candidate[] },
  last: readonly Candidate[],
  denied: (model: string) => Json | undefined,
): readonly Json[] {
  const { name, priority, modelRefs, rules, ...rest } = decision
  const all = [...modelRefs, ...last.filter(({ model }) => !modelRefs.some((each) => each.model === model))]
  const guards = new Map<string | undefined, Json>()
  const steps: Json[] = [decision]
  const mayAnswer = ({ model }: Candidate): boolean => !guards.has(JSON.stringify(denied(model)))
  for (;;) {
    const best = all.find(mayAnswer)
    const guard = best && denied(best.model)
    if (guard === undefined) return steps
    guards.set(JSON.stringify(guard), guard)
    const others = all.filter(mayAnswer)
    steps.push({
      name: `personal data: ${name}${steps.length > 1 ? ` ${steps.length}` : ""}`,
      priority: priority + steps.length,
      rules: allOf(isJson(rules) ? rules : undefined, ...guards.values()),
      ...(others.length > 0 ? { ...rest, modelRefs: others } : refusing),
    })
  }
}
