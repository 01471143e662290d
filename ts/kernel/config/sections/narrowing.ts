// A decision with some of its candidates only, for requests that the others cannot take. Each is made when the first such
// request comes, and kept.

import { RtrError } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import type { Problem, reportInto } from "../../schema/problem.ts"
import type { PlannedCandidate, PlannedDecision } from "../../types/plan.ts"
import type { CompileContext } from "../compile.ts"
import type { compileAlgorithm } from "./algorithms.ts"
import type { DecisionEntry } from "./decisions.ts"

/** What the kernel has loaded already; importing it here would make a chunk of its own of it. */
export interface NarrowingTools {
  readonly compileAlgorithm: typeof compileAlgorithm
  readonly reportInto: typeof reportInto
}

export type Narrow = (decision: PlannedDecision, able: readonly number[]) => Promise<PlannedDecision>

export function createNarrow(context: CompileContext, { compileAlgorithm, reportInto }: NarrowingTools): Narrow {
  const entries = context.document.routing?.decisions ?? []
  const kept = new Map<string, Promise<PlannedDecision>>()

  const narrow = async (decision: PlannedDecision, able: readonly number[]): Promise<PlannedDecision> => {
    const index = entries.findIndex(({ name }) => name === decision.name)
    const entry = entries[index]
    const candidates = able.map((position) => decision.candidates[position] as PlannedCandidate)
    const first: PlannedDecision = { ...decision, candidates, selector: undefined, asking: undefined }
    // The destination of an action is chosen where it can be.
    if (entry === undefined || (decision.overridesModel === true && able[0] === 0)) return first
    if (decision.looper !== undefined && !runsWith(entry, candidates, context.registry, reportInto)) return decision
    const { name, algorithm } = entry
    try {
      const chosen = await compileAlgorithm(
        {
          decision: context.keyOf?.(name) ?? name,
          algorithm,
          candidates,
          path: ["routing", "decisions", index, "algorithm"],
          entry,
        },
        context,
      )
      return { ...first, ...chosen }
    } catch (error) {
      context.services.log("warning", "selector_not_narrowed", {
        decision: name,
        reason: error instanceof RtrError ? error.code : "internal_error",
      })
      return first
    }
  }

  return (decision, able) => {
    const key = `${decision.name}\0${able.join()}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const narrowed = narrow(decision, able)
    kept.set(key, narrowed)
    return narrowed
  }
}

/** Whether a looper can do without the others: its block may name them. */
function runsWith(
  { algorithm, modelRefs = [] }: DecisionEntry,
  candidates: readonly PlannedCandidate[],
  registry: Registry,
  report: typeof reportInto,
): boolean {
  const looper = registry.find("looper", algorithm?.type ?? "")?.module
  const names = candidates.map(({ model }) => model)
  const problems: Problem[] = []
  looper?.check?.((algorithm?.[algorithm.type] ?? {}) as never, report(problems, []), {
    candidates: names,
    models: new Set(names),
    modelRefs,
  } as never)
  return problems.every(({ severity }) => severity === "warning")
}
