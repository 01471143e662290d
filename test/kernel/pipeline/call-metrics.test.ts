import { describe, expect, test } from "vitest"
import { type ErrorCode, errorCodes, RtrError } from "../../../ts/kernel/error.ts"
import { metricDefinitions } from "../../../ts/kernel/pipeline/metric-definitions.ts"
import { costOf, createTracer } from "../../../ts/kernel/pipeline/trace.ts"
import type { CallEnd, Routing } from "../../../ts/kernel/types/call.ts"
import type { Pricing } from "../../../ts/kernel/types/plan.ts"
import { createRecordedMetrics } from "../../fakes/metrics.ts"
import { createTarget } from "../../fakes/plan.ts"

const routing: Routing = {
  path: "upstream",
  model: "small",
  decision: "rush",
  algorithm: "static",
  confidence: 1,
  appliedPolicies: [],
  signalMs: 1,
  familyMs: {},
  automatic: true,
}
const pricing: Pricing = { currency: "EUR", promptPer1m: 2, completionPer1m: 10, cachedInputPer1m: 0.5 }
const usage = { prompt_tokens: 1000, completion_tokens: 200, cached_tokens: 400 }
const endpoint = "/v1/chat/completions"

function finish(end: Partial<CallEnd>, models = new Map([["small", createTarget("small", { pricing })]])) {
  const metrics = createRecordedMetrics()
  createTracer(metrics, { models }).finish(endpoint, { routing, status: 200, totalMs: 2000, ...end })
  return metrics.values
}

test("a call that went well", () => {
  expect(finish({ usage, firstByteMs: 1000 })).toEqual({
    "semantic_router_requests_total{endpoint=/v1/chat/completions,category=rush,status=200}": [1],
    "semantic_router_request_duration_seconds{endpoint=/v1/chat/completions}": [2],
    "llm_decision_match_total{decision_name=rush}": [1],
    "llm_model_requests_total{model=small}": [1],
    "llm_routing_reason_codes_total{reason_code=auto_routing,model=small}": [1],
    "llm_model_ttft_seconds{model=small}": [1],
    "llm_model_prompt_tokens_total{model=small}": [1000],
    "llm_model_completion_tokens_total{model=small}": [200],
    "llm_model_tpot_seconds{model=small}": [0.005],
    "llm_model_cost_total{model=small,currency=EUR}": [(600 * 2 + 400 * 0.5 + 200 * 10) / 1e6],
  })
})

test("a call without usage counts no tokens", () => {
  expect(Object.keys(finish({})).toSorted()).toEqual([
    "llm_decision_match_total{decision_name=rush}",
    "llm_model_requests_total{model=small}",
    "llm_routing_reason_codes_total{reason_code=auto_routing,model=small}",
    "semantic_router_request_duration_seconds{endpoint=/v1/chat/completions}",
    "semantic_router_requests_total{endpoint=/v1/chat/completions,category=rush,status=200}",
  ])
})

test("a call of an explicit model", () => {
  const values = finish({ routing: { ...routing, automatic: false, decision: undefined } })
  expect(values["llm_routing_reason_codes_total{reason_code=model_specified,model=small}"]).toEqual([1])
  expect(values["semantic_router_requests_total{endpoint=/v1/chat/completions,category=none,status=200}"]).toEqual([1])
  expect(Object.keys(values).join()).not.toContain("llm_decision_match_total")
})

test("an answer of a plugin is no request to a model", () => {
  const values = finish({ routing: { ...routing, path: "fast_response", model: undefined } })
  expect(Object.keys(values).toSorted()).toEqual([
    "llm_decision_match_total{decision_name=rush}",
    "semantic_router_request_duration_seconds{endpoint=/v1/chat/completions}",
    "semantic_router_requests_total{endpoint=/v1/chat/completions,category=rush,status=200}",
  ])
})

test("a call that was never routed has no names", () => {
  const error = new RtrError("model_not_found", "x")
  expect(finish({ routing: undefined, status: 404, error })).toEqual({
    "semantic_router_requests_total{endpoint=/v1/chat/completions,category=none,status=404}": [1],
    "semantic_router_request_duration_seconds{endpoint=/v1/chat/completions}": [2],
    "llm_request_errors_total{model=none,reason=model_not_found}": [1],
  })
})

test("no completion tokens have no time each", () => {
  const values = finish({ usage: { ...usage, completion_tokens: 0 }, firstByteMs: 1 })
  expect(Object.keys(values).join()).not.toContain("llm_model_tpot_seconds")
})

test("without pricing there is no cost", () => {
  expect(Object.keys(finish({ usage }, new Map())).join()).not.toContain("llm_model_cost_total")
  expect(Object.keys(finish({ usage }, new Map([["small", createTarget("small")]]))).join()).not.toContain("cost")
})

