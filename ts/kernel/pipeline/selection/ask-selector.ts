// Selectors that ask models: their questions of one request, and the longest wait for a choice.

import { RtrError, secondsText } from "../../error.ts"
import type { Call } from "../../types/call.ts"
import type { BatchedQuestions, Inference } from "../../types/inference.ts"
import type { SelectorAsking } from "../../types/plan.ts"
import type { Choice, SelectorReader } from "../../types/selector.ts"
import type { SignalInput } from "../../types/signal.ts"
import { createQuestionBatch, type QuestionBatch } from "../question-batch.ts"

/** Rejects with `deadline_exceeded` when the choice takes too long; what the selector still does then changes nothing. */
export async function askSelector(
  selector: SelectorReader,
  input: SignalInput,
  { target, questions, timeoutMs }: SelectorAsking,
  { inference, call }: { readonly inference: Inference | undefined; readonly call: Pick<Call, "signal" | "client"> },
): Promise<Choice> {
  let granted: Partial<BatchedQuestions> = {}
  let batch: QuestionBatch | undefined
  if (target !== undefined && inference !== undefined) {
    const deadlineAt = performance.now() + timeoutMs
    batch = createQuestionBatch(inference, 1, { deadlineAt, call })
    const all = batch.questions(target)
    granted = Object.fromEntries(questions.map((question) => [question, all[question]]))
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // A selector may choose without the answer.
      batch?.expire()
      setTimeout(
        reject,
        0,
        new RtrError("deadline_exceeded", `The selector did not choose within ${secondsText(timeoutMs)}`),
      )
    }, timeoutMs)
  })
  try {
    return await Promise.race([selector.select(input, granted as never), late])
  } finally {
    clearTimeout(timer)
  }
}
