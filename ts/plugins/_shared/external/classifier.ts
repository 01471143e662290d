// An external classifier (`http_classify`): `POST /classify` with a text, and a score for each label back.

import { type Classification, type InferenceAnswer, RtrError, type Service } from "../../../kernel/index.ts"
import { chunksOf } from "../chunks.ts"
import { postJson, wrongAnswer } from "./call.ts"
import { type ExternalModel, externalName, keyOf, originOf, timeoutOf } from "./settings.ts"

export interface ClassifierOptions {
  /** Labels that an answer has to have, in order; those of the answer when left out. */
  readonly labels?: readonly string[] | undefined
  /** Longest wait, where the user of the model says its own. */
  readonly timeoutMs?: number | undefined
}

const usualSeconds = 5

/** Chunks of one text that is read whole; such models read about 512 tokens. A longer text is not read. */
const maxChunks = 64

/** How far scores may be from summing to 1: servers round them. */
const tolerance = 0.02

export function externalClassifier(model: ExternalModel, { labels, timeoutMs }: ClassifierOptions = {}): Service {
  const name = externalName(model)
  const who = `external model "${name}"`
  const wait = timeoutMs ?? timeoutOf(model, usualSeconds)
  return {
    name: timeoutMs === undefined ? classifierName(name) : `${classifierName(name)}:${timeoutMs}ms`,
    key: keyOf(model, labels, wait),
    timeoutMs: wait,
    open: ({ transport }) => {
      const classify = async (inputs: string, signal: AbortSignal): Promise<Classification> =>
        toClassification(
          who,
          await postJson(transport, {
            who,
            url: `${originOf(model)}/classify`,
            body: { inputs },
            bearer: model.access_key,
            timeoutMs: wait,
            maxRequestBytes: model.max_request_bytes,
            maxResponseBytes: model.max_response_bytes,
            signal,
          }),
          labels,
        )
      const classifyWhole = async (text: string, signal: AbortSignal): Promise<Classification> => {
        const chunks = chunksOf(text, maxChunks)
        if (chunks.length > maxChunks)
          throw new RtrError("max_length_exceeded", `Cannot ask ${who} about more than ${maxChunks} parts of a text`)
        const parts: Classification[] = []
        // One after the other: a long text must not take all places of the service.
        for (const chunk of chunks) parts.push(await classify(chunk, signal))
        const [first = { labels: [], probabilities: new Float32Array() }] = parts
        return parts.length < 2 ? first : { ...first, windows: parts.map(({ probabilities }) => probabilities) }
      }
      return {
        answer: (tasks, { signal }) =>
          Promise.all(
            tasks.map(async (task): Promise<InferenceAnswer> => {
              if (task.kind !== "classify")
                throw new RtrError(
                  "unsupported_surface",
                  `Cannot ask ${who} a question of kind ${task.kind}; it classifies`,
                )
              const whole = task.whole === true
              return { kind: "classify", classification: await (whole ? classifyWhole : classify)(task.text, signal) }
            }),
          ),
      }
    },
  }
}

/** Name of the service. */
const classifierName = (model: string): string => `${model}:classify`

/** All scores of one text, as `[{ label, score }]` or with a further list around it. */
export function toClassification(who: string, reply: unknown, labels: readonly string[] | undefined): Classification {
  const list: unknown = Array.isArray(reply) && Array.isArray(reply[0]) ? reply[0] : reply
  if (!Array.isArray(list) || list.length === 0) throw wrongAnswer(who, "it is no list of labels with scores")
  const scores = new Map<string, number>()
  for (const entry of list as readonly (Readonly<Record<string, unknown>> | null)[]) {
    const { label, score } = entry ?? {}
    if (typeof label !== "string" || typeof score !== "number" || !(score >= 0 && score <= 1))
      throw wrongAnswer(who, "it is no list of labels with scores from 0 to 1")
    if (scores.has(label)) throw wrongAnswer(who, "it has a label twice")
    scores.set(label, score)
  }
  const names = labels ?? [...scores.keys()]
  if (names.length !== scores.size || names.some((label) => !scores.has(label)))
    throw wrongAnswer(who, `its labels are not ${names.join(", ")}`)
  const sum = [...scores.values()].reduce((total, score) => total + score, 0)
  if (Math.abs(sum - 1) > tolerance) throw wrongAnswer(who, "its scores do not sum to 1")
  return { labels: names, probabilities: Float32Array.from(names, (label) => scores.get(label) ?? 0) }
}
