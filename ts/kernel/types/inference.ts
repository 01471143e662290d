// The port through which anything asks a model. The addon, a worker over HTTP and the test fake implement it.

import type { DocumentPath, RtrError } from "../error.ts"
import type { Log } from "./capability.ts"
import type { MaybePromise } from "./module-base.ts"
import type { Transport } from "./transport.ts"

// ── what a model can be asked ──

/** Class probabilities in the order of `labels`; they sum to 1 for a single-label head. */
export interface Classification extends PartialCoverage {
  readonly labels: readonly string[]
  readonly probabilities: Float32Array
  /**
   * Of a text that was read in several windows: the probabilities of each, in order. `probabilities` is what the head
   * makes of them, which may be their mean.
   */
  readonly windows?: readonly Float32Array[]
  /** Where each window stands, `text.slice(start, end)`, of workers that tell it. */
  readonly places?: readonly Pick<TextSpan, "start" | "end">[]
}

/** A part of a text: `text.slice(start, end)`. */
export interface TextSpan {
  readonly label: string
  readonly start: number
  readonly end: number
  readonly probability: number
}

/** A typed question about a text, as `POST /v1/decisions` of the worker takes it. */
export type TypedQuestion = Readonly<Record<string, unknown>> & {
  readonly type: "choice" | "noul" | "score" | "set" | "span"
}

type Probabilities = Readonly<Record<string, number>>

/** What a model that can abstain says beside its answer. */
interface MayAbstain {
  /** The probability that the answer should not be used, of models that tell it. */
  readonly abstainProbability?: number
}

/** The worker's answer to a typed question, by its type. Probabilities are by option, level or label. */
export type Decided =
  | (MayAbstain & {
      readonly type: "choice"
      readonly choice: string
      readonly probabilities: Probabilities
      readonly confidence: number
    })
  /** The probability of yes. */
  | (MayAbstain & { readonly type: "noul"; readonly noul: number })
  /** `score` is the expected level; the lowest is 0. */
  | (MayAbstain & {
      readonly type: "score"
      readonly score: number
      readonly probabilities: Probabilities
      readonly confidence: number
    })
  | { readonly type: "set"; readonly selected: readonly string[]; readonly probabilities: Probabilities }
  /** `noul` is the probability that there is a span at all. */
  | { readonly type: "span"; readonly noul: number; readonly spans: readonly TextSpan[] }

/** What an answer has to rest on, for a head that marks what is unsupported. All of it is read, in windows, or it is an error. */
export interface Grounds {
  readonly context: string
  readonly question?: string
}

/** How well documents fit a query. */
export interface Ranking {
  /** Probabilities in the order of the documents. */
  readonly scores: readonly number[]
}

/**
 * Each kind of question: what a task carries beside its deployment and text, and what its answer carries. A new kind is one
 * entry here and one in each wire mapping, which the compiler asks for.
 */
export interface QuestionKinds {
  classify: {
    readonly task: { readonly head?: string; readonly whole?: boolean }
    readonly answer: { readonly classification: Classification }
  }
  spans: {
    /** `threshold` is the probability that a span needs; the head's own when left out. */
    readonly task: {
      readonly head?: string
      readonly whole?: boolean
      readonly threshold?: number
      readonly grounds?: Grounds
    }
    readonly answer: { readonly spans: readonly TextSpan[] }
  }
  embed: {
    /** A vector is made of one window: with `whole` a longer text is an error. `dimensions` is a length that the model's card has. */
    readonly task: {
      readonly whole?: boolean
      readonly dimensions?: number
      /** A base64 data URL, which is read in place of the text. */
      readonly image?: string
    }
    readonly answer: { readonly vector: Float32Array }
  }
  decide: {
    readonly task: { readonly question: TypedQuestion; readonly whole?: boolean }
    readonly answer: { readonly decided: Decided }
  }
  rerank: {
    /** `text` is the query. With `whole` a query and a document that do not fit together are an error. */
    readonly task: { readonly documents: readonly string[]; readonly whole?: boolean }
    readonly answer: { readonly ranking: Ranking }
  }
}
export type QuestionKind = keyof QuestionKinds

/**
 * One question for one deployment about one text. The text is read up to the model's input limit; with `whole` it is
 * read to its end, in windows, or the answer is an error.
 */
export type InferenceTask<Kind extends QuestionKind = QuestionKind> = Kind extends QuestionKind
  ? { readonly kind: Kind; readonly deployment: string; readonly text: string } & QuestionKinds[Kind]["task"]
  : never

/** `counts` is left out by a worker that does not count. */
export type InferenceAnswer<Kind extends QuestionKind = QuestionKind> =
  | (Kind extends QuestionKind
      ? { readonly kind: Kind; readonly counts?: TokenCounts } & QuestionKinds[Kind]["answer"]
      : never)
  | { readonly kind: "error"; readonly error: RtrError }

