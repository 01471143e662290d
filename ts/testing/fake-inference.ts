// Inference without models: the same text always gets the same answer.

import {
  type Classification,
  type Inference,
  type InferenceAnswer,
  type InferenceTask,
  type PartlyRead,
  RtrError,
  type TextSpan,
  type TokenCounts,
} from "../kernel/index.ts"

export interface FakeInferenceOptions {
  /** Labels of every classification; two when left out. */
  readonly labels?: readonly string[]
  /** Probabilities for a text, in the order of the labels. A text without an entry gets the same for each label. */
  readonly classify?: (text: string) => readonly number[]
  /** Marked parts of a text; none when left out. */
  readonly spans?: (text: string) => readonly TextSpan[]
  /** Vector for a text, of any length; it is normalised. */
  readonly embed?: (text: string) => readonly number[]
  /** How many words of a text the model does not see; left out, it does not count them. */
  readonly unknownTokens?: (text: string) => number
  /** Fails every task with this error. */
  readonly failWith?: RtrError
  /** Waits this long before it answers. */
  readonly delayMs?: number
}

/** The fake, with a record of every call for assertions. */
export interface FakeInference extends Inference {
  readonly calls: (readonly InferenceTask[])[]
}

export function createFakeInference(options: FakeInferenceOptions = {}): FakeInference {
  const { labels = ["yes", "no"], classify, spans, embed = wordVector, unknownTokens, failWith, delayMs = 0 } = options
  const calls: (readonly InferenceTask[])[] = []
  const countsOf = (text: string): { readonly counts?: TokenCounts } =>
    unknownTokens === undefined
      ? {}
      : { counts: { tokens: wordsOf(text) + 2, specialTokens: 2, unknownTokens: unknownTokens(text) } }
  const answer = (task: InferenceTask): InferenceAnswer => {
    const counts = countsOf(task.text)
    if (failWith !== undefined) return { kind: "error", error: failWith }
    if (task.kind === "spans") {
      const { text, threshold = 0 } = task
      const marked = (spans?.(text) ?? []).filter(({ probability }) => probability >= threshold)
      return { kind: "spans", spans: marked, ...counts }
    }
    if (task.kind === "embed") return { kind: "embed", vector: normalize(embed(task.text)), ...counts }
    const probabilities = classify?.(task.text) ?? labels.map(() => 1 / labels.length)
    return { kind: "classify", classification: { labels, probabilities: Float32Array.from(probabilities) }, ...counts }
  }
  return {
    calls,
    async bundle(tasks) {
      calls.push(tasks)
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      return tasks.map(answer)
    },
    status: () => [],
    close: async () => {},
  }
}

/** The asking functions that a guard gets, over a fake. */
export function createFakeAsk(inference: Inference): {
  classify(text: string): Promise<Classification>
  spans(text: string, options?: { readonly threshold?: number }): Promise<readonly TextSpan[] & PartlyRead>
  embed(text: string): Promise<Float32Array & PartlyRead>
  embedAll(texts: readonly string[]): Promise<readonly Float32Array[]>
} {
  const one = async (task: InferenceTask): Promise<InferenceAnswer> => {
    const [answer] = await inference.bundle([task])
    if (answer === undefined) throw new RtrError("internal_error", "The fake gave no answer")
    if (answer.kind === "error") throw answer.error
    return answer
  }
  const embed = async (text: string): Promise<Float32Array & PartlyRead> => {
    const answer = await one({ kind: "embed", deployment: "fake", text })
    if (answer.kind !== "embed") throw wrongKind("embed", answer.kind)
    return Object.assign(answer.vector, unreadOf(answer))
  }
  return {
    embed,
    embedAll: (texts) => Promise.all(texts.map(embed)),
    spans: async (text, { threshold } = {}) => {
      const answer = await one({
        kind: "spans",
        deployment: "fake",
        text,
        ...(threshold !== undefined && { threshold }),
      })
      if (answer.kind !== "spans") throw wrongKind("spans", answer.kind)
      return Object.assign([...answer.spans], unreadOf(answer))
    },
    classify: async (text) => {
      const answer = await one({ kind: "classify", deployment: "fake", text })
      if (answer.kind !== "classify") throw wrongKind("classify", answer.kind)
      return { ...answer.classification, ...unreadOf(answer) }
    },
  }
}

const unreadOf = ({ counts }: { readonly counts?: TokenCounts }): PartlyRead =>
  (counts?.unknownTokens ?? 0) > 0 ? { unread: new RtrError("unread_words", "The fake does not see all words") } : {}

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length

const wrongKind = (asked: string, answered: string): RtrError =>
  new RtrError("internal_error", `The fake answered ${asked} with ${answered}`)

const dimensions = 64

/** Texts that share words are similar: each word adds to the dimensions that its letters hash to. */
function wordVector(text: string): readonly number[] {
  const vector = Array.from({ length: dimensions }, () => 0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 7
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
    for (let step = 0; step < 4; step++) {
      const dimension = (hash * (step + 1) + step) % dimensions
      vector[dimension] = (vector[dimension] ?? 0) + 1
    }
  }
  return vector
}

function normalize(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => (length === 0 ? 0 : value / length))
}
