// What a signal says about a request.

export type FactState = "match" | "no_match" | "unknown"

/** Why a fact is unknown, or rests on a part of its text: a bounded set, safe as a metric label. */
export type UnknownReason =
  | "input_limit"
  | "unread_words"
  | "timeout"
  | "unavailable"
  | "overloaded"
  | "rejected"
  | "failed"

/** The answer of one rule. `confidence` is 0 to 1; `value` is the number that a predicate compares, when there is one. */
export interface Fact {
  readonly rule: string
  readonly state: FactState
  readonly confidence: number
  readonly value?: number
  /** A part was not read, which could only have raised `value`. */
  readonly atLeast?: boolean
  /** Why the fact is unknown, or why a part was not read. */
  readonly reason?: UnknownReason
}
