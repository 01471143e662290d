// A rule tree over facts of other signals, for a module that asks it whether what it found shall count.

import {
  canonicalRules,
  checkRules,
  compileRules,
  type DeclaredSignals,
  leafNames,
  type RuleEntry,
} from "./config/sections/rules.ts"
import { evaluate, noMatch, unknown } from "./pipeline/decide.ts"
import { invalid, type Problem } from "./schema/problem.ts"
import type { Fact } from "./types/fact.ts"

/** Whether the tree holds; undefined where it depends on facts that are not known. */
export type RuleTree = (factsOf: (type: string) => readonly Fact[]) => boolean | undefined

/** Types of the conditions in a tree, each once: what a signal that asks it comes `after`. */
export function ruleTypes(tree: RuleEntry | undefined): readonly string[] {
  if (tree === undefined) return []
  if (tree.type !== undefined) return [tree.type]
  return [...new Set((tree.conditions ?? []).flatMap(ruleTypes))]
}

/** What is wrong with a tree; paths start at it. A signal that assumes rules for names of decisions does not for those here. */
export function ruleProblems(tree: RuleEntry | undefined, declared: DeclaredSignals = new Map()): readonly Problem[] {
  if (tree === undefined) return []
  const undeclared = declared.size === 0 ? [] : ruleTypes(tree).filter((type) => !declared.has(type))
  return [
    ...undeclared.map((type) => invalid([], `asks for rules of ${type}, which routing.signals does not declare`)),
    ...checkRules(tree, [], declared),
  ]
}

export function createRuleTree(entry: RuleEntry): RuleTree {
  const tree = canonicalRules(entry)
  let slots = 0
  const signals = ruleTypes(tree).map((type) => {
    const rules = [...new Set(leafNames(tree, type))]
    const firstSlot = slots
    slots += rules.length
    return { type, rules, firstSlot }
  })
  const node = compileRules(tree, signals)
  return (factsOf) => {
    const facts = signals.flatMap(({ type, rules }) => {
      const known = factsOf(type)
      return rules.map((rule) => known.find((fact) => fact.rule === rule))
    })
    const result = evaluate(node, facts)
    return result === unknown ? undefined : result !== noMatch
  }
}
