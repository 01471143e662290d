// Bodies of questions that are more than a text and a head, which bundles hold, and what their answers say.

import { type ErrorCode, errorCodes, RtrError } from "../../error.ts"
import type { Decided, InferenceAnswer, InferenceTask, TextSpan } from "../../types/inference.ts"
import { toCodeUnits } from "./code-units.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** Where a task goes: the model's name there, and what happens to texts over its limit. */
export interface Served {
  readonly model: string
  readonly overflow: "truncate" | "reject"
  readonly maxTokens?: number | undefined
}

/** The one question of a body. */
const id = "q"

/** Questions know no `reject`: a text over the scan budget of `window` is an error. */
export const toDecisionsBody = (task: InferenceTask<"decide">, { model, overflow }: Served): JsonObject => ({
  model,
  state: task.text,
  questions: { [id]: task.question },
  options: { overflow: task.whole === true || overflow === "reject" ? "window" : "truncate" },
})

export const toRerankBody = (task: InferenceTask<"rerank">, { model, overflow, maxTokens }: Served): JsonObject => ({
  model,
  query: task.text,
  documents: task.documents,
  options: {
    overflow: task.whole === true ? "reject" : overflow,
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  },
})

export const toGroundedBody = (
  { text: answer, grounds, head, threshold }: InferenceTask<"spans">,
  model: string,
): JsonObject => ({
  model,
  ...(head !== undefined && { head }),
  input: [{ ...grounds, answer }],
  options: { overflow: "window", ...(threshold !== undefined && { threshold }) },
})

export const toImageBody = (url: string, model: string): JsonObject => ({
  model,
  input: [{ type: "image_url", image_url: { url } }],
  encoding_format: "base64",
})

/** Little-endian 32-bit floats. */
export function fromBase64(text: string): Float32Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return new Float32Array(bytes.buffer)
}

interface WireError {
  readonly code?: unknown
}

interface DecisionsReply {
  readonly answers?: Readonly<Record<string, JsonObject>>
  readonly sets?: Readonly<Record<string, JsonObject>>
  readonly spans?: Readonly<Record<string, readonly TextSpan[]>>
  readonly usage?: { readonly tokens_lower_bound?: boolean }
}

/** The answer to the one question of a body. Throws an `RtrError`. */
export function fromDecisionsReply(reply: unknown, task: InferenceTask<"decide">): InferenceAnswer<"decide"> {
  return making(() => {
    const { answers = {}, sets, spans, usage } = reply as DecisionsReply
    const answer = answers[id]
    if (answer?.["error"] !== undefined) throw toPublicError(answer["error"])
    if (task.whole === true && usage?.tokens_lower_bound === true) throw readInPart()
    return { kind: "decide", decided: toDecided(task, answer ?? {}, sets?.[id] ?? {}, spans?.[id] ?? []) }
  })
}

function toDecided(
  { question, text }: InferenceTask<"decide">,
  answer: JsonObject,
  set: JsonObject,
  spans: readonly TextSpan[],
): Decided {
  switch (question.type) {
    case "choice": {
      const { choice } = answer
      if (typeof choice !== "string") throw new TypeError("A choice needs an option")
      return {
        type: "choice",
        choice,
        probabilities: toProbabilities(answer["probabilities"]),
        confidence: toProbability(answer["confidence"]),
        ...toAbstention(answer),
      }
    }
    case "noul":
      return { type: "noul", noul: toProbability(answer["noul"]), ...toAbstention(answer) }
    case "score":
      return {
        type: "score",
        score: toNumber(answer["score"]),
        probabilities: toProbabilities(answer["probabilities"]),
        confidence: toProbability(answer["confidence"]),
        ...toAbstention(answer),
      }
    case "set": {
      const { selected } = set
      if (!Array.isArray(selected)) throw new TypeError("A set needs its labels")
      return { type: "set", selected: selected.map(String), probabilities: toProbabilities(set["probabilities"]) }
    }
    case "span":
      return { type: "span", noul: toProbability(answer["noul"]), spans: toCodeUnits(text, spans) }
  }
}

/** Models without it leave it out. */
const toAbstention = ({ abstain_probability: abstain }: JsonObject): { readonly abstainProbability?: number } =>
  abstain === undefined ? {} : { abstainProbability: toProbability(abstain) }

interface RerankReply {
  readonly results?: readonly {
    readonly index?: number
    readonly relevance_score?: number
    readonly input?: { readonly truncated?: boolean }
    readonly error?: WireError
  }[]
}

/** The score of every document. Throws an `RtrError`, also when one document has no score. */
export function fromRerankReply(reply: unknown, task: InferenceTask<"rerank">): InferenceAnswer<"rerank"> {
  return making(() => {
    const { results = [] } = reply as RerankReply
    const scores = task.documents.map(() => Number.NaN)
    for (const { index, relevance_score: score, input, error } of results) {
      if (error !== undefined) throw toPublicError(error.code)
      if (task.whole === true && input?.truncated === true) throw readInPart()
      if (index === undefined || !(index in scores)) throw new TypeError("A score needs its document")
      scores[index] = toNumber(score)
    }
    return { kind: "rerank", ranking: { scores: scores.map(toProbability) } }
  })
}

/** One answer that makes no sense fails its own question only. */
function making<Answer>(make: () => Answer): Answer {
  try {
    return make()
  } catch (cause) {
    if (cause instanceof RtrError) throw cause
    throw new RtrError("invalid_model_output", "The model worker's answer makes no sense", { cause })
  }
}

/** Comparisons with NaN are false, so a signal would report what was never computed as no match. */
function toNumber(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError("Not the number that was asked for")
  return value
}

/** Rounding may leave one a little above 1. */
function toProbability(value: unknown): number {
  const number = toNumber(value)
  if (number < 0 || number > 1.001) throw new TypeError("A probability is from 0 to 1")
  return number
}

const toProbabilities = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, probability]) => [name, toProbability(probability)]),
  )

export const readInPart = (): RtrError =>
  new RtrError("max_length_exceeded", "The model worker read a part of the text")

/** Keeps the worker's code when it is one of ours; its message stays private, because it may describe the input. */
export function toPublicError(code: unknown): RtrError {
  const known = typeof code === "string" && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "unavailable"
  return new RtrError(known, `The model worker answered with ${known}`)
}
