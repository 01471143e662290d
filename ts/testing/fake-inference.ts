// Inference without models: the same text always gets the same answer.

import {
  type BatchedQuestions,
  type Decided,
  type Grounds,
  type ImageInput,
  type Inference,
  type InferenceAnswer,
  type InferenceTask,
  type PartialCoverage,
  type QuestionKind,
  RtrError,
  type TextSpan,
  type TokenCounts,
  type TypedQuestion,
} from "../kernel/index.ts"

export interface FakeInferenceOptions {
  /** Labels of every classification; two when left out. */
  readonly labels?: readonly string[]
  /**
   * Probabilities for a text, in the order of the labels. A text without an entry gets the same for each label. `head` is what
   * the task names, which is the binding of a rule in a signal's tests.
   */
  readonly classify?: (text: string, head?: string) => readonly number[]
  /** Labels of one head, where they are others. */
  readonly labelsOf?: (head: string) => readonly string[] | undefined
  /** Marked parts of a text; none when left out. */
  readonly spans?: (text: string, grounds?: Grounds) => readonly TextSpan[]
  /** Vector for a text, of any length; it is normalised. */
  readonly embed?: (text: string) => readonly number[]
  /** Vector for an image, by its data URL; without it the fake reads no images. */
  readonly embedImage?: (url: string) => readonly number[]
  /** Answer to a typed question; left out, each option is as likely as the others and nothing is found. */
  readonly decide?: (text: string, question: TypedQuestion) => Decided
  /** How well a document fits a query, 0 to 1; left out, texts that share words fit. */
  readonly rerank?: (query: string, document: string) => number
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
  const { unknownTokens, failWith, delayMs = 0 } = options
  const calls: (readonly InferenceTask[])[] = []
  const answers = answersOf(options)
  const answer = (task: InferenceTask): InferenceAnswer => {
    if (task.kind === "embed" && task.image !== undefined && options.embedImage === undefined)
      return { kind: "error", error: new RtrError("invalid_input", "The fake reads no images") }
    if (failWith !== undefined) return { kind: "error", error: failWith }
    const counts =
      unknownTokens === undefined
        ? {}
        : { counts: { tokens: wordsOf(task.text) + 2, specialTokens: 2, unknownTokens: unknownTokens(task.text) } }
    return { kind: task.kind, ...answers[task.kind](task as never), ...counts } as InferenceAnswer
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

/** What the fake says to each kind of question. */
function answersOf({
  labels: usual = ["yes", "no"],
  labelsOf = () => undefined,
  classify = (_, head = "") => (labelsOf(head) ?? usual).map((__, ___, all) => 1 / all.length),
  spans = () => [],
  embed = wordVector,
  embedImage = () => [],
  decide = (_, question) => undecided(question),
  rerank = wordSimilarity,
}: FakeInferenceOptions): { readonly [Kind in QuestionKind]: (task: InferenceTask<Kind>) => object } {
  return {
    classify: ({ text, head }) => ({
      classification: {
        labels: (head === undefined ? undefined : labelsOf(head)) ?? usual,
        probabilities: Float32Array.from(classify(text, head)),
      },
    }),
    spans: ({ text, grounds, threshold = 0 }) => ({
      spans: spans(text, grounds).filter(({ probability }) => probability >= threshold),
    }),
    embed: ({ text, image }) => ({ vector: normalize(image === undefined ? embed(text) : embedImage(image)) }),
    decide: ({ text, question }) => ({ decided: decide(text, question) }),
    rerank: ({ text, documents }) => ({ ranking: { scores: documents.map((document) => rerank(text, document)) } }),
  }
}

/** The questions that a signal asks, over a fake, and the vectors of fixed texts that its setup asks for. */
export function createFakeQuestions(inference: Inference): BatchedQuestions & {
  embedAll(inputs: readonly (string | ImageInput)[]): Promise<readonly Float32Array[]>
} {
  const ask = async <Kind extends QuestionKind>(
    kind: Kind,
    text: string,
    given: object = {},
  ): Promise<Extract<InferenceAnswer, { readonly kind: Kind }>> => {
    const [answer] = await inference.bundle([{ kind, deployment: "fake", text, ...given } as unknown as InferenceTask])
    if (answer === undefined) throw new RtrError("internal_error", "The fake gave no answer")
    if (answer.kind === "error") throw answer.error
    if (answer.kind !== kind)
      throw new RtrError("internal_error", `The fake answered ${kind} with ${answer.kind as string}`)
    return answer as Extract<InferenceAnswer, { readonly kind: Kind }>
  }
  const embed: BatchedQuestions["embed"] = async (input) => {
    const answer = await (typeof input === "string" ? ask("embed", input) : ask("embed", "", input))
    return Object.assign(answer.vector, coverageOf(answer))
  }
  return {
    embed,
    embedAll: (inputs) => Promise.all(inputs.map((input) => embed(input))),
    spans: async (text, options = {}) => {
      const answer = await ask("spans", text, options)
      return Object.assign([...answer.spans], coverageOf(answer))
    },
    classify: async (text, { binding } = {}) => {
      const answer = await ask("classify", text, binding === undefined ? {} : { head: binding })
      return { ...answer.classification, ...coverageOf(answer) }
    },
    decide: async (text, question) => {
      const answer = await ask("decide", text, { question })
      return { ...answer.decided, ...coverageOf(answer) }
    },
    rerank: async (query, documents) => {
      const answer = await ask("rerank", query, { documents })
      return { ...answer.ranking, ...coverageOf(answer) }
    },
  }
}

const coverageOf = ({ counts }: { readonly counts?: TokenCounts }): PartialCoverage =>
  (counts?.unknownTokens ?? 0) > 0 ? { truncated: new RtrError("unread_words", "The fake does not see all words") } : {}

const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length

/** An answer that prefers nothing. */
function undecided(question: TypedQuestion): Decided {
  const keys = keysOf(question)
  const probabilities = Object.fromEntries(keys.map((key) => [key, 1 / keys.length]))
  switch (question.type) {
    case "choice":
      return { type: "choice", choice: keys[0] ?? "", probabilities, confidence: 0 }
    case "noul":
      return { type: "noul", noul: 0.5 }
    case "score":
      return { type: "score", score: (keys.length - 1) / 2, probabilities, confidence: 0 }
    case "set":
      return { type: "set", selected: [], probabilities: Object.fromEntries(keys.map((key) => [key, 0])) }
    case "span":
      return { type: "span", noul: 0, spans: [] }
  }
}

/** Names of a question's options, or the numbers of its levels. */
function keysOf({ type, ...given }: TypedQuestion): readonly string[] {
  const options = given["choices"] ?? given["labels"] ?? given["levels"] ?? given["criteria"] ?? []
  const keys = Array.isArray(options)
    ? options.map((option: unknown) =>
        typeof option === "string" ? option : String((option as { readonly key?: unknown }).key),
      )
    : Object.keys(options)
  return type === "score" ? keys.map((_, level) => String(level)) : keys
}

function wordSimilarity(query: string, document: string): number {
  const [a, b] = [normalize(wordVector(query)), normalize(wordVector(document))]
  return Math.min(
    1,
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0),
  )
}

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
