// The record of one request: filled as it goes along, closed once however it ends.

import { isRtrError, RtrError } from "../error.ts"
import type { Call, CallRecord } from "../types/call.ts"
import type { Usage } from "../types/chat.ts"

export function createRecord(call: Call, generation: number): CallRecord {
  return {
    id: call.id,
    listener: call.listener,
    endpoint: call.endpoint,
    startedAt: call.startedAt,
    generation,
    key: call.principal.key,
    stream: call.request.stream,
    requestedModel: call.request.model,
    automatic: true,
    path: "error",
    readings: undefined,
    recipe: undefined,
    decision: undefined,
    rules: undefined,
    confidence: undefined,
    algorithm: undefined,
    selection: undefined,
    appliedPolicies: nothing,
    securityChecks: undefined,
    unscanned: nothing,
    model: undefined,
    reasoning: undefined,
    toolCount: call.request.tools.length,
    plugins: [],
    attempts: [],
    status: 0,
    error: undefined,
    usage: undefined,
    costs: undefined,
    firstByteMs: undefined,
    totalMs: 0,
  }
}

const nothing: readonly never[] = []

/** Writes the end of a call: its status, its time, and the usage of all attempts together. */
export function closeRecord(
  record: CallRecord,
  end: { readonly status: number; readonly error?: RtrError | undefined },
): void {
  record.status = end.status
  record.error = end.error
  record.totalMs = performance.now() - record.startedAt
  for (const { usage } of record.attempts) record.usage = addUsage(record.usage, usage)
}

/** An error as the record keeps it. What is no `RtrError` is a bug, and its message may quote a request. */
export function toRecordedError(error: unknown): RtrError {
  return isRtrError(error) ? error : new RtrError("internal_error", "Unexpected error", { cause: error })
}

/** Tokens of both; undefined when neither told any. */
export function addUsage(sum: Usage | undefined, usage: Usage | undefined): Usage | undefined {
  if (sum === undefined || usage === undefined) return sum ?? usage
  const both = (one: number | undefined, other: number | undefined): number => (one ?? 0) + (other ?? 0)
  return {
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cachedInputTokens: sum.cachedInputTokens + usage.cachedInputTokens,
    cacheWriteTokens: both(sum.cacheWriteTokens, usage.cacheWriteTokens),
    reasoningTokens: both(sum.reasoningTokens, usage.reasoningTokens),
  }
}
