// What kind of failure an attempt ended with, as far as another attempt could mend it.

import { isRtrError } from "../../../error.ts"
import type { Attempt } from "../../../types/call.ts"
import type { Reply } from "../../../types/chat.ts"
import type { RetryReason } from "../../../types/plan.ts"

export interface Failure {
  /** `protocol` is an answer that cannot be read, which the same backend would give again. */
  readonly kind: "connect-failure" | "reset" | "timeout" | "status" | "protocol"
  /** What the backend answered with, for `status`. */
  readonly status: number
  /** How long the backend asks to be left alone. */
  readonly retryAfterMs?: number | undefined
}

/** How an attempt ended: a reply, which may be the failure that a backend answered with, or an error. */
export type AttemptOutcome = { readonly failure: Failure | undefined } & (
  | { readonly reply: Reply }
  | {
      readonly error: unknown
      /** The request could not be written for the backend: nothing was sent, and there is no attempt. */
      readonly unsent?: true
    }
)

export const isUnsent = (outcome: AttemptOutcome): boolean => "error" in outcome && outcome.unsent === true

/** Gives the reply, or rejects as the attempt did. */
export function settle(outcome: AttemptOutcome): Reply {
  if ("error" in outcome) throw outcome.error
  return outcome.reply
}

/**
 * Undefined for an error that no other backend could mend, such as that of a client that has left. A stream that ends or fails
 * with its first event is as good as a connection that broke.
 */
export function failureOfError(error: unknown, wasSent: boolean, isStream: boolean): Failure | undefined {
  if (!isRtrError(error)) return undefined
  switch (error.code) {
    case "upstream_unavailable":
      return { kind: wasSent ? "reset" : "connect-failure", status: 0 }
    case "upstream_timeout":
      return { kind: wasSent ? "timeout" : "connect-failure", status: 0 }
    case "upstream_error":
      // The error of a connection that broke has what the system said as its cause; a reply that cannot be read has none.
      return { kind: isStream || causeOf(error.cause) !== undefined ? "reset" : "protocol", status: 0 }
    default:
      return undefined
  }
}

const causeOf = (error: unknown): unknown => (isRtrError(error) ? error.cause : undefined)

/** Undefined for a good reply. The attempt knows the backend's own status, where the reply has the one for the client. */
export function failureOfReply(reply: Reply, attempt: Attempt, retryAfterMs: number | undefined): Failure | undefined {
  if (reply.kind !== "failure") return undefined
  return { kind: "status", status: attempt.status ?? reply.status, retryAfterMs }
}

/** Whether a list of reasons asks for another attempt after this failure. */
export function isRetried({ kind, status }: Failure, reasons: ReadonlySet<RetryReason | number>): boolean {
  switch (kind) {
    case "status":
      return (
        reasons.has(status) ||
        (status >= 500 && reasons.has("5xx")) ||
        (status >= 502 && status <= 504 && reasons.has("gateway-error")) ||
        (status === 409 && reasons.has("retriable-4xx"))
      )
    case "connect-failure":
      return reasons.has(kind) || reasons.has("reset") || reasons.has("5xx")
    case "reset":
    case "timeout":
      return reasons.has(kind) || reasons.has("5xx")
    case "protocol":
      return false
  }
}

/** Whether the backend is to blame: one that refuses a request or limits its rate works as it should. */
export const blamesBackend = ({ kind, status }: Failure): boolean => kind !== "status" || status >= 500
