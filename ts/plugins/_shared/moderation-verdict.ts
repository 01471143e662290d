// What a moderation says of one text, from what guards said.

import { type ErrorCode, type Fact, type GuardReading, RtrError, type UnknownReason } from "../../kernel/index.ts"

export interface ModerationVerdict {
  readonly flagged: boolean
  readonly categories: Readonly<Record<string, boolean>>
  readonly category_scores: Readonly<Record<string, number>>
  readonly category_applied_input_types: Readonly<Record<string, readonly ["text"]>>
  /** Why guards that found nothing cannot say that there is nothing. */
  readonly unknown?: Readonly<Record<string, UnknownReason>>
}

/** Reasons that lie in the text: the same request again would not be read either. */
const contentErrors: Partial<Record<UnknownReason, ErrorCode>> = {
  input_limit: "context_length_exceeded",
  unread_words: "unread_words",
  unreadable_content: "unreadable_content",
}

/**
 * A category for each guard. One whose rules did not read the whole text and found nothing is flagged where one of these
 * rules blocks what it could not read; otherwise it is left out. Throws when no category is flagged and one of these is left
 * out: nobody knows then that there is nothing. A text in a language that a guard was not measured in has been read, so it is
 * no error.
 */
export function toVerdict(readings: readonly GuardReading[]): ModerationVerdict {
  const categories: Record<string, boolean> = {}
  const scores: Record<string, number> = {}
  const unknown: Record<string, UnknownReason> = {}
  let open: Fact | undefined
  for (const [guard, ofGuard] of Map.groupBy(readings, (reading) => reading.guard)) {
    const isFound = ofGuard.some(({ fact }) => fact.state === "match")
    const unread = isFound ? [] : ofGuard.filter(({ fact }) => fact.state === "unknown")
    const worst = unread.find(({ fact }) => !isOtherLanguage(fact)) ?? unread[0]
    if (worst !== undefined) unknown[guard] = worst.fact.reason ?? "failed"
    const isBlocked = unread.some(blocks)
    if (worst !== undefined && !isBlocked) {
      if (!isOtherLanguage(worst.fact)) open ??= worst.fact
      continue
    }
    categories[guard] = isFound || isBlocked
    // What was not read counts as the highest there is, as in decisions.
    scores[guard] = isBlocked ? 1 : Math.max(...ofGuard.map(({ fact }) => scoreOf(fact)))
  }
  const flagged = Object.values(categories).includes(true)
  if (!flagged && open !== undefined) throw cannotTell(open)
  return {
    flagged,
    categories,
    category_scores: scores,
    category_applied_input_types: Object.fromEntries(Object.keys(categories).map((guard) => [guard, ["text"]])),
    ...(Object.keys(unknown).length > 0 && { unknown }),
  }
}

const isOtherLanguage = ({ reason }: Fact): boolean => reason === "unsupported_language"

/** Whether a rule counts what it could not tell as found; what is no matter of the text, a retry may mend. */
function blocks({ fact, policy, onUnknown }: GuardReading): boolean {
  if (isOtherLanguage(fact)) return onUnknown === "match"
  return policy.onUnscanned === "block" && contentErrors[fact.reason ?? "failed"] !== undefined
}

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
