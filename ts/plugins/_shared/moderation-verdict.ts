// What a moderation says of one text, from what guards said.

import { type ErrorCode, type Fact, type GuardReading, RtrError, type UnknownReason } from "../../kernel/index.ts"

export interface ModerationVerdict {
  readonly flagged: boolean
  readonly categories: Readonly<Record<string, boolean>>
  readonly category_scores: Readonly<Record<string, number>>
  readonly category_applied_input_types: Readonly<Record<string, readonly ["text"]>>
}

/** Reasons that lie in the text: the same request again would not be read either. */
const contentErrors: Partial<Record<UnknownReason, ErrorCode>> = {
  input_limit: "context_length_exceeded",
  unread_words: "unread_words",
  unreadable_content: "unreadable_content",
  unsupported_language: "unread_words",
}

/**
 * A category for each guard. One whose rules did not read the whole text and found nothing is flagged where one of these
 * rules blocks what it could not read; otherwise it is left out. Throws when no category is flagged and one is left out:
 * nobody knows then that there is nothing.
 */
export function toVerdict(readings: readonly GuardReading[]): ModerationVerdict {
  const categories: Record<string, boolean> = {}
  const scores: Record<string, number> = {}
  let open: Fact | undefined
  for (const [guard, ofGuard] of Map.groupBy(readings, (reading) => reading.guard)) {
    const unread = ofGuard.filter(({ fact }) => fact.state === "unknown")
    const isFound = ofGuard.some(({ fact }) => fact.state === "match")
    const isBlocked = unread.some(({ fact, policy }) => policy.onUnscanned === "block" && isUnread(fact))
    if (unread.length > 0 && !isFound && !isBlocked) {
      open ??= unread[0]?.fact
      continue
    }
    categories[guard] = isFound || isBlocked
    // What was not read counts as the highest there is, as in decisions.
    scores[guard] = isFound || !isBlocked ? Math.max(...ofGuard.map(({ fact }) => scoreOf(fact))) : 1
  }
  const flagged = Object.values(categories).includes(true)
  if (!flagged && open !== undefined) throw cannotTell(open)
  return {
    flagged,
    categories,
    category_scores: scores,
    category_applied_input_types: Object.fromEntries(Object.keys(categories).map((guard) => [guard, ["text"]])),
  }
}

/** A text in another language has been read, though nobody knows how well. */
const isUnread = ({ reason }: Fact): boolean =>
  reason !== undefined && reason !== "unsupported_language" && contentErrors[reason] !== undefined

/** The number that a rule compares with its threshold, where it has one. */
function scoreOf({ state, value, confidence }: Fact): number {
  const score = value ?? (state === "match" ? confidence : 0)
  return Math.min(1, Math.max(0, score))
}

function cannotTell({ rule, reason = "failed" }: Fact): RtrError {
  const code = contentErrors[reason]
  if (code !== undefined)
    return new RtrError(code, `Cannot moderate: rule "${rule}" of a guard could not read the whole text (${reason})`)
  return new RtrError("signal_unresolved", `Cannot moderate: rule "${rule}" of a guard could not be read (${reason})`, {
    retryAfterSeconds: 1,
  })
}
