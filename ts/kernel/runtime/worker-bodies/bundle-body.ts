// The body of `POST /v1/bundle`, which a worker and the addon both take, and what its answer says.

import { isRtrError, RtrError } from "../../error.ts"
import type { TextRange } from "../../text/edited-text.ts"
import type {
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
  QuestionKind,
  TextSpan,
  TokenCounts,
} from "../../types/inference.ts"
import { rangesInCodeUnits, toCodeUnits } from "./code-units.ts"
import {
  fromBase64,
  fromDecisionsReply,
  fromRerankReply,
  readInPart,
  type Served,
  toImageBody,
  toDecisionsBody,
  toGroundedBody,
  toPublicError,
  toRerankBody,
} from "./question-bodies.ts"

export type { Served } from "./question-bodies.ts"

/** The tasks go by their places. */
export function toBundleBody(
  tasks: readonly InferenceTask[],
  servedOf: (task: InferenceTask) => Served,
  { deadlineMs, source }: Pick<InferenceOptions, "deadlineMs" | "source">,
): string {
  return JSON.stringify({
    tasks: tasks.map((task, index) => ({
      id: String(index),
      ...(wire[task.kind] as WireKind<QuestionKind>).toTask(task, servedOf(task)),
    })),
    options: {
      ...(deadlineMs !== undefined && { deadline_ms: Math.max(1, Math.round(deadlineMs)) }),
      ...(source !== undefined && { source }),
    },
  })
}

/** How each kind of question goes into a bundle, and how its answer is read. */
const wire: { readonly [Kind in QuestionKind]: WireKind<Kind> } = {
  classify: { toTask: toClassify, toAnswer: fromClassified },
  spans: { toTask: toClassify, toAnswer: fromMarked },
  embed: { toTask: toEmbeddings, toAnswer: fromEmbedded },
  decide: {
    toTask: (task, served) => ({ decisions: toDecisionsBody(task, served) }),
    toAnswer: ({ decisions }, task) => (decisions === undefined ? undefined : fromDecisionsReply(decisions, task)),
  },
  rerank: {
    toTask: (task, served) => ({ rerank: toRerankBody(task, served) }),
    toAnswer: ({ rerank }, task) => (rerank === undefined ? undefined : fromRerankReply(rerank, task)),
  },
}

interface WireKind<Kind extends QuestionKind> {
  readonly toTask: (task: InferenceTask<Kind>, served: Served) => object
  /** Undefined where the result is not of this kind; throws for one that makes no sense. */
  readonly toAnswer: (result: WireResult, task: InferenceTask<Kind>) => InferenceAnswer | undefined
}

function toClassify(task: InferenceTask<"classify" | "spans">, served: Served): object {
  if (task.kind === "spans" && task.grounds !== undefined) return { classify: toGroundedBody(task, served.model) }
  const { head, text: input } = task
  const threshold = task.kind === "spans" ? task.threshold : undefined
  return {
    classify: {
      model: served.model,
      ...(head !== undefined && { head }),
      input,
      options: { ...readingOptions(task, served), ...(threshold !== undefined && { threshold }) },
    },
  }
}

function toEmbeddings(task: InferenceTask<"embed">, served: Served): object {
  const { text, image, dimensions } = task
  if (image !== undefined) return { embeddings: toImageBody(image, served.model) }
  const options = readingOptions(task, served)
  return {
    embeddings: {
      model: served.model,
      input: [text],
      encoding_format: "base64",
      ...(dimensions !== undefined && { dimensions }),
      options,
    },
  }
}

/** The deployment's own limit is for questions that a beginning answers; a text to be read whole has the scan budget of the model. */
function readingOptions(task: InferenceTask, { overflow, maxTokens }: Served): object {
  if (task.whole === true && overflow !== "reject") return { overflow: task.kind === "embed" ? "reject" : "window" }
  return { overflow, ...(maxTokens !== undefined && { max_tokens: maxTokens }) }
}

interface WireError {
  readonly code?: unknown
}

interface WireWindow {
  readonly probabilities?: readonly number[]
  readonly scores?: readonly number[]
  readonly start?: number
  readonly end?: number
}

interface WireClassified {
  readonly probabilities?: readonly number[]
  readonly spans?: readonly TextSpan[]
  readonly windows?: readonly WireWindow[]
  readonly input?: WireInput
  readonly error?: WireError
}

interface WireResult {
  readonly id?: unknown
  readonly status: number
  readonly error?: WireError
  readonly classify?: { readonly labels: readonly string[]; readonly results: readonly WireClassified[] }
  readonly embeddings?: {
    readonly data: readonly { readonly embedding?: string; readonly input?: WireInput; readonly error?: WireError }[]
  }
  readonly decisions?: unknown
  readonly rerank?: unknown
}

interface WireInput {
  readonly truncated?: boolean
  readonly tokens?: number
  readonly special_tokens?: number
  readonly unknown_tokens?: number
}

