// Requests for which no decision chooses a model, and nothing else does.

import { type Registry, signalConditionType } from "../../modules/registry.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import { valueAt } from "../../schema/value-at.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { factName, type RuleEntry } from "../sections/rules.ts"
import { rulesOf } from "../signal-use.ts"

/**
 * A warning where no decision matches every request, and there is no default model. Not where several facts of one signal are
 * asked for, or one is negated: such facts may share all requests among them, as those of lengths do.
 */
export function unmatchedRequests(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const { defaults, models = [] } = document.providers ?? {}
  const { decisions = [] } = document.routing ?? {}
  const isServed = defaults?.model !== undefined || models.length === 0 || decisions.length === 0
  // A projection chooses one of several rules for every request.
  if (isServed || valueAt(document, ["routing", "projections"]) !== undefined) return []
  const guards = new Set<string>()
  const inverted = new Set<string>()
  for (const registered of registry.all("signal")) {
    const type = signalConditionType(registered.id, registered.module)
    if (registered.module.guard === true) guards.add(type)
    for (const rule of rulesOf(registered, document))
      if ((rule as { readonly operator?: unknown }).operator === "NOR") inverted.add(`${type}:${rule.name}`)
  }
  const leaves = decisions.flatMap(({ rules }) => (rules === undefined ? [] : leavesIn(rules)))
  const isAlone = (node: RuleEntry): boolean =>
    leaves.every((leaf) => leaf.type !== node.type || factName(leaf) === factName(node))
  const isSpecial = (node: RuleEntry): boolean => {
    const { type = "", name = "", predicate, operator, conditions = [] } = node
    if (type !== "")
      return predicate === undefined && !inverted.has(`${type}:${name}`) && (guards.has(type) || isAlone(node))
    if (operator === "OR") return conditions.every(isSpecial)
    return operator === "AND" && conditions.some(isSpecial)
  }
  if (!decisions.every(({ rules }) => rules !== undefined && isSpecial(rules))) return []
  return [
    invalid(
      ["routing", "decisions"],
      "choose no model for a request that matches none of them, which is refused with no_model_selected; write providers.defaults.model, or a decision without rules",
    ),
  ]
}

const leavesIn = (node: RuleEntry): readonly RuleEntry[] =>
  node.type === undefined ? (node.conditions ?? []).flatMap(leavesIn) : [node]
