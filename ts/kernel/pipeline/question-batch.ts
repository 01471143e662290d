// Collects the model questions of one request and sends them as one call.

import { RtrError } from "../error.ts"
import { askMostly, askWhole } from "../text/coverage.ts"
import type { NormalizedText } from "../text/edited-text.ts"
import { normalizeForModel } from "../text/normalize.ts"
import {
  type BatchedQuestions,
  type BoundTo,
  type Inference,
  type InferenceAnswer,
  type InferenceTask,
  maxCharacters,
  maxTasks,
  type QuestionKind,
  type QuestionKinds,
  type TokenCounts,
} from "../types/inference.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { InferenceTarget } from "../types/plan.ts"
import { type CallLineOptions, createCallLine, type LinedCall } from "./call-line.ts"

/** Longest wait for a second signal once one has asked; the common case does not wait at all. */
const coalesceMs = 2

export interface QuestionBatch {
  /** The questions of one signal. */
  questions(target: InferenceTarget): BatchedQuestions
  /** Says that one signal will ask nothing more. */
  finished(): void
  /** Says that the time is over: what is not answered never will be. Signals may still say what they know without. */
  expire(): void
}

/**
 * `signals` is the number of signals that may ask. The call leaves when each of them has asked or finished,
 * so that questions about one text share a forward; a slow signal delays the others by `coalesceMs` at most.
 */
export function createQuestionBatch(inference: Inference, signals: number, waiting: CallLineOptions): QuestionBatch {
  let active = signals
  // Who has asked since the last call; one signal may ask several questions.
  let asked = new Set<object>()
  let tasks: InferenceTask[] = []
  let replies: Reply[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const line = createCallLine(inference, waiting)
  const open: Reply[] = []

  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (tasks.length === 0) return
    const asking = togetherByText(tasks.map((task, index) => ({ task, reply: replies[index] as Reply })))
    ;[tasks, replies, asked] = [[], [], new Set()]
    // Several calls where signals ask about many or long texts: one that is too large would be refused for every signal.
    let start = 0
    const calls = endsOfCalls(asking).map((end): LinedCall => {
      const part = asking.slice(start, end)
      start = end
      return {
        tasks: part.map(({ task }) => task),
        resolve: (answers) =>
          part.forEach(({ reply }, index) =>
            answers[index] === undefined ? reply.reject(missing()) : reply.resolve(answers[index]),
          ),
        reject: (error) => part.forEach(({ reply }) => reply.reject(error)),
      }
    })
    line.add(calls)
  }

  /** Several guards read the same text. A long one takes milliseconds, in slices, as long as somebody waits for them. */
  const normalized = new Map<string, MaybePromise<NormalizedText>>()
  const normalize = (text: string): MaybePromise<NormalizedText> => {
    const made = normalized.get(text) ?? normalizeForModel(text, line.remaining)
    normalized.set(text, made)
    return made
  }

  const submit = (asker: object, task: InferenceTask): Promise<InferenceAnswer> => {
    const reply = new Promise<InferenceAnswer>((resolve, reject) => {
      replies.push({ resolve, reject })
      open.push({ resolve, reject })
    })
    tasks.push(task)
    asked.add(asker)
    // In a microtask, so that all questions that the last signal asks at once are in the call.
    if (asked.size >= active) queueMicrotask(send)
    else timer ??= setTimeout(send, coalesceMs)
    return reply
  }

  const asker = (target: InferenceTarget, identity: object): Asker => {
    const askCovered: typeof askWhole = target.whole ? askWhole : askMostly
    return (kind, text, given) => {
      const { toTask, toValue } = questionKinds[kind]
      const answered = askCovered(
        text,
        async (read) => {
          const task = { kind, ...toTask(target, given), text: read, ...(target.whole && { whole: true }) }
          const answer = await submit(identity, task as unknown as InferenceTask)
          if (answer.kind === kind) return answer as unknown as AnswerOf<typeof kind>
          throw answer.kind === "error" ? answer.error : missing()
        },
        normalize,
      ).then(({ answer, sourceSpan, truncated }) =>
        Object.assign(toValue(answer, sourceSpan), truncated === undefined ? undefined : { truncated }),
      )
      // A signal that asks twice and fails at the first answer leaves the second; a rejection that nobody awaits would end the process.
      answered.catch(() => {})
      return answered as never
    }
  }

  /** An image has no words that a model could not see. */
  const embedImage = (
    { deployment, vectors = deployment }: InferenceTarget,
    identity: object,
    image: string,
  ): Promise<Float32Array> => {
    const embedded = submit(identity, { kind: "embed", deployment: vectors, text: "", image }).then((answer) => {
      if (answer.kind === "embed") return answer.vector
      throw answer.kind === "error" ? answer.error : missing()
    })
    embedded.catch(() => {})
    return embedded
  }

  return {
    questions(target) {
      const identity = {}
      const ask = asker(target, identity)
      const askBound = ({ binding }: BoundTo = {}): Asker =>
        binding === undefined ? ask : asker({ ...target, ...target.bound?.get(binding) }, identity)
      return {
        classify: (text, options) => askBound(options)("classify", text, {}),
        spans: (text, options = {}) => ask("spans", text, options),
        embed: (input) =>
          typeof input === "string" ? ask("embed", input, {}) : embedImage(target, identity, input.image),
        decide: (text, question, options) => askBound(options)("decide", text, { question }),
        rerank: (query, documents) => ask("rerank", query, { documents }),
      }
    },
    finished: () => {
      active -= 1
      if (asked.size > 0 && asked.size >= active) send()
    },
    expire() {
      const late = new RtrError("deadline_exceeded", "The model did not answer in time")
      for (const { reject } of open.splice(0)) reject(late)
    },
  }
}

