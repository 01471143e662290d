// The figures of one call of a backend.

import type { Attempt, CallRecord } from "../../types/call.ts"
import type { StreamBatch } from "../../types/chat.ts"
import type { ModelTarget, TargetBackend } from "../../types/plan.ts"
import { toRecordedError } from "../record.ts"
import type { AttemptHost } from "./attempt.ts"

/** The figures of one attempt, in its record and for selectors. */
export interface ObservedAttempt {
  readonly attempt: Attempt
  /** The first byte of a reply's body has come. */
  firstByte(): void
  usage(usage: StreamBatch["usage"]): void
  /** A function of the backend's dialect threw; the log names both. Returns what was thrown. */
  failedIn(hook: string, error: unknown): unknown
  /** Runs once; later calls change nothing. */
  end(error?: unknown): void
}

/** Begins the figures of a call that is sent now. */
export function observeAttempt(
  { figures, costs, onModuleError }: Pick<AttemptHost, "figures" | "costs" | "onModuleError">,
  record: CallRecord,
  target: ModelTarget,
  backend: TargetBackend,
): ObservedAttempt {
  const now = (): number => performance.now() - record.startedAt
  const attempt: Attempt = { model: target.name, backend: backend.name, startMs: now() }
  record.attempts.push(attempt)
  const finished = figures.begin(target.name)
  return {
    attempt,
    firstByte() {
      attempt.firstByteMs ??= now()
    },
    usage(usage) {
      if (usage === undefined) return
      attempt.usage = usage
      if (target.pricing !== undefined) costs?.priceAttempt(attempt, usage, target.pricing)
    },
    failedIn(hook, error) {
      onModuleError?.(`dialect ${backend.dialectId}`, error, hook)
      return error
    },
    end(error) {
      if (attempt.endMs !== undefined) return
      attempt.endMs = now()
      // A looper's budget that ends it says so before.
      if (error !== undefined) attempt.error ??= toRecordedError(error)
      if (attempt.cost !== undefined) costs?.sumCosts(record)
      finished(attempt)
    },
  }
}