/** An answer for each task; a reply that is none fails them all. Throws an `RtrError` for a reply that makes no sense. */
export function fromBundleReply(
  status: number,
  body: string,
  tasks: readonly InferenceTask[],
): readonly InferenceAnswer[] {
  const { results, error } = readBody(status, body)
  if (status === 200 && Array.isArray(results))
    return tasks.map((task, index) => toAnswer((results as readonly (WireResult | null)[])[index], task, index))
  const failure = status === 200 && error === undefined ? senseless() : toPublicError(error?.code)
  return tasks.map(() => ({ kind: "error", error: failure }))
}

/** A body that is no JSON may be that of a proxy: its status says what is wrong. */
function readBody(status: number, body: string): { readonly results?: unknown; readonly error?: WireError } {
  try {
    return (JSON.parse(body) ?? {}) as ReturnType<typeof readBody>
  } catch (cause) {
    if (status === 200) throw senseless(cause)
    return {}
  }
}

function toAnswer(result: WireResult | null | undefined, task: InferenceTask, index: number): InferenceAnswer {
  try {
    if (result == null || (result.id !== undefined && result.id !== String(index)))
      throw new TypeError("The answer to a question is missing")
    const answer = (wire[task.kind] as WireKind<QuestionKind>).toAnswer(result, task)
    if (answer !== undefined) return answer
    const item = result.classify?.results?.[0] ?? result.embeddings?.data?.[0]
    const error = item?.error ?? result.error
    return {
      kind: "error",
      error: error === undefined && !(result.status >= 400) ? senseless() : toPublicError(error?.code),
    }
  } catch (cause) {
    // One answer that makes no sense fails its own question only.
    return { kind: "error", error: isRtrError(cause) ? cause : senseless(cause) }
  }
}

const senseless = (cause?: unknown): RtrError =>
  new RtrError("invalid_model_output", "The model worker's answer makes no sense", { cause })

function fromClassified(
  { classify }: WireResult,
  { text, whole }: InferenceTask<"classify">,
): InferenceAnswer | undefined {
  const { labels = [] } = classify ?? {}
  const [result] = classify?.results ?? []
  if (result?.probabilities === undefined) return undefined
  const toNumbers = (values: readonly number[]): Float32Array =>
    onlyProbabilities(onlyNumbers(Float32Array.from(values, nullIsNaN), labels.length))
  const windows = result.windows?.map(({ probabilities, scores }) => toNumbers(probabilities ?? scores ?? []))
  const places = placesOf(text, result.windows)
  const probabilities = toNumbers(result.probabilities)
  return {
    kind: "classify",
    classification: { labels, probabilities, ...(windows !== undefined && { windows }), ...(places && { places }) },
    ...countsOf(result.input, whole),
  }
}

/** Undefined where a worker does not tell them all. */
function placesOf(text: string, windows: readonly WireWindow[] = []): readonly TextRange[] | undefined {
  const ranges = windows.flatMap(({ start, end }) => (start === undefined || end === undefined ? [] : [{ start, end }]))
  return ranges.length > 0 && ranges.length === windows.length ? rangesInCodeUnits(text, ranges) : undefined
}

function fromMarked({ classify }: WireResult, { text, whole }: InferenceTask<"spans">): InferenceAnswer | undefined {
  const [result] = classify?.results ?? []
  if (result?.spans === undefined) return undefined
  return { kind: "spans", spans: toCodeUnits(text, result.spans), ...countsOf(result.input, whole) }
}

function fromEmbedded({ embeddings }: WireResult, { whole }: InferenceTask<"embed">): InferenceAnswer | undefined {
  const [result] = embeddings?.data ?? []
  if (result?.embedding === undefined) return undefined
  return { kind: "embed", vector: onlyNumbers(fromBase64(result.embedding)), ...countsOf(result.input, whole) }
}

/** Nothing for a worker that does not count the words that its models do not see. One that knows no windows may cut a text that was to be read whole. */
function countsOf(
  { truncated, tokens, special_tokens: specialTokens = 0, unknown_tokens: unknownTokens }: WireInput = {},
  whole = false,
): { readonly counts?: TokenCounts } {
  if (whole && truncated === true) throw readInPart()
  if (typeof tokens !== "number" || typeof unknownTokens !== "number") return {}
  return { counts: { tokens, specialTokens, unknownTokens } }
}

/** JSON has no NaN and writes null instead, which would become 0. */
const nullIsNaN = (value: number | null): number => value ?? Number.NaN

/** Comparisons with NaN are false, so a signal would report what was never computed as no match. */
function onlyNumbers(values: Float32Array, count: number = values.length): Float32Array {
  if (values.length !== count || !values.every(Number.isFinite))
    throw new TypeError("not the numbers that were asked for")
  return values
}

/** Rounding may leave one a little above 1. */
function onlyProbabilities(values: Float32Array): Float32Array {
  if (!values.every((value) => value >= 0 && value <= 1.001)) throw new TypeError("probabilities are from 0 to 1")
  return values
}
