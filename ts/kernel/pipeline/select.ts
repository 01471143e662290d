// Asks the decision's selector for one of its candidates.

import type { Selection } from "../types/call.ts"
import type { PlannedDecision } from "../types/plan.ts"
import type { SignalInput } from "../types/signal.ts"
import type { OnModuleError } from "./signals.ts"

/** The chosen candidate, or undefined when the decision has none. A selector that fails leaves the first candidate. */
export function select(
  decision: PlannedDecision,
  input: SignalInput,
  onModuleError?: OnModuleError,
): Selection | undefined | Promise<Selection | undefined> {
  const { algorithm, candidates, selector } = decision
  if (candidates.length === 0) return undefined
  if (selector === undefined) return { candidate: 0, algorithm, confidence: 1, reason: "the only candidate" }
  return ask(decision, selector, input, onModuleError)
}

async function ask(
  { algorithm, candidates }: PlannedDecision,
  selector: NonNullable<PlannedDecision["selector"]>,
  input: SignalInput,
  onModuleError?: OnModuleError,
): Promise<Selection> {
  try {
    const choice = await selector.select(input)
    if (candidates[choice.candidate] !== undefined) return { ...choice, algorithm }
    onModuleError?.(
      `selector ${algorithm}`,
      new TypeError(`it chose candidate ${choice.candidate}, which is not there`),
      "select",
    )
    return { candidate: 0, algorithm, confidence: 0, reason: "the selector named no candidate" }
  } catch (error) {
    onModuleError?.(`selector ${algorithm}`, error, "select")
    return { candidate: 0, algorithm, confidence: 0, reason: "the selector failed" }
  }
}