describe("the reason of a failed call", () => {
  const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
    upstream_timeout: "timeout",
    deadline_exceeded: "timeout",
    request_timeout: "timeout",
    client_closed_request: "cancellation",
    signal_unresolved: "classification_failed",
    upstream_error: "upstream_5xx",
    upstream_unavailable: "upstream_5xx",
    model_not_found: "model_not_found",
    invalid_request: "parse_error",
    request_too_large: "parse_error",
    context_length_exceeded: "parse_error",
    unread_words: "parse_error",
  }

  test.each(Object.keys(errorCodes) as ErrorCode[])("%s", (code) => {
    const error = new RtrError(code, "x")
    expect(
      finish({ error, status: error.status })[
        `llm_request_errors_total{model=small,reason=${reasons[code] ?? "unknown"}}`
      ],
    ).toEqual([1])
  })

  test.each([
    [200, undefined],
    [399, undefined],
    [400, "upstream_4xx"],
    [429, "upstream_4xx"],
    [499, "upstream_4xx"],
    [500, "upstream_5xx"],
    [529, "upstream_5xx"],
  ])("an upstream's status %i is %s", (status, reason) => {
    const counted = Object.keys(finish({ status })).filter((key) => key.startsWith("llm_request_errors_total"))
    expect(counted).toEqual(reason === undefined ? [] : [`llm_request_errors_total{model=small,reason=${reason}}`])
  })
})

test("signals are timed in seconds, in all and by type", () => {
  const metrics = createRecordedMetrics()
  createTracer(metrics, { models: new Map() }).signals(30, { keyword: 1, domain: 30 })
  expect(metrics.values).toEqual({
    semantic_router_classification_duration_seconds: [0.03],
    "llm_signal_extraction_latency_seconds{signal_type=keyword}": [0.001],
    "llm_signal_extraction_latency_seconds{signal_type=domain}": [0.03],
  })
})

test("handles are made once for each set of labels", () => {
  const metrics = createRecordedMetrics()
  const tracer = createTracer(metrics, { models: new Map() })
  for (let round = 0; round < 3; round++) {
    tracer.finish(endpoint, { routing, status: 200, totalMs: 1 })
    tracer.signals(1, { keyword: 1 })
  }
  expect(metrics.handles.count).toBe(7)
  expect(metrics.values["llm_model_requests_total{model=small}"]).toEqual([1, 1, 1])
})

test("the reasoning setting of the candidate is counted", () => {
  const family = { type: "chat_template_kwargs", parameter: "x" } as const
  const values = finish({ routing: { ...routing, reasoning: { enabled: true, effort: "high", family } } })
  expect(values["llm_reasoning_decisions_total{category=rush,model=small,enabled=true,effort=high}"]).toEqual([1])
})

test("every metric of the pipeline that is defined is recorded, with its labels and kind", () => {
  const used = new Map<string, string>()
  const note =
    (kind: string) =>
    (name: string, labels: object = {}) => {
      used.set(name, `${kind} ${Object.keys(labels).toSorted().join()}`)
      return { add: () => {}, set: () => {}, observe: () => {} }
    }
  const tracer = createTracer(
    { counter: note("counter"), gauge: note("gauge"), histogram: note("histogram") },
    { models: new Map([["small", createTarget("small", { pricing })]]) },
  )
  const reasoning = { enabled: false, effort: "low", family: { type: "reasoning_effort", parameter: "x" } } as const
  tracer.finish(endpoint, { routing: { ...routing, reasoning }, status: 500, usage, firstByteMs: 1, totalMs: 2 })
  tracer.signals(1, { keyword: 1 })
  const defined = metricDefinitions.flatMap(({ name, kind, labels }) =>
    name.startsWith("rtr_model_runtime_") ? [] : [[name, `${kind} ${labels.toSorted().join()}`]],
  )
  expect(Object.fromEntries(used)).toEqual(Object.fromEntries(defined))
})

test("each metric is defined once", () => {
  expect(new Set(metricDefinitions.map(({ name }) => name)).size).toBe(metricDefinitions.length)
})

describe("cost", () => {
  test.each([
    ["prompt and completion", { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, cached_tokens: 0 }, 12],
    [
      "cached prompt tokens at their own price",
      { prompt_tokens: 1_000_000, completion_tokens: 0, cached_tokens: 1_000_000 },
      0.5,
    ],
    ["a part of the prompt cached", { prompt_tokens: 1_000_000, completion_tokens: 0, cached_tokens: 500_000 }, 1.25],
    [
      "more cached tokens than prompt tokens",
      { prompt_tokens: 100, completion_tokens: 0, cached_tokens: 500 },
      100 * 0.5e-6,
    ],
    ["nothing", { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 }, 0],
  ])("of %s", (_, tokens, cost) => expect(costOf({ pricing }, tokens)).toBeCloseTo(cost, 12))

  test("without pricing is 0", () => expect(costOf({ pricing: undefined }, usage)).toBe(0))
})
