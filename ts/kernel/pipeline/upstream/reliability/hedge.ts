// A second attempt beside one that takes long: the first good one is the answer, the other is cancelled.

import { type AttemptOutcome } from "./failure.ts"

export interface RunningAttempt {
  /** Never rejects. */
  readonly outcome: Promise<AttemptOutcome>
  /** Another attempt has answered. */
  cancel(): void
}

/** `second` may refuse by giving undefined; `isFinal` says whether an outcome is the answer while another attempt runs. */
export async function hedge(
  first: RunningAttempt,
  delayMs: number,
  second: () => RunningAttempt | undefined,
  isFinal: (outcome: AttemptOutcome) => boolean,
): Promise<AttemptOutcome> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), delayMs)
  })
  const early = await Promise.race([first.outcome, late])
  clearTimeout(timer)
  if (early !== undefined) return early
  const other = second()
  return other === undefined ? first.outcome : firstFinal([first, other], isFinal)
}

/** The first outcome that is final, or the last one. */
function firstFinal(
  attempts: readonly RunningAttempt[],
  isFinal: (outcome: AttemptOutcome) => boolean,
): Promise<AttemptOutcome> {
  let left = attempts.length
  let answered = false
  return new Promise((resolve) => {
    const watch = async (attempt: RunningAttempt): Promise<void> => {
      const outcome = await attempt.outcome
      left -= 1
      // One that ends at the same moment has a reply that nobody reads.
      if (answered || (left > 0 && !isFinal(outcome))) return discard(outcome)
      answered = true
      for (const loser of attempts) if (loser !== attempt) loser.cancel()
      resolve(outcome)
    }
    for (const attempt of attempts) void watch(attempt)
  })
}

function discard(outcome: AttemptOutcome): void {
  if ("reply" in outcome && outcome.reply.kind === "stream") outcome.reply.stream.cancel()
}
