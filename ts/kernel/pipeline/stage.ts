// Collects the model questions of one request and sends them as one call.

import { RtrError } from "../error.ts"
import {
  type Inference,
  type InferenceAnswer,
  type InferenceOptions,
  type InferenceTask,
  mostCharacters,
  mostTasks,
} from "../types/inference.ts"
import type { Ask, InferenceTarget } from "../types/plan.ts"
import { type ReadableText, toReadableText } from "./readable-text.ts"
import { askMostly, askWhole, unreadOf } from "./unread-words.ts"

/** Calls of one request that run together. A long history makes hundreds, which would fill a worker's queue for everybody. */
const mostCallsAtOnce = 8

/** Longest wait for a second asker once one has asked; the common case does not wait at all. */
const coalesceMs = 2

type AskedKind = Exclude<InferenceAnswer["kind"], "error">
type AnswerOf<Kind> = Extract<InferenceAnswer, { readonly kind: Kind }>

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
  // Who has asked since the last call; one signal may ask several questions.
  let asked = new Set<object>()
  let tasks: InferenceTask[] = []
  let replies: { resolve: (answer: InferenceAnswer) => void; reject: (error: unknown) => void }[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const startedAt = performance.now()
  const calls: (() => Promise<void>)[] = []
  let running = 0

  const startCalls = (): void => {
    while (running < mostCallsAtOnce) {
      const call = calls.shift()
      if (call === undefined) return
      running += 1
      void call().finally(() => {
        running -= 1
        startCalls()
      })
    }
  }

  /** Options of a call that may have waited for others. Throws when nobody waits for its answers any more. */
  const remaining = (): InferenceOptions => {
    const deadlineMs = options.deadlineMs - (performance.now() - startedAt)
    if (options.signal.aborted || deadlineMs <= 0)
      throw new RtrError("deadline_exceeded", "Cannot ask the model: the time for signals is over")
    return { ...options, deadlineMs }
  }

  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (tasks.length === 0) return
    const [batch, waiting] = [tasks, replies]
    ;[tasks, replies, asked] = [[], [], new Set()]
    // Several calls where signals ask about many or long texts: one that is too large would be refused for every signal.
    let start = 0
    for (const end of endsOfCalls(batch)) {
      const [part, asking] = [waiting.slice(start, end), batch.slice(start, end)]
      start = end
      calls.push(async () => {
        try {
          const answers = await inference.bundle(asking, remaining())
          part.forEach(({ resolve, reject }, index) =>
            answers[index] === undefined ? reject(missing()) : resolve(answers[index]),
          )
        } catch (error) {
          part.forEach(({ reject }) => reject(error))
        }
      })
    }
    startCalls()
  }

  /** Several guards read the same text, and a long one in other signs than ASCII takes milliseconds. */
  const readable = new Map<string, ReadableText>()
  const toReadable = (text: string): ReadableText => {
    const made = readable.get(text) ?? toReadableText(text)
    readable.set(text, made)
    return made
  }

  const submit = (asker: object, task: InferenceTask): Promise<InferenceAnswer> => {
    const reply = new Promise<InferenceAnswer>((resolve, reject) => replies.push({ resolve, reject }))
    tasks.push(task)
    asked.add(asker)
    // In a microtask, so that all questions that the last signal asks at once are in the call.
    if (asked.size >= active) queueMicrotask(send)
    else timer ??= setTimeout(send, coalesceMs)
    return reply
  }

  return {
    asker({ deployment, head, whole, vectors = deployment }) {
      const asker = {}
      const settings = { deployment, ...(head !== undefined && { head }), ...(whole && { whole }) }
      const ask = <Kind extends AskedKind>(kind: Kind, text: string, taskOf: (read: string) => InferenceTask) =>
        (whole ? askWhole : askMostly)(
          text,
          async (read) => {
            const answer = await submit(asker, taskOf(read))
            if (answer.kind === kind) return answer as AnswerOf<Kind>
            throw answer.kind === "error" ? answer.error : missing()
          },
          toReadable,
        )
      return {
        classify: (text) =>
          mayBeLeft(
            ask("classify", text, (read) => ({ kind: "classify", text: read, ...settings })).then(
              ({ answer, ...partly }) => ({ ...answer.classification, ...unreadOf(partly) }),
            ),
          ),
        spans(text, { threshold } = {}) {
          const given = { ...settings, ...(threshold !== undefined && { threshold }) }
          return mayBeLeft(
            ask("spans", text, (read) => ({ kind: "spans", text: read, ...given })).then(
              ({ answer, placeOf, ...partly }) =>
                Object.assign(
                  answer.spans.map((span) => ({ ...span, ...placeOf(span) })),
                  unreadOf(partly),
                ),
            ),
          )
        },
        embed(text) {
          const given = { deployment: vectors, ...(whole && { whole }) }
          return mayBeLeft(
            ask("embed", text, (read) => ({ kind: "embed", text: read, ...given })).then(({ answer, ...partly }) =>
              Object.assign(answer.vector, unreadOf(partly)),
            ),
          )
        },
      }
    },
    finished: () => {
      active -= 1
      if (asked.size > 0 && asked.size >= active) send()
    },
  }
}

/** Where each call ends. A text that is too long for any call has one to itself. */
function endsOfCalls(tasks: readonly InferenceTask[]): readonly number[] {
  const ends: number[] = []
  let [start, characters] = [0, 0]
  for (const [index, { text }] of tasks.entries()) {
    if (index > start && (index - start === mostTasks || characters + text.length > mostCharacters)) {
      ends.push(index)
      ;[start, characters] = [index, 0]
    }
    characters += text.length
  }
  return [...ends, tasks.length]
}

/** A signal that asks twice and fails at the first answer leaves the second; a rejection that nobody awaits would end the process. */
function mayBeLeft<Answer>(answer: Promise<Answer>): Promise<Answer> {
  answer.catch(() => {})
  return answer
}

const missing = (): RtrError =>
  new RtrError("internal_error", "Cannot read the worker's answer: it is missing or of another kind than the question")
