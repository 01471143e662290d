// The calls of one request to models: few at a time, and none that nobody waits for or that would come too late.

import { RtrError } from "../error.ts"
import type { Call } from "../types/call.ts"
import type { Inference, InferenceAnswer, InferenceOptions, InferenceTask } from "../types/inference.ts"

/** Enough texts at a time that those of like length share forwards; more would only fill a worker's queue. */
const maxConcurrentCalls = 4

/** Calls whose time tells what the others will take. */
const callsThatTell = 4

/** How many times longer than there is time the rest must seem to take until it is given up: the guess is a rough one. */
const doubt = 1.5

export interface CallLineOptions {
  /** `performance.now()` at which nobody waits for an answer any more. */
  readonly deadlineAt: number
  readonly call: Pick<Call, "signal" | "client">
}

/** Tasks of one call, and who waits for the answers. */
export interface LinedCall {
  readonly tasks: readonly InferenceTask[]
  readonly resolve: (answers: readonly InferenceAnswer[]) => void
  readonly reject: (error: unknown) => void
}

export interface CallLine {
  add(calls: readonly LinedCall[]): void
  /** Throws when nobody waits for answers any more. */
  remaining(): InferenceOptions
}

/**
 * Once a call is refused because of overload, or the rest cannot be answered in time, the rest is not sent: the worker has
 * no use for it, and the request learns of it early.
 */
export function createCallLine(inference: Inference, { deadlineAt, call }: CallLineOptions): CallLine {
  const waiting: LinedCall[] = []
  let [running, answered, startedAt] = [0, 0, 0]
  let source: string | undefined

  const remaining = (): InferenceOptions => {
    const deadlineMs = deadlineAt - performance.now()
    if (call.client.aborted || deadlineMs <= 0)
      throw new RtrError("deadline_exceeded", "Cannot ask the model: the time for signals is over")
    return { deadlineMs, signal: call.signal, ...(source !== undefined && { source }) }
  }

  const start = (): void => {
    while (running < maxConcurrentCalls) {
      const next = waiting.shift()
      if (next === undefined) return
      running += 1
      void send(next).finally(() => {
        running -= 1
        start()
      })
    }
  }

  const send = async ({ tasks, resolve, reject }: LinedCall): Promise<void> => {
    try {
      const answers = await inference.bundle(tasks, remaining())
      answered += 1
      resolve(answers)
      const refusal = waiting.length === 0 ? undefined : (overloadIn(answers) ?? whyTooLate())
      if (refusal !== undefined) for (const given of waiting.splice(0)) given.reject(refusal)
    } catch (error) {
      reject(error)
    }
  }

  /** Undefined while the rest may still be answered in time. */
  const whyTooLate = (): RtrError | undefined => {
    if (answered < callsThatTell) return undefined
    const now = performance.now()
    const restMs = (waiting.length * (now - startedAt)) / answered
    if (restMs <= (deadlineAt - now) * doubt) return undefined
    return new RtrError("overloaded", "Cannot ask the model about the rest of the texts: it would answer too late")
  }

  return {
    add(calls) {
      if (startedAt === 0) startedAt = performance.now()
      // A request of one call stands for itself.
      if (calls.length > 1) source ??= nextSource()
      waiting.push(...calls)
      start()
    },
    remaining,
  }
}

const overloadIn = (answers: readonly InferenceAnswer[]): RtrError | undefined => {
  for (const answer of answers) if (answer.kind === "error" && answer.error.code === "overloaded") return answer.error
  return undefined
}

// Several routers may ask one worker. Made on first use: some hosts have no random numbers before the first request.
let routerId: string | undefined
let sources = 0

const nextSource = (): string => `${(routerId ??= crypto.randomUUID())}-${(sources += 1)}`
