// The port through which anything asks a model. The addon, a worker over HTTP and the test fake implement it.

import type { RtrError } from "../error.ts"

/**
 * One question for one deployment about one text. The text is read up to the model's input limit; with `whole` it is
 * read to its end, in windows, or the answer is an error.
 */
export type InferenceTask =
  | {
      readonly kind: "classify"
      readonly deployment: string
      readonly head?: string
      readonly text: string
      readonly whole?: boolean
    }
  | {
      readonly kind: "spans"
      readonly deployment: string
      readonly head?: string
      readonly text: string
      readonly whole?: boolean
      /** Probability that a span needs; the head's own when left out. */
      readonly threshold?: number
    }
  | {
      readonly kind: "embed"
      readonly deployment: string
      readonly text: string
      /** A vector is made of one window: a longer text is an error. */
      readonly whole?: boolean
    }

/** Most tasks of one call. A worker refuses a call with more than its limit, which is 64 unless its operator says otherwise. */
export const mostTasks = 32

/**
 * Most characters of one call of several tasks. Written as JSON they are at most six bytes each, and a worker refuses
 * bodies over its limit, which is 8 MiB unless its operator says otherwise.
 */
export const mostCharacters = 1_000_000

/** Class probabilities in the order of `labels`; they sum to 1 for a single-label head. */
export interface Classification extends PartlyRead {
  readonly labels: readonly string[]
  readonly probabilities: Float32Array
  /**
   * Of a text that was read in several windows: the probabilities of each, in order. `probabilities` is what the head
   * makes of them, which may be their mean.
   */
  readonly windows?: readonly Float32Array[]
}

/** A part of a text: `text.slice(start, end)`. */
export interface TextSpan {
  readonly label: string
  readonly start: number
  readonly end: number
  readonly probability: number
}

/** Tokens of a text. A model sees that a word is there which its vocabulary has nothing for, and not what it says. */
export interface TokenCounts {
  readonly tokens: number
  /** Those of `tokens` that the tokenizer puts around the text. */
  readonly specialTokens: number
  /** Those of `tokens` that stand for words which the model did not see. */
  readonly unknownTokens: number
}

/** Why a guard's model did not see all of a text, where it did not: what it says holds for the rest only. */
export interface PartlyRead {
  readonly unread?: RtrError
}

/** `counts` is left out by a worker that does not count. */
export type InferenceAnswer =
  | { readonly kind: "classify"; readonly classification: Classification; readonly counts?: TokenCounts }
  | { readonly kind: "spans"; readonly spans: readonly TextSpan[]; readonly counts?: TokenCounts }
  | { readonly kind: "embed"; readonly vector: Float32Array; readonly counts?: TokenCounts }
  | { readonly kind: "error"; readonly error: RtrError }

export interface InferenceOptions {
  /** Bounds the caller's wait; a forward that already runs is not interrupted. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
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
  status(): readonly DeploymentStatus[]
  close(): Promise<void>
}
