// Whether the model of a binding can answer what the binding asks: with a head of that name, or typed questions.

import { oneOf, suggestion } from "../schema/problem.ts"

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
  /** It stands in `routing.model_bindings`. */
  readonly ofRouting?: boolean
}

/** What is wrong with a bound head, in words that follow its path; undefined when the model has it. */
export function headProblem(
  { head, answers, deployment }: BoundHead,
  heads: readonly PackageHead[],
): string | undefined {
  if (answers === "decisions") return questionProblem(deployment, heads)
  const fits = ({ kind }: PackageHead): boolean => kind !== "decisions" && (kind === "token") === (answers === "spans")
  const found = head === undefined ? heads : heads.filter(({ name }) => name === head)
  const [only] = found
  if (found.length === 1 && only !== undefined && fits(only)) return undefined
  const fitting = heads.filter(fits).map(({ name }) => name)
  const wanted = `a head of deployment "${deployment}" that answers with ${answers}`
  const there = fitting.length === 0 ? "there is none" : `there is ${oneOf(fitting)}`
  return head === undefined
    ? `is missing; it must name ${wanted}: ${there}`
    : `"${head}" is not ${wanted}: ${there}${suggestion(head, fitting)}`
}

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
