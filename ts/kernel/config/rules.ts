// The rule tree of a decision: its one canonical form, and what the schema cannot check.

import type { DocumentPath } from "../error.ts"
import { predicateProblem } from "../types/predicate.ts"
import { invalid, type Problem, suggestion } from "../schema/problem.ts"
import type { RuleEntry } from "./schema/routing.ts"

/** A tree whose every node is a leaf or has an upper-case operator. No rules at all is an empty AND, which always matches. */
export function canonicalRules(entry: RuleEntry | undefined): RuleEntry {
  const { on_unknown: onUnknown, ...root } = entry ?? {}
  const tree = canonicalNode(root)
  const combined = tree.type === undefined ? tree : { operator: "AND", conditions: [tree] }
  return onUnknown === undefined ? combined : { ...combined, on_unknown: onUnknown }
}

function canonicalNode(entry: RuleEntry): RuleEntry {
  // A mixture of both forms is left as it is for `checkRules` to report.
  if (entry.type !== undefined)
    return entry.conditions === undefined ? entry : { ...entry, conditions: entry.conditions.map(canonicalNode) }
  return { ...entry, operator: operatorOf(entry), conditions: (entry.conditions ?? []).map(canonicalNode) }
}

/** An omitted operator is AND. An environment reference stays as it is written: its name is not the same in capitals. */
function operatorOf({ operator = "AND" }: RuleEntry): string {
  return operator.includes("$") ? operator : operator.toUpperCase()
}

/** Names of declared rules by condition type; a type without an entry accepts every name. */
export type DeclaredSignals = ReadonlyMap<string, ReadonlySet<string>>

/** Problems of a tree as written. */
export function checkRules(rules: RuleEntry, path: DocumentPath, declared: DeclaredSignals): readonly Problem[] {
  const problems: Problem[] = []

  const visit = (node: RuleEntry, at: DocumentPath, depth: number): void => {
    if (depth > 0 && node.on_unknown !== undefined)
      problems.push(
        invalid([...at, "on_unknown"], "stands at the root of the rules only; use on_error for one condition"),
      )
    if (node.type !== undefined) checkLeaf(node, at, declared, problems)
    else checkComposite({ ...node, operator: operatorOf(node) }, at, depth, problems)
    node.conditions?.forEach((child, index) => visit(child, [...at, "conditions", index], depth + 1))
  }
  visit(rules, path, 0)
  return problems
}

function checkLeaf(node: RuleEntry, at: DocumentPath, declared: DeclaredSignals, problems: Problem[]): void {
  const { type = "", name } = node
  if (node.operator !== undefined || node.conditions !== undefined)
    problems.push(invalid(at, "is a condition (type) and a combination (operator, conditions) at once; choose one"))
  if (name === undefined) {
    problems.push(invalid([...at, "name"], "is missing"))
    return
  }
  const names = declared.get(type)
  if (names !== undefined && !names.has(name))
    problems.push(
      invalid(
        [...at, "name"],
        `refers to ${type} rule "${name}", which routing.signals does not declare${suggestion(name, names)}`,
      ),
    )
  const predicate = node.predicate === undefined ? undefined : predicateProblem(node.predicate)
  if (predicate !== undefined) problems.push(invalid([...at, "predicate"], predicate))
}

function checkComposite(node: RuleEntry, at: DocumentPath, depth: number, problems: Problem[]): void {
  const count = node.conditions?.length ?? 0
  for (const key of ["name", "predicate", "on_error"] as const) {
    if (node[key] !== undefined)
      problems.push(invalid([...at, key], "belongs to a condition with a type, not to a combination"))
  }
  if (node.operator === "NOT" && count !== 1)
    problems.push(invalid([...at, "conditions"], `of NOT must hold exactly one condition, got ${count}`))
  else if (count === 0 && (depth > 0 || node.operator === "OR"))
    problems.push(invalid([...at, "conditions"], `of ${node.operator} must not be empty`))
}
