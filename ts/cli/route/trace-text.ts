// A trace for people: the decision that won and those that came near, as trees, with what would have made each of them win.

import { styleText } from "node:util"
import {
  type Change,
  conditionOf,
  type DecisionTrace,
  type RuleTrace,
  type Strategy,
  wayToWin,
  type WayToWin,
} from "./rule-tree.ts"

/** Decisions shown as trees; of the others their number is told. */
const mostTrees = 6
/** Most changes that are named. */
const mostChanges = 4

/** Lines without a line break at the end. `winner` is a decision's name, empty for none. */
export function traceLines(
  traces: readonly DecisionTrace[],
  winner: string,
  strategy: Strategy = "priority",
): readonly string[] {
  const others = traces
    .filter(({ decision_name: name }) => name !== winner)
    .map((trace) => ({ trace, way: wayToWin(trace, traces, strategy) }))
    .toSorted((a, b) => distanceOf(a.way) - distanceOf(b.way))
  const won = traces.filter(({ decision_name: name }) => name === winner)
  const shown = others.slice(0, mostTrees - won.length)
  const hidden = others.length - shown.length
  return [
    ...won.flatMap((trace) => treeLines(trace, "wins")),
    ...shown.flatMap(({ trace, way }) => [...treeLines(trace), `    would win ${conditionText(way)}`]),
    ...(hidden === 0 ? [] : [`${hidden} more decisions are further away; --json shows all`]),
  ]
}

const distanceOf = (way: WayToWin | undefined): number => (way === undefined ? Infinity : way.changes.length)

function treeLines(trace: DecisionTrace, end = ""): readonly string[] {
  const { decision_name: name, priority, tier, on_unknown: policy, root_trace: root } = trace
  const rank = [`priority ${priority}`, ...(tier > 0 ? [`tier ${tier}`] : [])].join(", ")
  const told = [rank, ...(policy === undefined ? [] : [`on_unknown: ${policy}`]), ...(end === "" ? [] : [end])].join(
    ", ",
  )
  return [`${mark(trace)} ${styleText("bold", name, { stream: process.stdout })} (${told})`, ...nodeLines(root, 1)]
}

function nodeLines(node: RuleTrace, depth: number): readonly string[] {
  const indent = "  ".repeat(depth + 1)
  if (node.node_type === "leaf") return [`${indent}${mark(node)} ${conditionOf(node)}${numbersOf(node)}`]
  const { children = [] } = node
  if (children.length === 0) return [`${indent}${mark(node)} every request`]
  // The router puts a condition that stands alone into an AND.
  if (children.length === 1 && node.node_type !== "NOT") return nodeLines(children[0] as RuleTrace, depth)
  return [`${indent}${mark(node)} ${node.node_type}`, ...children.flatMap((child) => nodeLines(child, depth + 1))]
}

const marks = { match: ["green", "✓"], no_match: ["red", "✗"], unknown: ["yellow", "?"] } as const

function mark({ state }: Pick<RuleTrace, "state">): string {
  const [color, sign] = marks[state]
  return styleText(color, sign, { stream: process.stdout })
}

/** ` 0.41, matches from 0.6`; ` unknown: timeout`; ` unknown: timeout, which counts as a match`. */
function numbersOf(leaf: RuleTrace): string {
  const { state, reason, value, confidence, threshold, predicate } = leaf
  if (state === "unknown") return `  unknown: ${reason ?? "failed"}`
  // `on_error` of a condition, or `on_unscanned` of a guard, says so.
  if (reason !== undefined) return `  unknown: ${reason}, which counts as ${state === "match" ? "a match" : "no match"}`
  const number = value ?? (state === "match" ? confidence : undefined)
  const asks = asksFor(threshold, predicate)
  if (number === undefined) return asks === "" ? "" : `  ${asks}`
  return `  ${round(number)}${asks === "" ? "" : `, ${asks}`}`
}

const signs: Readonly<Record<string, string>> = { gt: ">", gte: "≥", lt: "<", lte: "≤" }

function asksFor(threshold: number | undefined, predicate: RuleTrace["predicate"]): string {
  if (predicate !== undefined)
    return `asks for ${Object.entries(predicate)
      .map(([key, bound]) => `${signs[key] ?? key} ${bound}`)
      .join(" and ")}`
  return threshold === undefined ? "" : `matches from ${threshold}`
}

const round = (number: number): string => String(Number(number.toFixed(3)))

function conditionText(way: WayToWin | undefined): string {
  if (way === undefined) return "under no other facts: a decision without conditions goes before it"
  const { changes, surer } = way
  const named = changes.slice(0, mostChanges).map(changeText)
  const more = changes.length - named.length
  const parts = [...named, ...(more > 0 ? [`${more} more conditions changed`] : [])]
  const lead = surer.length === 0 ? "" : `its confidence were above that of ${surer.slice(0, 3).join(", ")}`
  return `if ${[...parts, ...(lead === "" ? [] : [lead])].join(" and ")}`
}

function changeText({ leaf, to }: Change): string {
  const condition = conditionOf(leaf)
  if (to === "no_match") return `${condition} did not match`
  const { value, threshold, predicate } = leaf
  const asks = asksFor(threshold, predicate)
  const now = value === undefined ? "" : `is ${round(value)}`
  const detail = [now, asks].filter((part) => part !== "").join(", ")
  return detail === "" ? `${condition} matched` : `${condition} matched (${detail})`
}
