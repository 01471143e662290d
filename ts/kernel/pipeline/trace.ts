// Counts and times finished calls.

import type { CallEnd, Routing, TokenCounts } from "../types/call.ts"
import type { Counter, Metrics } from "../types/metrics.ts"
import type { ModelTarget, Plan } from "../types/plan.ts"

export interface Tracer {
  /** Records one finished call. Called after the reply has left. */
  finish(endpoint: string, end: CallEnd): void
  signals(totalMs: number, familyMs: Readonly<Record<string, number>>): void
}

/** Makes the handles for calls that are alike once, so that a request only adds to them. */
export function createTracer(metrics: Metrics, plan: Pick<Plan, "models">): Tracer {
  const readingSeconds = once(() => metrics.histogram("semantic_router_classification_duration_seconds"))
  const familySeconds = byKey((type) =>
    metrics.histogram("llm_signal_extraction_latency_seconds", { signal_type: type }),
  )
  const recorders = new Map<string, Recorder>()

  return {
    signals(totalMs, familyMs) {
      readingSeconds().observe(totalMs / 1000)
      for (const type in familyMs) familySeconds(type).observe((familyMs[type] ?? 0) / 1000)
    },
    finish(endpoint, end) {
      const key = kindOf(endpoint, end)
      let record = recorders.get(key)
      if (record === undefined) recorders.set(key, (record = createRecorder(metrics, plan, endpoint, end)))
      record(end)
    },
  }
}

/** What decides which series a call counts in; all of it comes from the configuration or is bounded. */
function kindOf(endpoint: string, { routing, status, error }: CallEnd): string {
  const call = `${endpoint}\0${status}\0${error?.code}`
  if (routing === undefined) return call
  const { path, model, decision, automatic, reasoning } = routing
  return `${call}\0${path}\0${model}\0${decision}\0${automatic}\0${reasoning?.enabled}\0${reasoning?.effort}`
}

type Recorder = (end: CallEnd) => void

function createRecorder(metrics: Metrics, plan: Pick<Plan, "models">, endpoint: string, kind: CallEnd): Recorder {
  const { routing, status } = kind
  const model = routing?.model ?? "none"
  const category = routing?.decision ?? "none"
  const reason = errorReason(kind)
  const counted = [
    metrics.counter("semantic_router_requests_total", { endpoint, category, status: String(status) }),
    ...(routing?.decision === undefined
      ? []
      : [metrics.counter("llm_decision_match_total", { decision_name: routing.decision })]),
    ...(routing?.path === "upstream" ? upstreamCounters(metrics, routing, model, category) : []),
    ...(reason === undefined ? [] : [metrics.counter("llm_request_errors_total", { model, reason })]),
  ]
  const totalSeconds = metrics.histogram("semantic_router_request_duration_seconds", { endpoint })
  const firstByteSeconds = once(() => metrics.histogram("llm_model_ttft_seconds", { model }))
  const countUsage = once(() => createUsageCounter(metrics, plan, model))
  return (end) => {
    for (const counter of counted) counter.add()
    totalSeconds.observe(end.totalMs / 1000)
    if (end.firstByteMs !== undefined) firstByteSeconds().observe(end.firstByteMs / 1000)
    if (end.usage !== undefined) countUsage()(end, end.usage)
  }
}

function upstreamCounters(metrics: Metrics, routing: Routing, model: string, category: string): readonly Counter[] {
  const { automatic, reasoning } = routing
  const why = automatic ? "auto_routing" : "model_specified"
  return [
    metrics.counter("llm_model_requests_total", { model }),
    metrics.counter("llm_routing_reason_codes_total", { reason_code: why, model }),
    ...(reasoning === undefined
      ? []
      : [
          metrics.counter("llm_reasoning_decisions_total", {
            category,
            model,
            enabled: String(reasoning.enabled),
            effort: reasoning.effort,
          }),
        ]),
  ]
}

function createUsageCounter(
  metrics: Metrics,
  plan: Pick<Plan, "models">,
  model: string,
): (end: CallEnd, usage: TokenCounts) => void {
  const promptTokens = metrics.counter("llm_model_prompt_tokens_total", { model })
  const completionTokens = metrics.counter("llm_model_completion_tokens_total", { model })
  const tokenSeconds = once(() => metrics.histogram("llm_model_tpot_seconds", { model }))
  const target = plan.models.get(model)
  const currency = target?.pricing?.currency
  const cost = currency === undefined ? undefined : metrics.counter("llm_model_cost_total", { model, currency })
  return ({ firstByteMs, totalMs }, usage) => {
    promptTokens.add(usage.prompt_tokens)
    completionTokens.add(usage.completion_tokens)
    if (firstByteMs !== undefined && usage.completion_tokens > 0)
      tokenSeconds().observe((totalMs - firstByteMs) / 1000 / usage.completion_tokens)
    if (target !== undefined) cost?.add(costOf(target, usage))
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

/** Cost of a call in the currency of the model's pricing; 0 without pricing. */
export function costOf({ pricing }: Pick<ModelTarget, "pricing">, usage: TokenCounts): number {
  if (pricing === undefined) return 0
  const cached = Math.min(usage.cached_tokens, usage.prompt_tokens)
  return (
    ((usage.prompt_tokens - cached) * pricing.promptPer1m +
      cached * pricing.cachedInputPer1m +
      usage.completion_tokens * pricing.completionPer1m) /
    1_000_000
  )
}

/** The bounded reason label of a failed call (spec 1, Metrics). */
function errorReason({ error, status }: CallEnd): string | undefined {
  switch (error?.code) {
    case undefined:
      return status >= 500 ? "upstream_5xx" : status >= 400 ? "upstream_4xx" : undefined
    case "upstream_timeout":
    case "deadline_exceeded":
    case "request_timeout":
      return "timeout"
    case "client_closed_request":
      return "cancellation"
    case "signal_unresolved":
      return "classification_failed"
    case "upstream_error":
    case "upstream_unavailable":
      return "upstream_5xx"
    case "model_not_found":
      return "model_not_found"
    case "invalid_request":
    case "context_length_exceeded":
    case "request_too_large":
    case "unread_words":
      return "parse_error"
    default:
      return "unknown"
  }
}
