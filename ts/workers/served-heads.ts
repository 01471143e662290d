// Whether a model has the heads that a lease's bindings name. A call for a missing head gets no answer, which would turn a
// guard off silently.

import { headProblem, type NeededDeployment } from "../kernel/runtime/node.ts"
import type { ModelState } from "./worker.ts"

/** The state of a deployment's model; one that is ready and lacks a bound head is failed, with the reason. */
export function withBoundHeads(state: ModelState, { heads: bound = [] }: NeededDeployment): ModelState {
  const { status, heads } = state
  if (status !== "ready" || heads === undefined) return state
  const problems = bound.flatMap((each) => {
    const problem = headProblem(each, heads)
    return problem === undefined
      ? []
      : [
          `${each.ofRouting === true ? "routing.model_bindings" : "global.model_catalog.bindings"}.${each.binding}.head: ${problem}`,
        ]
  })
  return problems.length === 0 ? state : { status: "failed", reason: problems.join("; ") }
}
