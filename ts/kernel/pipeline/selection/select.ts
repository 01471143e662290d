// Asks the decision's selector for one of its candidates.

import { isRtrError, moduleFault, type RtrError } from "../../error.ts"
import type { Call, Selection } from "../../types/call.ts"
import { reasonOf, type UnknownReason } from "../../types/fact.ts"
import type { Inference } from "../../types/inference.ts"
import type { Plan, PlannedDecision } from "../../types/plan.ts"
import type { Choice } from "../../types/selector.ts"
import type { SignalInput } from "../../types/signal.ts"
import { notLoaded, type Stages } from "../load-stages.ts"
import type { OnModuleError } from "../signals.ts"
import type { Able } from "../upstream/reliability/able.ts"
import { hasLeft, waitForModule } from "../wait-for-module.ts"

export interface SelectHost extends Pick<Stages, "askSelector">, Pick<Partial<Able>, "selectAble"> {
  readonly plan: Pick<Plan, "signalTimeoutMs">
  readonly inference: Inference | undefined
  readonly onModuleError?: OnModuleError | undefined
}

type Asking = Pick<Call, "signal" | "client">

/**
 * The chosen candidate, or undefined when the decision has none. A selector that fails, or takes longer than all signals may,
 * leaves the first candidate. Rejects with `no_model_selected` where the document says that none will do.
 */
export function select(
  decision: PlannedDecision,
  input: SignalInput,
  host: SelectHost,
  call: Asking,
): Selection | undefined | Promise<Selection | undefined> {
  const { algorithm, candidates, selector } = decision
  if (candidates.length === 0) return undefined
  const chosen = host.selectAble?.(select, decision, input, host, call)
  if (chosen !== undefined) return chosen
  if (selector === undefined) return { candidate: 0, algorithm, confidence: 1, reason: "the only candidate" }
  return ask(decision, selector, input, host, call)
}

async function ask(
  { algorithm, candidates, asking }: PlannedDecision,
  selector: NonNullable<PlannedDecision["selector"]>,
  input: SignalInput,
  { askSelector = notLoaded, inference, onModuleError, plan }: SelectHost,
  call: Asking,
): Promise<Selection> {
  const first = (reason: string, failed: UnknownReason): Selection => ({
    candidate: 0,
    algorithm,
    confidence: 0,
    reason,
    failed,
  })
  try {
    const { choice: chosen, expire } =
      asking === undefined
        ? { choice: selector.select(input, noQuestions as never), expire: undefined }
        : askSelector(selector, input, asking, { inference, call })
    const choice: Choice | undefined =
      chosen instanceof Promise
        ? await waitForModule(chosen, call.client, {
            timeoutMs: plan.signalTimeoutMs,
            missing: `Selector "${algorithm}" did not choose`,
            onLate: expire,
          })
        : chosen
    if (typeof choice !== "object" || choice === null)
      throw moduleFault(`Selector "${algorithm}" returned no choice; it must be { candidate, confidence, reason }`)
    if (candidates[choice.candidate] !== undefined) return { ...choice, algorithm }
    onModuleError?.(`selector ${algorithm}`, notThere(algorithm, choice.candidate, candidates.length), "select")
    return first("the selector named no candidate", "failed")
  } catch (error) {
    if (isRtrError(error) && (error.code === "no_model_selected" || hasLeft(call.client, error))) throw error
    onModuleError?.(`selector ${algorithm}`, error, "select")
    const failed = reasonOf(error)
    return first(`the selector failed: ${failed}`, failed)
  }
}

const noQuestions = Object.freeze({})

const notThere = (algorithm: string, candidate: unknown, count: number): RtrError =>
  moduleFault(
    `Selector "${algorithm}" chose candidate ${typeof candidate === "number" ? candidate : `of type ${typeof candidate}`}; it must be a whole number from 0 to ${count - 1}`,
  )
