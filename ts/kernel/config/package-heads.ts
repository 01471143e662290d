// Whether the model of a binding can answer what the binding asks: with a head of that name, or typed questions.

import { oneOf, suggestion } from "../schema/problem.ts"
import type { ExpectedLabels } from "../types/signal.ts"

/** What a package answers with: a classifier, as `rtrun.json` and the worker's model list tell it, or typed questions. */
export interface PackageHead {
  readonly name: string
  /** `decisions` answers typed questions. It has no labels, and the worker does not list it. */
  readonly kind: "sequence" | "scores" | "token" | "decisions"
  readonly labels: readonly string[]
}

/**
 * Heads of the package that an artifact means; undefined where only a worker can tell. Throws an `RtrError` for an artifact
 * that means nothing.
 */
export type ReadHeads = (artifact: string) => readonly PackageHead[] | undefined

/** The same for any document: relative artifacts start at the folder of `source`, its path. */
export type ReadHeadsBeside = (artifact: string, source: string) => ReturnType<ReadHeads>

/** A head that a binding asks; without a name it is the only one of its model. */
export interface BoundHead {
  readonly binding: string
  readonly deployment: string
  readonly head: string | undefined
  readonly answers: "classes" | "spans" | "decisions"
  /** What rules need of its labels. */
  readonly expects?: readonly (ExpectedLabels & { readonly rule: string })[]
  /** It stands in `routing.model_bindings`. */
  readonly ofRouting?: boolean
}

/** What is wrong with a bound head, in words that follow its path; undefined when the model has it. */
export function headProblem(bound: BoundHead, heads: readonly PackageHead[]): string | undefined {
  const { head, answers, deployment } = bound
  if (answers === "decisions") return questionProblem(deployment, heads)
  const fits = ({ kind }: PackageHead): boolean => kind !== "decisions" && (kind === "token") === (answers === "spans")
  const found = head === undefined ? heads : heads.filter(({ name }) => name === head)
  const [only] = found
  if (found.length === 1 && only !== undefined && fits(only)) return labelProblem(bound, only)
  const fitting = heads.filter(fits).map(({ name }) => name)
  const wanted = `a head of deployment "${deployment}" that answers with ${answers}`
  const there = fitting.length === 0 ? "there is none" : `there is ${oneOf(fitting)}`
  return head === undefined
    ? `is missing; it must name ${wanted}: ${there}`
    : `"${head}" is not ${wanted}: ${there}${suggestion(head, fitting)}`
}

/** A rule about a label that the model never gives would never match. */
function labelProblem({ deployment, expects = [] }: BoundHead, { labels: known }: PackageHead): string | undefined {
  for (const { rule, labels, noOthers } of expects) {
    const missing = labels.find((label) => !known.includes(label))
    if (missing !== undefined)
      return `must be a head with the label "${missing}", which rule "${rule}" asks for; that of deployment "${deployment}" has ${allOf(known)}${suggestion(missing, known)}`
    const others = known.filter((label) => !labels.includes(label))
    if (noOthers === true && others.length > 0)
      return `must be a head with no labels but those of rule "${rule}"; that of deployment "${deployment}" also has ${allOf(others)}`
  }
  return undefined
}

/** Some models have thousands, which nobody would read. */
const allOf = (labels: readonly string[]): string =>
  [...labels.slice(0, 40).map((label) => `"${label}"`), ...(labels.length > 40 ? ["…"] : [])].join(", ")

/** What is wrong with a deployment that is asked typed questions, in words that follow its path. */
export function questionProblem(deployment: string, heads: readonly PackageHead[]): string | undefined {
  return heads.some(({ kind }) => kind === "decisions")
    ? undefined
    : `"${deployment}" must answer typed questions, and its package does not; use one that does, such as decide`
}

/** The head that a binding asks, among those of its model; undefined when there is none. */
export function findHead({ head }: Pick<BoundHead, "head">, heads: readonly PackageHead[]): PackageHead | undefined {
  return head === undefined && heads.length === 1 ? heads[0] : heads.find(({ name }) => name === head)
}
