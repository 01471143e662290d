// What is counted and timed, and the handles for it. Labels are names from the configuration, never text of a request.

import type { CallEnd, TokenCounts } from "../types/call.ts"
import type { Counter, Histogram, Labels, Metrics } from "../types/metrics.ts"
import type { ModelTarget, Plan } from "../types/plan.ts"

export interface MetricDefinition {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** Every metric that the router emits (spec 1, Metrics; spec 2, router-side runtime metrics). */
export const metricDefinitions: readonly MetricDefinition[] = [
  {
    name: "semantic_router_requests_total",
    kind: "counter",
    help: "Inference requests by endpoint, decision and status",
    labels: ["endpoint", "category", "status"],
  },
  {
    name: "semantic_router_request_duration_seconds",
    kind: "histogram",
    help: "Time from arrival to the end of the reply",
    labels: ["endpoint"],
    buckets: seconds,
  },
  {
    name: "semantic_router_classification_duration_seconds",
    kind: "histogram",
    help: "Time spent reading signals",
    labels: [],
    buckets: seconds,
  },
  { name: "llm_model_requests_total", kind: "counter", help: "Requests sent to a model", labels: ["model"] },
  {
    name: "llm_request_errors_total",
    kind: "counter",
    help: "Failed requests by model and reason",
    labels: ["model", "reason"],
  },
  {
    name: "llm_routing_reason_codes_total",
    kind: "counter",
    help: "Why a model was chosen",
    labels: ["reason_code", "model"],
  },
  {
    name: "llm_reasoning_decisions_total",
    kind: "counter",
    help: "Requests by decision and reasoning setting",
    labels: ["category", "model", "enabled", "effort"],
  },
  {
    name: "llm_model_prompt_tokens_total",
    kind: "counter",
    help: "Prompt tokens that upstreams reported",
    labels: ["model"],
  },
  {
    name: "llm_model_completion_tokens_total",
    kind: "counter",
    help: "Completion tokens that upstreams reported",
    labels: ["model"],
  },
  {
    name: "llm_model_cost_total",
    kind: "counter",
    help: "Cost by the configured prices",
    labels: ["model", "currency"],
  },
  {
    name: "llm_model_ttft_seconds",
    kind: "histogram",
    help: "Time to the first streamed piece, or to the whole reply",
    labels: ["model"],
    buckets: seconds,
  },
  {
    name: "llm_model_tpot_seconds",
    kind: "histogram",
    help: "Time per completion token after the first piece",
    labels: ["model"],
    buckets: seconds,
  },
  {
    name: "llm_decision_match_total",
    kind: "counter",
    help: "Requests that a decision won",
    labels: ["decision_name"],
  },
  {
    name: "llm_signal_extraction_latency_seconds",
    kind: "histogram",
    help: "Time that a signal took",
    labels: ["signal_type"],
    buckets: seconds,
  },
  { name: "rtr_model_runtime_ready", kind: "gauge", help: "1 while the deployment answers", labels: ["deployment"] },
  {
    name: "rtr_model_runtime_requests_total",
    kind: "counter",
    help: "Calls to a deployment by outcome",
    labels: ["deployment", "outcome"],
  },
  {
    name: "rtr_model_runtime_request_duration_seconds",
    kind: "histogram",
    help: "Time of a call to a deployment",
    labels: ["deployment", "surface"],
    buckets: seconds,
  },
  {
    name: "rtr_model_runtime_transport_seconds",
    kind: "histogram",
    help: "Part of a call that the worker did not account for",
    labels: ["deployment", "surface"],
    buckets: seconds,
  },
  {
    name: "rtr_model_runtime_server_seconds",
    kind: "histogram",
    help: "Time that the worker reported by phase",
    labels: ["deployment", "surface", "phase"],
    buckets: seconds,
  },
  {
    name: "rtr_model_runtime_unknown_answers_total",
    kind: "counter",
    help: "Questions without an answer by reason",
    labels: ["deployment", "reason"],
  },
  {
    name: "rtr_model_runtime_restarts_total",
    kind: "counter",
    help: "Restarts of a managed worker process",
    labels: ["deployment"],
  },
]

export interface Tracer {
  /** Records one finished call. Called after the reply has left. */
  finish(endpoint: string, end: CallEnd): void
  signals(totalMs: number, familyMs: Readonly<Record<string, number>>): void
}

/** Makes the handles for a plan's names once, so that a request only adds to them. */
export function createTracer(metrics: Metrics, plan: Pick<Plan, "models">): Tracer {
  const cached = <Handle>(make: (name: string, labels: Labels) => Handle) => {
    const handles = new Map<string, Handle>()
    return (name: string, ...pairs: readonly (readonly [string, string])[]): Handle => {
      const key = name + pairs.map(([, value]) => `\0${value}`).join("")
      let handle = handles.get(key)
      if (handle === undefined) handles.set(key, (handle = make(name, Object.fromEntries(pairs))))
      return handle
    }
  }
  const counter = cached<Counter>(metrics.counter)
  const histogram = cached<Histogram>(metrics.histogram)

  return {
    signals(totalMs, familyMs) {
      histogram("semantic_router_classification_duration_seconds").observe(totalMs / 1000)
      for (const type in familyMs)
        histogram("llm_signal_extraction_latency_seconds", ["signal_type", type]).observe((familyMs[type] ?? 0) / 1000)
    },
    finish(endpoint, end) {
      const { routing } = end
      const model = routing?.model ?? "none"
      counter(
        "semantic_router_requests_total",
        ["endpoint", endpoint],
        ["category", routing?.decision ?? "none"],
        ["status", String(end.status)],
      ).add()
      histogram("semantic_router_request_duration_seconds", ["endpoint", endpoint]).observe(end.totalMs / 1000)
      if (routing?.decision !== undefined)
        counter("llm_decision_match_total", ["decision_name", routing.decision]).add()
      if (routing?.path === "upstream") {
        counter("llm_model_requests_total", ["model", model]).add()
        counter(
          "llm_routing_reason_codes_total",
          ["reason_code", routing.automatic ? "auto_routing" : "model_specified"],
          ["model", model],
        ).add()
        if (routing.reasoning !== undefined)
          counter(
            "llm_reasoning_decisions_total",
            ["category", routing.decision ?? "none"],
            ["model", model],
            ["enabled", String(routing.reasoning.enabled)],
            ["effort", routing.reasoning.effort],
          ).add()
      }
      const reason = errorReason(end)
      if (reason !== undefined) counter("llm_request_errors_total", ["model", model], ["reason", reason]).add()
      if (end.firstByteMs !== undefined)
        histogram("llm_model_ttft_seconds", ["model", model]).observe(end.firstByteMs / 1000)
      if (end.usage !== undefined) countUsage(end, model)
    },
  }

  function countUsage(end: CallEnd, model: string): void {
    const { usage, firstByteMs, totalMs } = end
    if (usage === undefined) return
    counter("llm_model_prompt_tokens_total", ["model", model]).add(usage.prompt_tokens)
    counter("llm_model_completion_tokens_total", ["model", model]).add(usage.completion_tokens)
    if (firstByteMs !== undefined && usage.completion_tokens > 0)
      histogram("llm_model_tpot_seconds", ["model", model]).observe(
        (totalMs - firstByteMs) / 1000 / usage.completion_tokens,
      )
    const target = plan.models.get(model)
    if (target?.pricing !== undefined)
      counter("llm_model_cost_total", ["model", model], ["currency", target.pricing.currency]).add(
        costOf(target, usage),
      )
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
    case "request_too_large":
      return "parse_error"
    default:
      return "unknown"
  }
}
