// `routing.decisions[].rules`: the rule tree, its one canonical form, and what the schema cannot check.

import { Type, type TUnsafe } from "typebox"
import { type DocumentPath, RtrError } from "../../error.ts"
import { invalid, oneOf, type Problem, suggestion } from "../../schema/problem.ts"
import { literals, name, section } from "../../schema/shapes.ts"
import type { UnknownPolicy } from "../../types/call.ts"
import type { PlannedSignal, RuleNode } from "../../types/plan.ts"
import { type Predicate, predicateProblem } from "../../types/predicate.ts"

export interface RuleEntry {
  readonly operator?: string
  readonly conditions?: readonly RuleEntry[]
  readonly type?: string
  readonly name?: string
  readonly label?: string
  readonly predicate?: Predicate
  readonly on_error?: "match" | "no_match"
  readonly on_unknown?: "no_match" | "match" | "fail_request"
}

const bound = Type.Optional(Type.Number())

/** Trees with other types in one document are known apart by `id`. */
export function rulesSchema(conditionTypes: readonly string[], id = "RuleNode"): TUnsafe<RuleEntry> {
  const node = section(
    {
      operator: Type.Optional(
        Type.String({
          pattern: "^([Aa][Nn][Dd]|[Oo][Rr]|[Nn][Oo][Tt])$",
          description: "AND, OR or NOT",
          examples: ["AND", "OR", "NOT"],
        }),
      ),
      conditions: Type.Optional(Type.Array(Type.Ref(id))),
      type: Type.Optional(literals(conditionTypes)),
      name: Type.Optional(name),
      label: Type.Optional(name),
      predicate: Type.Optional(section({ gt: bound, gte: bound, lt: bound, lte: bound })),
      on_error: Type.Optional(literals(["match", "no_match"])),
      on_unknown: Type.Optional(literals(["no_match", "match", "fail_request"])),
    },
    { description: "A condition (type, name) or a combination (operator, conditions)" },
  )
  return Type.Unsafe<RuleEntry>(Type.Cyclic({ [id]: node }, id))
}

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

/** Conditions of one type, at any depth. */
export function leavesOf(node: RuleEntry | undefined, type: string): readonly RuleEntry[] {
  if (node === undefined) return []
  if (node.type === type && node.name !== undefined) return [node]
  return (node.conditions ?? []).flatMap((child) => leavesOf(child, type))
}

/** The fact that a condition asks for. */
export function factName({ name: rule = "", label }: RuleEntry): string {
  return label === undefined ? rule : `${rule}:${label}`
}

/** Names in conditions of one type, at any depth. */
export function leafNames(node: RuleEntry | undefined, type: string): readonly string[] {
  return leavesOf(node, type).map(factName)
}

/** Names in conditions of one type that the root asks for itself; none below a NOT. */
export function rootNames(root: RuleEntry, type: string): readonly string[] {
  if (root.operator?.toUpperCase() === "NOT") return []
  return [root, ...(root.conditions ?? [])].flatMap((node) =>
    node.type === type && node.name !== undefined ? [factName(node)] : [],
  )
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
  const { type = "", name: rule } = node
  if (node.operator !== undefined || node.conditions !== undefined)
    problems.push(invalid(at, "is a condition (type) and a combination (operator, conditions) at once; choose one"))
  if (rule === undefined) {
    problems.push(invalid([...at, "name"], "is missing"))
    return
  }
  const names = declared.get(type)
  if (names?.has(factName(node)) === false) problems.push(undeclared(node, rule, names, at))
  const predicate = node.predicate === undefined ? undefined : predicateProblem(node.predicate)
  if (predicate !== undefined) problems.push(invalid([...at, "predicate"], predicate))
}

/** What is wrong with a condition on a fact that is none of its type's. */
function undeclared(node: RuleEntry, rule: string, facts: ReadonlySet<string>, at: DocumentPath): Problem {
  const { type = "", label } = node
  const fact = factName(node)
  const labels = [...facts].flatMap((each) => (each.startsWith(`${rule}:`) ? [each.slice(rule.length + 1)] : []))
  if (label === undefined && labels.length > 0)
    return invalid([...at, "label"], `is missing; it must be ${oneOf(labels)}`)
  return invalid(
    [...at, "name"],
    `refers to ${type === "projection" ? `${type} "${fact}", which routing.projections` : `${type} rule "${fact}", which routing.signals`} does not declare${suggestion(fact, facts)}`,
  )
}

function checkComposite(node: RuleEntry, at: DocumentPath, depth: number, problems: Problem[]): void {
  const count = node.conditions?.length ?? 0
  for (const key of ["name", "label", "predicate", "on_error"] as const) {
    if (node[key] !== undefined)
      problems.push(invalid([...at, key], "belongs to a condition with a type, not to a combination"))
  }
  if (node.operator === "NOT" && count !== 1)
    problems.push(invalid([...at, "conditions"], `of NOT must hold exactly one condition, got ${count}`))
  else if (count === 0 && (depth > 0 || node.operator === "OR"))
    problems.push(invalid([...at, "conditions"], `of ${node.operator} must not be empty`))
}

/**
 * Turns a canonical tree into one that knows its facts by slot number. `onUnknown` is the decision's. Throws `invalid_config`
 * for a rule that no signal has.
 */
export function compileRules(
  entry: RuleEntry,
  signals: readonly (Pick<PlannedSignal, "type" | "rules" | "firstSlot"> &
    Partial<Pick<PlannedSignal, "guard" | "onUnknown">>)[],
  onUnknown: UnknownPolicy = "no_match",
): RuleNode {
  const { type } = entry
  const rule = factName(entry)
  if (type !== undefined) {
    const signal = signals.find((candidate) => candidate.type === type)
    const position = signal?.rules.indexOf(rule) ?? -1
    if (signal === undefined || position < 0) throw new RtrError("invalid_config", `There is no ${type} rule "${rule}"`)
    const onError = entry.on_error ?? signal.onUnknown
    const blocks = signal.guard?.[position]?.onUnscanned === "block"
    return {
      kind: "leaf",
      type,
      name: rule,
      slot: signal.firstSlot + position,
      predicate: entry.predicate,
      onError: whenUnknown(onError, blocks, onUnknown),
      ...(blocks && { blocksUnscanned: true, onLanguage: onError }),
    }
  }
  const children = (entry.conditions ?? []).map((child) => compileRules(child, signals, onUnknown))
  const [only] = children
  if (entry.operator === "NOT" && only !== undefined) return { kind: "NOT", children: [only] }
  return { kind: entry.operator === "OR" ? "OR" : "AND", children }
}

/** What a condition says when its fact is unknown; undefined leaves it to the decision's `onUnknown`. */
export function whenUnknown(
  onError: RuleEntry["on_error"],
  blocks: boolean,
  onUnknown: UnknownPolicy,
): RuleEntry["on_error"] {
  if (!blocks) return onError
  // A decision that fails the request is as closed as one that matches, and tells the client what was wrong.
  if (onUnknown !== "fail_request") return "match"
  return onError === "no_match" ? undefined : onError
}
