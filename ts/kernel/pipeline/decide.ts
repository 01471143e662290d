// Walks the rules over the facts and finds the decision that wins.

import type { Facts, UnknownPolicy, Verdict } from "../types/call.ts"
import type { Fact, UnknownReason } from "../types/fact.ts"
import type { Plan, PlannedDecision, RuleNode } from "../types/plan.ts"
import { predicateHolds, predicateHoldsFrom } from "../types/predicate.ts"

/**
 * What a rule tree says, as one number: its confidence (0 to 1) when it matches, or one of these.
 * A number instead of an object keeps a request with hundreds of rules free of garbage.
 */
export const noMatch = -1
export const unknown = -2

/** A decision's outcome after its policy for unknown facts. */
interface Judged {
  readonly index: number
  readonly confidence: number
  readonly policy: UnknownPolicy | undefined
}

export interface DecideResult extends Verdict {
  /** A decision with `on_unknown: fail_request` could have won, had its facts been known. */
  readonly unresolved: string | undefined
}

export function decide(plan: Pick<Plan, "decisions" | "strategy">, facts: Facts): DecideResult {
  const matched: Judged[] = []
  const open: Judged[] = []
  const appliedPolicies: { decision: string; policy: UnknownPolicy }[] = []
  for (let index = 0; index < plan.decisions.length; index++) {
    const decision = plan.decisions[index] as PlannedDecision
    const result = evaluate(decision.rules, facts)
    if (result >= 0) matched.push({ index, confidence: result, policy: undefined })
    else if (result === unknown) {
      const policy = decision.onUnknown
      appliedPolicies.push({ decision: decision.name, policy })
      // A match by policy has no evidence behind it, so it has no confidence.
      if (policy === "match") matched.push({ index, confidence: 0, policy })
      // Had the facts been known, it could have matched with full confidence.
      if (policy === "fail_request") open.push({ index, confidence: 1, policy })
    }
  }
  const winner = best(plan, matched)
  // Decisions that are open count only for the question whether one of them could have won.
  const contender = open.length === 0 ? winner : best(plan, [...matched, ...open])
  return {
    decision: winner?.index,
    confidence: winner?.confidence ?? 0,
    appliedPolicies,
    unresolved: contender?.policy === "fail_request" ? plan.decisions[contender.index]?.name : undefined,
  }
}

type Order = (a: Judged, b: Judged) => number

/** Any decision in play with a tier above 0 switches to tiers; a smaller tier wins. */
function compare({ decisions, strategy }: Pick<Plan, "decisions" | "strategy">, inPlay: readonly Judged[]): Order {
  const of = (judged: Judged): PlannedDecision => decisions[judged.index] as PlannedDecision
  const byName: Order = (a, b) => (of(a).name < of(b).name ? -1 : 1)
  const byPriority: Order = (a, b) => of(b).priority - of(a).priority
  const byConfidence: Order = (a, b) => b.confidence - a.confidence
  const byTier: Order = (a, b) => of(a).tier - of(b).tier
  const tiered = inPlay.some((judged) => of(judged).tier > 0)
  const keys = tiered
    ? [byTier, byConfidence, byPriority]
    : strategy === "confidence"
      ? [byConfidence, byPriority]
      : [byPriority, byConfidence]
  return (a, b) => {
    for (const key of keys) {
      const difference = key(a, b)
      if (difference !== 0) return difference
    }
    return byName(a, b)
  }
}

function best(plan: Pick<Plan, "decisions" | "strategy">, judged: readonly Judged[]): Judged | undefined {
  if (judged.length <= 1) return judged[0]
  const order = compare(plan, judged)
  return judged.reduce<Judged | undefined>(
    (leader, candidate) => (leader === undefined || order(candidate, leader) < 0 ? candidate : leader),
    undefined,
  )
}

export function evaluate(node: RuleNode, facts: Facts): number {
  switch (node.kind) {
    case "leaf":
      return evaluateLeaf(node, facts)
    case "AND":
      return evaluateAnd(node.children, facts)
    case "OR":
      return evaluateOr(node.children, facts)
    case "NOT": {
      const inner = evaluate(node.children[0], facts)
      return inner === unknown ? unknown : inner === noMatch ? 1 : noMatch
    }
  }
}

type Leaf = Extract<RuleNode, { kind: "leaf" }>

function ofUnknown({ onError, onLanguage, predicate, blocksUnscanned }: Leaf, fact?: Fact): number {
  const says = blocksUnscanned === true && fact?.reason === "unsupported_language" ? onLanguage : onError
  if (says === undefined) return unknown
  if (says === "no_match") return noMatch
  // What a guard did not read counts as the worst there is: a condition that asks for a small number must not take it.
  return blocksUnscanned === true && predicate !== undefined && !predicateHolds(predicate, Infinity) ? noMatch : 1
}

function evaluateLeaf(node: Leaf, facts: Facts): number {
  const fact = facts[node.slot]
  if (fact === undefined || fact.state === "unknown") return ofUnknown(node, fact)
  if (node.predicate !== undefined) {
    // A rule that did not match has no confidence to compare, whatever its fact says.
    const value = fact.value ?? (fact.state === "match" ? fact.confidence : undefined)
    if (value === undefined) return noMatch
    const holds =
      fact.atLeast === true ? predicateHoldsFrom(node.predicate, value) : predicateHolds(node.predicate, value)
    return holds === undefined ? ofUnknown(node) : holds ? 1 : noMatch
  }
  return fact.state === "match" ? fact.confidence : noMatch
}

/** Mean confidence of the conditions; one that fails settles it even when others are unknown. */
function evaluateAnd(children: readonly RuleNode[], facts: Facts): number {
  let sum = 0
  let open = false
  for (const child of children) {
    const result = evaluate(child, facts)
    if (result === noMatch) return noMatch
    if (result === unknown) open = true
    else sum += result
  }
  if (open) return unknown
  return children.length === 0 ? 0 : sum / children.length
}

/** Highest confidence of the conditions; one that holds settles it even when others are unknown. */
function evaluateOr(children: readonly RuleNode[], facts: Facts): number {
  let highest = noMatch
  let open = false
  for (const child of children) {
    const result = evaluate(child, facts)
    if (result === unknown) open = true
    else if (result > highest) highest = result
  }
  return highest === noMatch && open ? unknown : highest
}

/** Why a tree has no answer: the reasons of the unknown facts that it depends on. Undefined stands for a fact without a reason. */
export function unknownReasons(node: RuleNode, facts: Facts): readonly (UnknownReason | undefined)[] {
  if (evaluate(node, facts) !== unknown) return []
  return node.kind === "leaf"
    ? [facts[node.slot]?.reason]
    : node.children.flatMap((child) => unknownReasons(child, facts))
}