interface Reply {
  readonly resolve: (answer: InferenceAnswer) => void
  readonly reject: (error: unknown) => void
}

interface Asking {
  readonly task: InferenceTask
  readonly reply: Reply
}

type Given<Kind extends QuestionKind> = Omit<QuestionKinds[Kind]["task"], "head" | "whole">
type AnswerOf<Kind extends QuestionKind> = QuestionKinds[Kind]["answer"] & { readonly counts?: TokenCounts }
type Asker = <Kind extends QuestionKind>(
  kind: Kind,
  text: string,
  given: Given<Kind>,
) => ReturnType<BatchedQuestions[Kind]>

interface QuestionRow<Kind extends QuestionKind> {
  /** Everything of the task but its kind, its text and whether that is read whole. */
  readonly toTask: (target: InferenceTarget, given: Given<Kind>) => object
  /** What the signal gets; spans are those of its text. */
  readonly toValue: (answer: AnswerOf<Kind>, sourceSpan: NormalizedText["sourceSpan"]) => object
}

const headed = ({ deployment, head }: InferenceTarget, given: object): object => ({
  deployment,
  ...(head !== undefined && { head }),
  ...given,
})

/** How each kind of question becomes a task, and its answer a value. */
const questionKinds: { readonly [Kind in QuestionKind]: QuestionRow<Kind> } = {
  classify: { toTask: headed, toValue: ({ classification }) => ({ ...classification }) },
  spans: {
    toTask: (target, { threshold, grounds }) =>
      headed(target, { ...(threshold !== undefined && { threshold }), ...(grounds && { grounds }) }),
    toValue: ({ spans }, sourceSpan) => spans.map((span) => ({ ...span, ...sourceSpan(span) })),
  },
  embed: {
    toTask: ({ deployment, vectors = deployment }) => ({ deployment: vectors }),
    toValue: ({ vector }) => vector,
  },
  decide: {
    toTask: ({ deployment }, { question }) => ({ deployment, question }),
    toValue: ({ decided }, sourceSpan) =>
      decided.type === "span"
        ? { ...decided, spans: decided.spans.map((span) => ({ ...span, ...sourceSpan(span) })) }
        : { ...decided },
  },
  rerank: {
    toTask: ({ deployment }, { documents }) => ({ deployment, documents }),
    toValue: ({ ranking }) => ({ ...ranking }),
  },
}

/** Questions of several signals about one text stand next to each other: in one call, a worker reads it once for all of them. */
function togetherByText(asking: readonly Asking[]): readonly Asking[] {
  return asking.length <= maxTasks ? asking : [...Map.groupBy(asking, ({ task }) => task.text).values()].flat()
}

/** Where each call ends. A task that is too long for any call has one to itself, and one for a service, which others do not wait for. */
function endsOfCalls(asking: readonly Asking[]): readonly number[] {
  const ends: number[] = []
  let [start, characters] = [0, 0]
  for (const [index, { task }] of asking.entries()) {
    const size = sizeOf(task)
    const isFull = index - start === maxTasks || characters + size > maxCharacters
    if (index > start && (isFull || isAlone(task) || isAlone(asking[index - 1]?.task))) {
      ends.push(index)
      ;[start, characters] = [index, 0]
    }
    characters += size
  }
  return [...ends, asking.length]
}

/** Only what stands for a service has a colon in its name. */
const isAlone = (task: InferenceTask | undefined): boolean => task?.deployment.includes(":") === true

function sizeOf(task: InferenceTask): number {
  const documents = task.kind === "rerank" ? task.documents : []
  const image = (task.kind === "embed" && task.image) || ""
  const { context = "", question = "" } = (task.kind === "spans" && task.grounds) || {}
  const beside = image.length + context.length + question.length
  return documents.reduce((sum, { length }) => sum + length, task.text.length + beside)
}

const missing = (): RtrError =>
  new RtrError("internal_error", "Cannot read the worker's answer: it is missing or of another kind than the question")
