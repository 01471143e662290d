// What every rule of every decision said about a request, with the numbers that it compared.

import type { Facts } from "../../types/call.ts"
import type { Plan, PlannedSignal, RuleNode } from "../../types/plan.ts"
import type { DecisionTrace, RuleTrace } from "../../types/status.ts"
import type { evaluate } from "../decide.ts"

/** What `evaluate` says of a tree that does not match, and of one that cannot be told. */
const noMatch: typeof import("../decide.ts").noMatch = -1
const unknown: typeof import("../decide.ts").unknown = -2

type Evaluate = typeof evaluate

/** Traces in the order of the document. */
export function traceDecisions(
  plan: Pick<Plan, "decisions" | "signals">,
  facts: Facts,
  resultOf: Evaluate,
): readonly DecisionTrace[] {
  const thresholds = thresholdsOf(plan.signals)
  return plan.decisions.map((decision) => {
    const result = resultOf(decision.rules, facts)
    return {
      decision_name: decision.name,
      priority: decision.priority,
      tier: decision.tier,
      ...describe(result === unknown && decision.onUnknown === "match" ? 0 : result),
      state: stateOf(result),
      ...(result === unknown && { on_unknown: decision.onUnknown }),
      root_trace: traceNode(decision.rules, { facts, thresholds, resultOf }),
    }
  })
}

/** By slot. */
type Thresholds = readonly (number | undefined)[]

function thresholdsOf(signals: readonly PlannedSignal[]): Thresholds {
  const found: (number | undefined)[] = []
  for (const { firstSlot, thresholds } of signals)
    thresholds?.forEach((threshold, index) => {
      found[firstSlot + index] = threshold
    })
  return found
}

interface Traced {
  readonly facts: Facts
  readonly thresholds: Thresholds
  readonly resultOf: Evaluate
}

function traceNode(node: RuleNode, traced: Traced): RuleTrace {
  const { facts, thresholds, resultOf } = traced
  const result = describe(resultOf(node, facts))
  if (node.kind !== "leaf")
    return {
      node_type: node.kind,
      ...result,
      children: node.children.map((child) => traceNode(child, traced)),
    }
  const { type, name, slot, predicate, onError } = node
  const fact = facts[slot]
  const threshold = thresholds[slot]
  return {
    node_type: "leaf",
    signal_type: type,
    signal_name: name,
    ...result,
    ...(fact?.value !== undefined && { value: fact.value }),
    ...(threshold !== undefined && predicate === undefined && { threshold }),
    ...(predicate !== undefined && { predicate }),
    ...((fact === undefined || fact.state === "unknown") && {
      reason: fact?.reason ?? "failed",
      ...(onError !== undefined && { on_error: onError }),
    }),
  }
}

const stateOf = (result: number): "match" | "no_match" | "unknown" =>
  result === unknown ? "unknown" : result === noMatch ? "no_match" : "match"

function describe(result: number): { state: "match" | "no_match" | "unknown"; matched: boolean; confidence: number } {
  return { state: stateOf(result), matched: result >= 0, confidence: Math.max(0, result) }
}
