// Decisions that are never chosen, because one that matches every request comes before them.

import type { Registry } from "../../modules/registry.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { guardUsesOf } from "../sections/guard-use.ts"
import { strategyOf } from "../sections/router.ts"

/** A warning for the first decision that matches every request, if others come behind it. */
export function unreachableDecisions(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const decisions = document.routing?.decisions ?? []
  const asking = new Set(guardUsesOf(document, registry).map(({ decision }) => decision))
  const comesBefore = orderOf(document)
  const matchAll = decisions.filter(({ rules }) => rules?.type === undefined && (rules?.conditions ?? []).length === 0)
  return matchAll.flatMap((first): readonly Problem[] => {
    const late = decisions.filter((each) => comesBefore(first, each))
    if (late.length === 0 || matchAll.some((other) => comesBefore(other, first))) return []
    const guarded = late.filter(({ name }) => asking.has(name))
    const guards = guarded.length === 0 ? "" : `, so that the guards of ${namesOf(guarded)} stop nothing`
    const tiers = late.map(({ tier = 0 }) => tier)
    const behind = tiers.some((tier) => tier > 0)
      ? `tier above ${Math.max(...tiers)}`
      : `priority below ${Math.min(...late.map(({ priority = 0 }) => priority))}`
    return [
      invalid(
        ["routing", "decisions", decisions.indexOf(first)],
        `"${first.name}" matches every request and comes before ${namesOf(late)}, which ${late.length === 1 ? "is" : "are"} never chosen${guards}; give it rules, or a ${behind}`,
      ),
    ]
  })
}

/** A warning goes into one line. */
const maxNames = 10

function namesOf(decisions: readonly { readonly name: string }[]): string {
  const names = decisions.slice(0, maxNames).map(({ name }) => `"${name}"`)
  return `${names.join(", ")}${decisions.length > maxNames ? ` and ${decisions.length - maxNames} more` : ""}`
}

interface Ranked {
  readonly priority?: number
  readonly tier?: number
}

/** Tells of two decisions that match whether the first one wins for certain, whatever confidence the second has. */
function orderOf(document: ConfigDocument): (first: Ranked, second: Ranked) => boolean {
  const { decisions = [] } = document.routing ?? {}
  // Once a decision with a tier matches, confidence and not priority decides between those without.
  const byPriority = strategyOf(document) === "priority" && decisions.every(({ tier = 0 }) => tier === 0)
  return ({ tier = 0, priority = 0 }, second) =>
    tier < (second.tier ?? 0) || (byPriority && priority > (second.priority ?? 0))
}
