// Counts and times finished calls, from their records alone.

import type { Attempt, CallRecord } from "../types/call.ts"
import type { Usage } from "../types/chat.ts"
import type { Counter, Metrics } from "../types/metrics.ts"
import type { Plan } from "../types/plan.ts"

export type RecordCall = (record: CallRecord) => void

/** Makes the handles for calls that are alike once, so that a request only adds to them. `keyOf` names decisions. */
export function createCallMetrics(metrics: Metrics, keyOf: NonNullable<Plan["keyOf"]> = (name) => name): RecordCall {
  const readingSeconds = once(() => metrics.histogram("semantic_router_classification_duration_seconds"))
  const typeSeconds = byKey((type) => metrics.histogram("llm_signal_extraction_latency_seconds", { signal_type: type }))
  const attempts = byKey((model) => createAttemptRecorder(metrics, model))
  const recorders = new Map<string, RecordCall>()
  const unscanned = byKey((guard) => byKey((reason) => metrics.counter("rtr_guard_unscanned_total", { guard, reason })))
  const latest = new Map<string | undefined, { readonly kind: Kind; readonly count: RecordCall }>()
  return (record) => {
    const { readings } = record
    if (readings !== undefined) {
      readingSeconds().observe(readings.totalMs / 1000)
      for (const type in readings.typeMs) typeSeconds(type).observe((readings.typeMs[type] ?? 0) / 1000)
    }
    for (const { guard, reason } of record.unscanned) unscanned(guard)(reason).add()
    // Most calls are like the last one of their decision, which is quicker to tell than to make a key of nine parts (2 µs).
    const last = latest.get(record.decision)
    if (last !== undefined && isAlike(last.kind, record)) last.count(record)
    else {
      const key = kindOf(record)
      let count = recorders.get(key)
      if (count === undefined) recorders.set(key, (count = createRecorder(metrics, record, keyOf)))
      const { endpoint, status, path, model, automatic, reasoning } = record
      if (record.error === undefined)
        latest.set(record.decision, { kind: { endpoint, status, path, model, automatic, reasoning }, count })
      count(record)
    }
    for (const attempt of record.attempts) attempts(attempt.model)(attempt)
  }
}

type Kind = Pick<CallRecord, "endpoint" | "status" | "path" | "model" | "automatic" | "reasoning">

/** Whether a call counts in the same series as an earlier one of its decision that did not fail. */
const isAlike = (kind: Kind, record: CallRecord): boolean =>
  record.error === undefined &&
  kind.model === record.model &&
  kind.status === record.status &&
  kind.endpoint === record.endpoint &&
  kind.path === record.path &&
  kind.automatic === record.automatic &&
  kind.reasoning === record.reasoning

/** What decides which series a call counts in; all of it comes from the configuration or is bounded. */
function kindOf(record: CallRecord): string {
  const { endpoint, status, path, model, decision, automatic, reasoning } = record
  return `${endpoint}\0${status}\0${errorReason(record)}\0${path}\0${model}\0${decision}\0${automatic}\0${reasoning?.enabled}\0${reasoning?.effort}`
}

function createRecorder(metrics: Metrics, kind: CallRecord, keyOf: (decision: string) => string): RecordCall {
  const { endpoint, decision, status } = kind
  const model = kind.model ?? "none"
  const name = decision === undefined ? undefined : keyOf(decision)
  const category = name ?? "none"
  const reason = errorReason(kind)
  const counted = [
    metrics.counter("semantic_router_requests_total", { endpoint, category, status: String(status) }),
    ...(name === undefined ? [] : [metrics.counter("llm_decision_match_total", { decision_name: name })]),
    ...(kind.model === undefined ? [] : choiceCounters(metrics, kind, model, category)),
    ...(reason === undefined ? [] : [metrics.counter("llm_request_errors_total", { model, reason })]),
  ]
  const totalSeconds = metrics.histogram("semantic_router_request_duration_seconds", { endpoint })
  return ({ totalMs }) => {
    for (const counter of counted) counter.add()
    totalSeconds.observe(totalMs / 1000)
  }
}

function choiceCounters(
  metrics: Metrics,
  { automatic, reasoning }: CallRecord,
  model: string,
  category: string,
): readonly Counter[] {
  const why = automatic ? "auto_routing" : "model_specified"
  const routed = metrics.counter("llm_routing_reason_codes_total", { reason_code: why, model })
  if (reasoning === undefined) return [routed]
  const { enabled, effort } = reasoning
  return [
    routed,
    metrics.counter("llm_reasoning_decisions_total", { category, model, enabled: String(enabled), effort }),
  ]
}

function createAttemptRecorder(metrics: Metrics, model: string): (attempt: Attempt) => void {
  const requests = once(() => metrics.counter("llm_model_requests_total", { model }))
  const firstByteSeconds = once(() => metrics.histogram("llm_model_ttft_seconds", { model }))
  const usages = once(() => createUsageRecorder(metrics, model))
  return (attempt) => {
    requests().add()
    if (attempt.firstByteMs !== undefined && attempt.error === undefined)
      firstByteSeconds().observe((attempt.firstByteMs - attempt.startMs) / 1000)
    if (attempt.usage !== undefined) usages()(attempt, attempt.usage)
  }
}

function createUsageRecorder(metrics: Metrics, model: string): (attempt: Attempt, usage: Usage) => void {
  const promptTokens = metrics.counter("llm_model_prompt_tokens_total", { model })
  const completionTokens = metrics.counter("llm_model_completion_tokens_total", { model })
  const tokenSeconds = once(() => metrics.histogram("llm_model_tpot_seconds", { model }))
  return (attempt, usage) => {
    promptTokens.add(usage.inputTokens)
    completionTokens.add(usage.outputTokens)
    const { firstByteMs, endMs } = attempt
    if (firstByteMs !== undefined && endMs !== undefined && usage.outputTokens > 0)
      tokenSeconds().observe((endMs - firstByteMs) / 1000 / usage.outputTokens)
  }
}

/** A series appears when something is first counted in it. */
function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= make())
}

function byKey<Value>(make: (key: string) => Value): (key: string) => Value {
  const values = new Map<string, Value>()
  return (key) => {
    let value = values.get(key)
    if (value === undefined) values.set(key, (value = make(key)))
    return value
  }
}

/** The bounded reason label of a failed call. */
function errorReason({ error, status, attempts }: CallRecord): string | undefined {
  switch (error?.code) {
    case undefined:
      return status >= 500 ? "upstream_5xx" : status >= 400 ? "upstream_4xx" : undefined
    case "upstream_timeout":
    case "deadline_exceeded":
    case "request_timeout":
      return "timeout"
    case "client_closed_request":
      return "cancellation"
    case "reply_blocked":
      return "jailbreak_block"
    case "signal_unresolved":
      return "classification_failed"
    case "upstream_error": {
      // Refused credentials are a bad gateway for the client.
      const answered = attempts.at(-1)?.status ?? status
      return answered >= 400 && answered < 500 ? "upstream_4xx" : "upstream_5xx"
    }
    case "upstream_unavailable":
      return "upstream_5xx"
    case "model_not_found":
    case "model_not_allowed":
      return error.code
    case "invalid_request":
    case "context_length_exceeded":
    case "request_too_large":
    case "unread_words":
    case "unreadable_content":
      return "parse_error"
    default:
      return "unknown"
  }
}
