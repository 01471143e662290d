// What a signal says about a request.

import { isRtrError } from "../error.ts"

export type FactState = "match" | "no_match" | "unknown"

/** Why a fact is unknown, or rests on a part of its text: a bounded set, safe as a metric label. */
export const unknownReasons = [
  "input_limit",
  "unread_words",
  "unreadable_content",
  "abstained",
  "unsupported_language",
  "timeout",
  "unavailable",
  "overloaded",
  "rejected",
  "failed",
] as const

export type UnknownReason = (typeof unknownReasons)[number]

/** The answer of one rule. `confidence` is 0 to 1; `value` is the number that a predicate compares, when there is one. */
export interface Fact {
  readonly rule: string
  readonly state: FactState
  readonly confidence: number
  readonly value?: number
  /** Further numbers by name, for scores that are made of signals. */
  readonly values?: Readonly<Record<string, number>>
  /** What was found, in the words of the reply that a signal has read. */
  readonly quotes?: readonly string[]
  /** What a guard found, in words of its own and never of the text: the log tells them. */
  readonly kinds?: readonly string[]
  /** Where something was found, for previews: never what it says. */
  readonly findings?: readonly Finding[]
  /** A part was not read, which could only have raised `value`. */
  readonly atLeast?: boolean
  /** Why the fact is unknown, or why a part was not read. */
  readonly reason?: UnknownReason
}

/** A part of a text that a guard found. */
export interface Finding {
  readonly kind: string
  /** Which of the texts that the rule reads, counted from 0 in the order of the request. */
  readonly text: number
  /** Code points of that text, the end exclusive. */
  readonly start: number
  readonly end: number
  readonly confidence: number
}

/** A rule whose fact is unknown. */
export interface UnknownSignal {
  /** Type of its conditions. */
  readonly type: string
  readonly rule: string
  readonly reason: UnknownReason
}

/** The bounded reason for an error of a signal or of the model that it asked. */
export function reasonOf(error: unknown): UnknownReason {
  if (!isRtrError(error)) return "failed"
  switch (error.code) {
    case "deadline_exceeded":
    case "upstream_timeout":
      return "timeout"
    case "unavailable":
    case "not_ready":
    case "upstream_unavailable":
      return "unavailable"
    case "overloaded":
      return "overloaded"
    case "max_length_exceeded":
    case "scan_budget_exceeded":
    case "request_too_large":
      return "input_limit"
    case "unread_words":
      return "unread_words"
    case "invalid_request":
    case "invalid_input":
    case "invalid_question":
    case "model_not_found":
    case "unsupported_surface":
      return "rejected"
    default:
      return "failed"
  }
}
