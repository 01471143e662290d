// Asks several models at once, with bounds: how many at a time, how many have to answer, how long.

import { type AskedModel, type ChatReply, type ChatRequest, type LooperCall, RtrError } from "../../../kernel/index.ts"
import { saysSomething } from "./replies.ts"

export interface Question {
  readonly model: AskedModel
  readonly request: ChatRequest
}

export interface AskAllOptions<Asked extends Question = Question> {
  /** Told of each answer when it comes. */
  readonly onAnswer?: (answered: Answered<Asked>) => void
  /** All of them when left out. */
  readonly maxConcurrent?: number | undefined
  /** Usable replies after which nobody is waited for; all of them when left out. */
  readonly enough?: number | undefined
  readonly timeoutMs?: number | undefined
  /** The first failure ends all and rejects. */
  readonly failsAtOnce?: boolean
  /** What counts as an answer; text or reasoning when left out. */
  readonly isUsable?: (reply: ChatReply) => boolean
}

export interface Answered<Asked extends Question = Question> {
  readonly question: Asked
  readonly reply: ChatReply
}

export interface AllAnswers<Asked extends Question = Question> {
  /** In the order of the questions. */
  readonly answers: readonly Answered<Asked>[]
  readonly failed: readonly { readonly question: Asked; readonly error: unknown }[]
}

/**
 * Rejects when the client leaves, and when `failsAtOnce` says so. Those that were not waited for are neither answers nor
 * failures, but a round that ends by its time-out has those that were late among the failures.
 */
export async function askAll<Asked extends Question>(
  call: LooperCall,
  questions: readonly Asked[],
  options: AskAllOptions<Asked>,
): Promise<AllAnswers<Asked>> {
  const { maxConcurrent = questions.length, timeoutMs, failsAtOnce = false, isUsable = saysSomething } = options
  const enough = Math.min(options.enough ?? questions.length, questions.length)
  const found: (Answered<Asked> | undefined)[] = questions.map(() => undefined)
  const failed: { question: Asked; error: unknown }[] = []
  const round = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => round.abort(tooLate(timeoutMs)), timeoutMs)
  let next = 0
  let usable = 0
  const askOne = async (index: number): Promise<void> => {
    const question = questions[index] as Asked
    try {
      const reply = await call.ask(question.model, question.request, { signal: round.signal })
      if (!isUsable(reply)) throw new RtrError("upstream_error", `Model "${reply.model}" answered without content`)
      if (usable >= enough) return
      const answered = { question, reply }
      found[index] = answered
      options.onAnswer?.(answered)
      usable += 1
      if (usable >= enough) round.abort()
    } catch (error) {
      if (call.signal.aborted) throw error
      if (usable >= enough) return
      failed.push({ question, error })
      if (failsAtOnce) throw error
    }
  }
  const work = async (): Promise<void> => {
    while (next < questions.length && !round.signal.aborted && !call.signal.aborted) await askOne(next++)
  }
  try {
    await Promise.all(Array.from({ length: Math.max(1, Math.min(maxConcurrent, questions.length)) }, work))
  } finally {
    clearTimeout(timer)
    // Ends what is still under way when one of them failed.
    round.abort()
  }
  if (call.signal.aborted) throw new RtrError("client_closed_request", "The client left")
  return { answers: found.filter((each) => each !== undefined), failed }
}

const tooLate = (ms: number): RtrError =>
  new RtrError("upstream_timeout", `The round took longer than ${ms / 1000} seconds`)

/** The first failure, which says why a round has no answer. */
export const firstFailure = ({ failed }: AllAnswers): unknown =>
  failed[0]?.error ?? new RtrError("upstream_error", "No model answered")
