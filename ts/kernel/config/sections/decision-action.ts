// `decisions[].action`: where a decision sends requests that a guard has found, whatever model they ask for.

import type { DocumentPath } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import type { Problem } from "../../schema/problem.ts"
import type { ModelTarget, PlannedCandidate, PlannedDecision } from "../../types/plan.ts"
import type { ConfigDocument } from "../document-schema.ts"
import type { DecisionEntry } from "./decisions.ts"
import type { ReliabilityTools } from "./reliability.ts"
import type { RuleEntry } from "./rules.ts"

export function checkActions(
  document: ConfigDocument,
  registry: Registry,
  { invalid, suggestion, callableModels }: ReliabilityTools,
): readonly Problem[] {
  const models = callableModels(document)
  const guards = registry
    .all("signal")
    .filter(({ module }) => module.guard === true)
    .map(({ id, module }) => module.conditionType ?? id)
  return (document.routing?.decisions ?? []).flatMap((decision, index): readonly Problem[] => {
    if (decision.action === undefined) return []
    const at: DocumentPath = ["routing", "decisions", index, "action"]
    const { destination } = decision.action
    const problems: Problem[] = []
    if (models.size > 0 && !models.has(destination))
      problems.push(
        invalid(
          [...at, "destination"],
          `"${destination}" is not in providers.models${suggestion(destination, models)}`,
        ),
      )
    if (!typesOf(decision.rules).some((type) => guards.includes(type)))
      problems.push(
        invalid(at, `needs a condition of type ${guards.join(" or ")} in rules: it is for what a guard has found`),
      )
    const instead = neverRuns(decision, registry)
    if (instead !== undefined) problems.push({ ...invalid(at, instead), severity: "warning" })
    return problems
  })
}

function neverRuns({ algorithm, modelRefs = [] }: DecisionEntry, registry: Registry): string | undefined {
  if (algorithm === undefined) return undefined
  const never = registry.find("looper", algorithm.type) !== undefined || modelRefs.length === 0
  return never ? `takes the place of algorithm ${algorithm.type}, which never runs` : undefined
}

const typesOf = (node: RuleEntry | undefined): readonly string[] =>
  node === undefined
    ? []
    : [...(node.type === undefined ? [] : [node.type]), ...(node.conditions ?? []).flatMap(typesOf)]

/** The decision whose first candidate is the destination, which it chooses; its own models are for what that cannot take. */
export function withAction(
  decision: PlannedDecision,
  { action: { type, destination } }: Required<Pick<DecisionEntry, "action">>,
  models: ReadonlyMap<string, ModelTarget>,
): PlannedDecision {
  const { candidates } = decision
  const target = models.get(destination) as ModelTarget
  const first: PlannedCandidate = candidates.find(({ model }) => model === destination) ?? {
    model: destination,
    target,
    score: 1,
    pricing: target.pricing,
    card: target.card,
    reasoning: undefined,
  }
  return {
    ...decision,
    candidates: [first, ...candidates.filter((candidate) => candidate !== first)],
    algorithm: type,
    selector: { select: () => ({ candidate: 0, confidence: 1, reason: "the action of the decision" }) },
    asking: undefined,
    looper: undefined,
    overridesModel: true,
  }
}
