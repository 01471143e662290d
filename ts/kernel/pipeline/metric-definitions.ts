// The metrics by name. Labels are names from the configuration, never text of a request.

export interface MetricDefinition {
  readonly name: string
  readonly kind: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** Every metric that the router emits. */
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
    name: "rtr_cost_saved_total",
    kind: "counter",
    help: "What replies cost less than on the dearest candidate of their decision",
    labels: ["category", "currency"],
  },
  {
    name: "rtr_cost_added_total",
    kind: "counter",
    help: "What replies cost more than on the dearest candidate of their decision, as with several calls for one reply",
    labels: ["category", "currency"],
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
  {
    name: "llm_upstream_attempts_total",
    kind: "counter",
    help: "Attempts by model, backend and outcome, in a document with reliability or fallback",
    labels: ["model", "backend", "outcome"],
  },
  {
    name: "llm_upstream_retries_total",
    kind: "counter",
    help: "Attempts after one of the same model that failed",
    labels: ["model"],
  },
  {
    name: "llm_upstream_hedges_total",
    kind: "counter",
    help: "Attempts beside one of the same model that took long",
    labels: ["model"],
  },
  {
    name: "llm_upstream_fallbacks_total",
    kind: "counter",
    help: "Calls of a model in the place of another one",
    labels: ["model"],
  },
  {
    name: "llm_upstream_ejections_total",
    kind: "counter",
    help: "How often a backend was left out after failures",
    labels: ["model", "backend"],
  },
  {
    name: "llm_upstream_skipped_total",
    kind: "counter",
    help: "Models that were passed over, by reason",
    labels: ["model", "reason"],
  },
  {
    name: "rtr_guard_unscanned_total",
    kind: "counter",
    help: "Rules of guards that did not read a request whole, by reason",
    labels: ["guard", "reason"],
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
