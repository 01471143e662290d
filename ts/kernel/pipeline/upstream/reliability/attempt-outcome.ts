// How attempts ended, in a word: for metrics, the response header and the log.

import type { Attempt, CallRecord } from "../../../types/call.ts"

/** One of a closed list. */
export function outcomeOf({ status = 0, error, cancelled }: Attempt): string {
  if (cancelled === true) return "cancelled"
  switch (error?.code) {
    case undefined:
      return status === 429 ? "rate_limited" : status >= 500 ? "upstream_5xx" : status >= 400 ? "upstream_4xx" : "ok"
    case "client_closed_request":
      return "client_left"
    case "upstream_timeout":
      return "timeout"
    case "deadline_exceeded":
      return "deadline"
    case "upstream_unavailable":
      return "unavailable"
    case "upstream_error":
      return "broken"
    default:
      return "failed"
  }
}

/** A header must stay short, however many attempts there are. */
const maxTold = 16

/** What was tried in order: `large/primary=503,large/backup=200`, and `small=skipped:context_length` for a model that was not called. */
export function trailOf({ attempts, skipped = [] }: CallRecord, toHeaderText: (name: string) => string): string {
  const plain = (name: string): string => toHeaderText(name).replaceAll(/[,=]/g, encodeURIComponent)
  const passedOver = skipped.map(({ model, reason }) => `${plain(model)}=skipped:${reason}`)
  const made = attempts.map((attempt) => `${plain(attempt.model)}/${plain(attempt.backend)}=${endOf(attempt)}`)
  return [...passedOver, ...made].slice(0, maxTold).join(",")
}

const endOf = (attempt: Attempt): string | number =>
  attempt.error === undefined && attempt.cancelled !== true ? (attempt.status ?? 0) : outcomeOf(attempt)
