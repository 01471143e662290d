// Asks the decision's selector for one of its candidates.

import type { Selection, SignalInput } from "../types/call.ts"
import type { PlannedDecision } from "../types/plan.ts"
import type { OnFault } from "./signals.ts"

/** The chosen candidate, or undefined when the decision has none. A selector that fails leaves the first candidate. */
export async function select(
  decision: PlannedDecision,
  input: SignalInput,
  onFault?: OnFault,
): Promise<Selection | undefined> {
  const { algorithm, candidates } = decision
  if (candidates.length === 0) return undefined
  if (candidates.length === 1 || decision.select === undefined)
    return { candidate: 0, algorithm, confidence: 1, reason: "the only candidate" }
  try {
    const choice = await decision.select(input)
    if (candidates[choice.candidate] === undefined)
      return { candidate: 0, algorithm, confidence: 0, reason: "the selector named no candidate" }
    return { ...choice, algorithm }
  } catch (error) {
    onFault?.(`selector ${algorithm}`, error)
    return { candidate: 0, algorithm, confidence: 0, reason: "the selector failed" }
  }
}
