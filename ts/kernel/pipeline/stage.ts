// Collects the model questions of one request and sends them as one call.

import { RtrError } from "../error.ts"
import type { Inference, InferenceAnswer, InferenceTask } from "../types/inference.ts"
import type { Ask, InferenceTarget } from "../types/plan.ts"

/** Longest wait for a second asker once one has asked; the common case does not wait at all. */
const coalesceMs = 2

export interface Stage {
  /** The asking functions for one signal. */
  asker(target: InferenceTarget): Ask
  /** Says that one signal will ask nothing more. */
  finished(): void
}

/**
 * `askers` is the number of signals that may ask. The call leaves when each of them has asked or finished,
 * so that questions about one text share a forward; a signal that dawdles delays the others by `coalesceMs` at most.
 */
export function createStage(
  inference: Inference,
  askers: number,
  options: { deadlineMs: number; signal: AbortSignal },
): Stage {
  let active = askers
  let asked = 0
  let tasks: InferenceTask[] = []
  let replies: { resolve: (answer: InferenceAnswer) => void; reject: (error: unknown) => void }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (tasks.length === 0) return
    const [batch, waiting] = [tasks, replies]
    ;[tasks, replies, asked] = [[], [], 0]
    inference.bundle(batch, options).then(
      (answers) =>
        waiting.forEach(({ resolve, reject }, index) =>
          answers[index] === undefined ? reject(missing()) : resolve(answers[index]),
        ),
      (error: unknown) => waiting.forEach(({ reject }) => reject(error)),
    )
  }

  const submit = (task: InferenceTask): Promise<InferenceAnswer> => {
    const reply = new Promise<InferenceAnswer>((resolve, reject) => replies.push({ resolve, reject }))
    tasks.push(task)
    asked += 1
    if (asked >= active) send()
    else timer ??= setTimeout(send, coalesceMs)
    return reply
  }

  return {
    asker: ({ deployment, head }) => ({
      classify: async (text) => {
        const answer = await submit({ kind: "classify", deployment, text, ...(head !== undefined && { head }) })
        if (answer.kind === "classify") return answer.classification
        throw answer.kind === "error" ? answer.error : missing()
      },
      embed: async (text) => {
        const answer = await submit({ kind: "embed", deployment, text })
        if (answer.kind === "embed") return answer.vector
        throw answer.kind === "error" ? answer.error : missing()
      },
    }),
    finished: () => {
      active -= 1
      if (asked > 0 && asked >= active) send()
    },
  }
}

const missing = (): RtrError =>
  new RtrError("internal_error", "Cannot read the worker's answer: it is missing or of another kind than the question")