/** Tokens of a text. A model sees that a word is there which its vocabulary has nothing for, and not what it says. */
export interface TokenCounts {
  readonly tokens: number
  /** Those of `tokens` that the tokenizer puts around the text. */
  readonly specialTokens: number
  /** Those of `tokens` that stand for words which the model did not see. */
  readonly unknownTokens: number
}

/** Why a guard's model did not read all of a text, where it did not: what it says holds for the rest only. */
export interface PartialCoverage {
  readonly truncated?: RtrError
}

/** Most tasks of one call. A worker refuses a call with more than its limit, which is 64 unless its operator says otherwise. */
export const maxTasks = 32

/**
 * Most characters of one call of several tasks. Written as JSON they are at most six bytes each, and a worker refuses
 * bodies over its limit, which is 8 MiB unless its operator says otherwise.
 */
export const maxCharacters = 1_000_000

export interface InferenceOptions {
  /** Bounds the caller's wait; a forward that already runs is not interrupted. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  /** What the call belongs to, where that takes several: calls of one source share one place among those of others. */
  readonly source?: string
}

/** State of one deployment, as `/startup-status` shows it. */
export interface DeploymentStatus {
  readonly name: string
  readonly artifact: string
  readonly process: string
  readonly state: "starting" | "loading" | "warming" | "ready" | "degraded" | "failed"
  readonly ready: boolean
  readonly reason?: string
  readonly restarts: number
}

export interface Inference {
  /**
   * Answers every task, in order. Tasks for one deployment travel in one call, so a text is read once for all of them.
   * A task that fails has an `error` answer; the promise itself rejects only for a bug.
   */
  bundle(tasks: readonly InferenceTask[], options?: InferenceOptions): Promise<readonly InferenceAnswer[]>
  /** Every deployment that it answers for; none where it does not tell. */
  status(): readonly DeploymentStatus[]
  /**
   * Whether it can answer for this deployment. A document that needs one for which it cannot is refused. Where this is left out,
   * the names of `status` decide, and without any names every deployment may be there.
   */
  has?(deployment: { readonly name: string; readonly artifact?: string }): boolean
  close(): Promise<void>
}

/** Who is asked, for a signal whose rules ask different models. */
export interface BoundTo {
  /** One of the signal's `ruleBindings`. */
  readonly binding?: string
}

/** An image for a model that makes vectors of texts and images in one space, as a base64 data URL. */
export interface ImageInput {
  readonly image: string
}

/** The questions of one signal about one request; those of all signals of a level travel together. */
export interface BatchedQuestions {
  classify(text: string, options?: BoundTo): Promise<Classification>
  /** With `grounds` the text is an answer. */
  spans(
    text: string,
    options?: { readonly threshold?: number; readonly grounds?: Grounds },
  ): Promise<readonly TextSpan[] & PartialCoverage>
  embed(input: string | ImageInput): Promise<Float32Array & PartialCoverage>
  decide(text: string, question: TypedQuestion, options?: BoundTo): Promise<Decided & PartialCoverage>
  rerank(query: string, documents: readonly string[]): Promise<Ranking & PartialCoverage>
}

// ── services outside, which answer in the place of a deployment ──

/** A service that a document names, before anybody asks it. */
export interface Service {
  /** For metrics and messages; a document has one service of each name. Equal names give equal vectors. */
  readonly name: string
  /** Everything that its answers depend on, without secrets: a service that stays the same is kept when a new document comes. */
  readonly key: string
  /** Longest wait for one answer. */
  readonly timeoutMs: number
  /** A service that is away must not keep the router from starting: its questions tell. */
  open(host: ServiceHost): MaybePromise<OpenService>
}

/** A service, or a deployment that the document does not declare, and what it answers. */
export interface BoundService {
  /** The binding through which signals ask it, where the document does not bind that to a deployment. */
  readonly binding?: string
  readonly service?: Service
  readonly deployment?: {
    readonly name: string
    readonly artifact: string
    readonly device?: string
    /** Where the document names the artifact. */
    readonly writtenAt?: DocumentPath
  }
}

/** The deployment that stands for a service: no document can give a name with a colon. */
export type ServiceDeployment = `outside:${string}`

export interface ServiceHost {
  readonly transport: Transport
  readonly log: Log
  readonly environment: () => Readonly<Record<string, string | undefined>>
}

export interface OpenService {
  /** One answer for each task, in order. What it rejects with is the answer to all of them. `signal` aborts when nobody waits any more. */
  answer(
    tasks: readonly InferenceTask[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly InferenceAnswer[]>
  close?(): MaybePromise<void>
}
