// Selectors that ask models: their questions of one request.

import type { Call } from "../../types/call.ts"
import type { BatchedQuestions, Inference } from "../../types/inference.ts"
import type { MaybePromise } from "../../types/module-base.ts"
import type { SelectorAsking } from "../../types/plan.ts"
import type { Choice, SelectorReader } from "../../types/selector.ts"
import type { SignalInput } from "../../types/signal.ts"
import { createQuestionBatch } from "../question-batch.ts"

export interface AskedSelector {
  readonly choice: MaybePromise<Choice>
  /** Ends the questions that have no answer; the selector may choose without them. */
  readonly expire: () => void
}

export function askSelector(
  selector: SelectorReader,
  input: SignalInput,
  { target, questions, timeoutMs }: SelectorAsking,
  { inference, call }: { readonly inference: Inference | undefined; readonly call: Pick<Call, "signal" | "client"> },
): AskedSelector {
  if (target === undefined || inference === undefined)
    return { choice: selector.select(input, {} as never), expire: () => {} }
  const batch = createQuestionBatch(inference, 1, { deadlineAt: performance.now() + timeoutMs, call })
  const all = batch.questions(target)
  const granted: Partial<BatchedQuestions> = Object.fromEntries(questions.map((question) => [question, all[question]]))
  return { choice: selector.select(input, granted as never), expire: batch.expire }
}
