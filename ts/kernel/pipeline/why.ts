// Why a request went where it went, in a few words: names of rules and numbers, never text of the request.

import type { CallRecord, Facts } from "../types/call.ts"
import type { RuleNode } from "../types/plan.ts"
import { evaluate, noMatch, unknown } from "./decide.ts"

/** Most conditions that are named, and most kinds of one of them. */
const maxConditions = 4
const maxKinds = 6

/** A module may take words of a text for a kind; the log has no room for more than one. */
const isWord = /^\w{1,40}$/

/**
 * Such as `keyword:urgent 1.00 and domain:math 0.91`. Undefined when the request failed before its rules were read.
 * Conditions that could not be read stand with their reason: `jailbreak:attack unknown (timeout)`, and what a guard found with
 * its kinds: `pii:private 1.00 (EMAIL_ADDRESS)`.
 */
export function whyOf(record: CallRecord): string | undefined {
  const { rules, readings, automatic, model, path } = record
  // Guards that are asked for themselves send a request nowhere.
  if (path === "guards") return undefined
  if (!automatic) return "the client named the model"
  if (readings === undefined) return undefined
  if (rules === undefined) return model === undefined ? "no decision matched" : "no decision matched, default model"
  const conditions: string[] = []
  collect(rules, readings.facts, conditions)
  if (conditions.length === 0) return "without conditions"
  const more = conditions.length - maxConditions
  return more <= 0 ? conditions.join(" and ") : `${conditions.slice(0, maxConditions).join(" and ")} and ${more} more`
}

function collect(node: RuleNode, facts: Facts, into: string[]): void {
  switch (node.kind) {
    case "leaf":
      into.push(describe(node, facts))
      return
    case "AND":
      for (const child of node.children) collect(child, facts, into)
      return
    case "OR": {
      const best = strongest(node.children, facts)
      if (best !== undefined) collect(best, facts, into)
      return
    }
    case "NOT": {
      const [inner] = node.children
      into.push(inner.kind === "leaf" ? `not ${inner.type}:${inner.name}` : "not the excluded conditions")
    }
  }
}

/** The condition that settled an OR: of those that hold the surest, otherwise the first that is unknown. */
function strongest(children: readonly RuleNode[], facts: Facts): RuleNode | undefined {
  let found: RuleNode | undefined
  let highest = noMatch
  for (const child of children) {
    const confidence = evaluate(child, facts)
    if (confidence <= highest) continue
    highest = confidence
    found = child
  }
  return found ?? children.find((child) => evaluate(child, facts) === unknown)
}

function describe({ type, name, slot, predicate }: Extract<RuleNode, { kind: "leaf" }>, facts: Facts): string {
  const fact = facts[slot]
  if (fact === undefined || fact.state === "unknown")
    return `${type}:${name} unknown${fact?.reason === undefined ? "" : ` (${fact.reason})`}`
  const number = predicate === undefined ? fact.confidence : (fact.value ?? fact.confidence)
  const shown = Number.isInteger(number) && predicate !== undefined ? number : number.toFixed(2)
  const kinds = (fact.kinds ?? []).filter((kind) => isWord.test(kind))
  return `${type}:${name} ${shown}${kinds.length === 0 ? "" : ` (${kinds.slice(0, maxKinds).join(", ")})`}`
}
