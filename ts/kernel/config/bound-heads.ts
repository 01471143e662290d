// Whether the model of a binding has the head that the binding asks.

import { type Registry, signalConditionType } from "../modules/registry.ts"
import { usedConditionTypes } from "./compile-signals.ts"
import { bindingsOf, findBinding, usedBindings } from "./consumers.ts"
import { oneOf, suggestion } from "../schema/problem.ts"
import type { ConfigDocument } from "./schema/document.ts"

/** One classifier of a package, as `rtrun.json` and the worker's model list tell it. */
export interface PackageHead {
  readonly name: string
  readonly kind: "sequence" | "scores" | "token"
  readonly labels: readonly string[]
}

/** A head that a binding asks; without a name it is the only one of its model. */
export interface BoundHead {
  readonly binding: string
  readonly deployment: string
  readonly head: string | undefined
  readonly answers: "classes" | "spans"
}

/** Heads that the document's bindings ask, and those of the product's own bindings that signals in use ask. */
export function boundHeads(document: ConfigDocument, registry: Registry): readonly BoundHead[] {
  const named = document.global?.model_catalog?.bindings ?? {}
  const used = usedConditionTypes(document)
  return registry.all("signal").flatMap((registered): readonly BoundHead[] => {
    const { reading } = bindingsOf(registered)
    if (reading === undefined) return []
    const isUsed =
      used.has(signalConditionType(registered.id, registered.module)) &&
      usedBindings(registered, document).reading !== undefined
    const binding = isUsed || Object.hasOwn(named, reading) ? findBinding(reading, document) : undefined
    if (binding === undefined) return []
    const needs = registered.module.needs ?? []
    // A signal that wants both gets neither wrongly refused: its model answers one of the two questions.
    if (needs.includes("inference.spans") && needs.includes("inference.classify")) return []
    const answers = needs.includes("inference.spans") ? "spans" : "classes"
    return [{ binding: reading, deployment: binding.deployment, head: binding.head, answers }]
  })
}

/** What is wrong with a bound head, in words that follow its path; undefined when the model has it. */
export function headProblem(
  { head, answers, deployment }: BoundHead,
  heads: readonly PackageHead[],
): string | undefined {
  const fits = ({ kind }: PackageHead): boolean => (kind === "token") === (answers === "spans")
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

/** The head that a binding asks, among those of its model; undefined when there is none. */
export function findHead({ head }: Pick<BoundHead, "head">, heads: readonly PackageHead[]): PackageHead | undefined {
  return head === undefined && heads.length === 1 ? heads[0] : heads.find(({ name }) => name === head)
}
