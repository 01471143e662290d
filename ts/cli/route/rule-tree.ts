// The trace of a preview as the router tells it, and what would have to change in it.

import type { RoutingPreviewReply } from "../management-client.gen.ts"

/** One node of a decision's rules, with what it said. */
export interface RuleTrace {
  readonly node_type: "leaf" | "AND" | "OR" | "NOT"
  readonly signal_type?: string
  readonly signal_name?: string
  readonly state: "match" | "no_match" | "unknown"
  readonly matched: boolean
  readonly confidence: number
  readonly value?: number
  readonly threshold?: number
  readonly predicate?: Readonly<Record<string, number>>
  readonly reason?: string
  readonly children?: readonly RuleTrace[]
}

export type DecisionTrace = Omit<NonNullable<RoutingPreviewReply["eval_trace"]>[number], "root_trace"> & {
  readonly root_trace: RuleTrace
}

/** The schema of the reply leaves the tree open, because it holds itself. */
export const tracesOf = ({ eval_trace: traces = [] }: RoutingPreviewReply): readonly DecisionTrace[] =>
  traces as unknown as readonly DecisionTrace[]

/** A condition that would have to say something else. */
export interface Change {
  readonly leaf: RuleTrace
  readonly to: "match" | "no_match"
}

/** The fewest conditions that would have to change for a tree to match, or not to match; undefined where none can. */
export function changesFor(node: RuleTrace, matches: boolean): readonly Change[] | undefined {
  const { node_type: type, children = [] } = node
  if (type === "leaf")
    return node.state === (matches ? "match" : "no_match") ? [] : [{ leaf: node, to: matches ? "match" : "no_match" }]
  if (type === "NOT") return changesFor(children[0] as RuleTrace, !matches)
  const each = children.map((child) => changesFor(child, matches))
  // To match, an AND needs every child and an OR the nearest one; not to match, it is the other way round.
  if ((type === "AND") === matches)
    return each.includes(undefined) ? undefined : each.flatMap((changes) => changes ?? [])
  return each
    .filter((changes) => changes !== undefined)
    .reduce<readonly Change[] | undefined>(
      (fewest, changes) => (fewest === undefined || changes.length < fewest.length ? changes : fewest),
      undefined,
    )
}

export type Strategy = NonNullable<RoutingPreviewReply["strategy"]>

/** Whether `a` goes before `b` when both match; undefined where their confidence decides. */
export function goesBefore(a: DecisionTrace, b: DecisionTrace, strategy: Strategy): boolean | undefined {
  if (a.tier > 0 || b.tier > 0) return a.tier === b.tier ? undefined : a.tier < b.tier
  return strategy === "confidence" || a.priority === b.priority ? undefined : a.priority > b.priority
}

export interface WayToWin {
  readonly changes: readonly Change[]
  /** Decisions that go before it by their confidence alone. */
  readonly surer: readonly string[]
}

/** What would have to change for a decision to win; undefined where no change of conditions can do it. */
export function wayToWin(
  decision: DecisionTrace,
  all: readonly DecisionTrace[],
  strategy: Strategy,
): WayToWin | undefined {
  const own = changesFor(decision.root_trace, true)
  if (own === undefined) return undefined
  const rivals = all.filter((other) => other !== decision && other.matched)
  const ahead = rivals.filter((other) => goesBefore(other, decision, strategy) === true)
  const stopped = ahead.map((other) => changesFor(other.root_trace, false))
  if (stopped.includes(undefined)) return undefined
  return {
    changes: withoutRepeats([...own, ...stopped.flatMap((changes) => changes ?? [])]),
    surer: rivals
      .filter((other) => goesBefore(other, decision, strategy) === undefined)
      .map(({ decision_name: name }) => name),
  }
}

function withoutRepeats(changes: readonly Change[]): readonly Change[] {
  const seen = new Map(changes.map((change) => [`${conditionOf(change.leaf)} ${change.to}`, change]))
  return [...seen.values()]
}

/** `keyword:urgent` */
export const conditionOf = ({ signal_type: type = "", signal_name: name = "" }: RuleTrace): string => `${type}:${name}`
