import { type CallRecord, type ErrorCode, errorCodes, RtrError } from "rtr"
import { expect, test } from "vitest"
import { createAttemptCounter } from "../../../ts/kernel/pipeline/upstream/reliability/attempt-counter.ts"
import { createCallMetrics } from "../../../ts/kernel/pipeline/call-metrics.ts"
import { metricDefinitions } from "../../../ts/kernel/pipeline/metric-definitions.ts"
import { createRecord } from "../../../ts/kernel/pipeline/record.ts"
import type { Attempt } from "../../../ts/kernel/types/call.ts"
import { createCall } from "../../fakes/call.ts"
import { createRecordedMetrics } from "../../fakes/metrics.ts"
import { createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"
import { chunk, watchedKernel } from "../../fakes/watched-kernel.ts"

const usage = { inputTokens: 1000, outputTokens: 200, cachedInputTokens: 400 }
const attempt = (changes: Partial<Attempt> = {}): Attempt => ({ model: "small", backend: "b", startMs: 0, ...changes })

const recordOf = (changes: Partial<CallRecord> = {}): CallRecord => ({
  ...createRecord(createCall(), 1),
  path: "upstream",
  model: "small",
  decision: "rush",
  status: 200,
  totalMs: 2000,
  attempts: [attempt()],
  ...changes,
})

function countAll(calls: readonly Partial<CallRecord>[]) {
  const metrics = createRecordedMetrics()
  const record = createCallMetrics(metrics)
  for (const changes of calls) record(recordOf(changes))
  return metrics.values
}
const count = (changes: Partial<CallRecord>) => countAll([changes])
const requests = (category: string, status: number): string =>
  `semantic_router_requests_total{endpoint=/v1/chat/completions,category=${category},status=${status}}`
const seconds = "semantic_router_request_duration_seconds{endpoint=/v1/chat/completions}"

test("a call that went well", () => {
  const attempts = [attempt({ usage, firstByteMs: 1000, endMs: 2000 })]
  expect(count({ attempts })).toEqual({
    [requests("rush", 200)]: [1],
    [seconds]: [2],
    "llm_decision_match_total{decision_name=rush}": [1],
    "llm_model_requests_total{model=small}": [1],
    "llm_routing_reason_codes_total{reason_code=auto_routing,model=small}": [1],
    "llm_model_ttft_seconds{model=small}": [1],
    "llm_model_prompt_tokens_total{model=small}": [1000],
    "llm_model_completion_tokens_total{model=small}": [200],
    "llm_model_tpot_seconds{model=small}": [0.005],
  })
})

test("a call without usage counts no tokens", () => {
  expect(Object.keys(count({})).toSorted()).toEqual([
    "llm_decision_match_total{decision_name=rush}",
    "llm_model_requests_total{model=small}",
    "llm_routing_reason_codes_total{reason_code=auto_routing,model=small}",
    seconds,
    requests("rush", 200),
  ])
})

test("a call of an explicit model", () => {
  const values = count({ automatic: false, decision: undefined })
  expect(values["llm_routing_reason_codes_total{reason_code=model_specified,model=small}"]).toEqual([1])
  expect(values[requests("none", 200)]).toEqual([1])
  expect(Object.keys(values).join()).not.toContain("llm_decision_match_total")
})

test("an answer of a plugin is no request to a model", () => {
  expect(Object.keys(count({ path: "fast_response", model: undefined, attempts: [] })).toSorted()).toEqual([
    "llm_decision_match_total{decision_name=rush}",
    seconds,
    requests("rush", 200),
  ])
})

test("a call that was never routed has no names", () => {
  const error = new RtrError("model_not_found", "x")
  expect(count({ path: "error", model: undefined, decision: undefined, attempts: [], status: 404, error })).toEqual({
    [requests("none", 404)]: [1],
    [seconds]: [2],
    "llm_request_errors_total{model=none,reason=model_not_found}": [1],
  })
})

test("each attempt counts for its own model", () => {
  const values = count({ attempts: [attempt(), attempt({ usage }), attempt({ model: "large" })] })
  expect([values["llm_model_requests_total{model=small}"], values["llm_model_requests_total{model=large}"]]).toEqual([
    [1, 1],
    [1],
  ])
})

test("no completion tokens have no time each, and a failed attempt no first byte", () => {
  const none = attempt({ usage: { ...usage, outputTokens: 0 }, firstByteMs: 1, endMs: 2 })
  expect(Object.keys(count({ attempts: [none] })).join()).not.toContain("llm_model_tpot_seconds")
  const failed = attempt({ firstByteMs: 1, error: new RtrError("upstream_error", "x") })
  expect(Object.keys(count({ attempts: [failed] })).join()).not.toContain("llm_model_ttft_seconds")
})

test("a failed call is counted with a bounded reason", () => {
  const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
    upstream_timeout: "timeout",
    deadline_exceeded: "timeout",
    request_timeout: "timeout",
    client_closed_request: "cancellation",
    reply_blocked: "jailbreak_block",
    signal_unresolved: "classification_failed",
    upstream_error: "upstream_5xx",
    upstream_unavailable: "upstream_5xx",
    model_not_found: "model_not_found",
    model_not_allowed: "model_not_allowed",
    invalid_request: "parse_error",
    request_too_large: "parse_error",
    context_length_exceeded: "parse_error",
    unread_words: "parse_error",
    unreadable_content: "parse_error",
  }
  const reasonOf = (changes: Partial<CallRecord>) =>
    Object.keys(count(changes)).flatMap(
      (key) => key.match(/^llm_request_errors_total\{model=small,reason=(.*)\}$/)?.[1] ?? [],
    )
  for (const code of Object.keys(errorCodes) as ErrorCode[]) {
    const error = new RtrError(code, "x")
    expect([code, reasonOf({ error, status: error.status })]).toEqual([code, [reasons[code] ?? "unknown"]])
  }
  for (const [status, reason] of [
    [200, []],
    [399, []],
    [400, ["upstream_4xx"]],
    [429, ["upstream_4xx"]],
    [499, ["upstream_4xx"]],
    [500, ["upstream_5xx"]],
    [529, ["upstream_5xx"]],
  ] as const)
    expect([status, reasonOf({ status })]).toEqual([status, reason])
})

test("a failed call of a backend is counted with its model and its decision", async () => {
  const late = new RtrError("upstream_timeout", "late")
  const cut = {
    ...streamReply([]),
    body: [`data: ${JSON.stringify(chunk("a"))}\n\n`],
    breaksWith: new RtrError("upstream_error", "cut"),
  }
  const cases: readonly (readonly [FakeReply | Error, number, string])[] = [
    [late, late.status, "timeout"],
    [jsonReply({ error: { message: "busy" } }, { status: 503 }), 503, "upstream_5xx"],
    [jsonReply({}, { status: 429 }), 429, "upstream_4xx"],
    // The client gets a bad gateway, the count says what the backend answered.
    [jsonReply({}, { status: 401 }), 502, "upstream_4xx"],
    [cut, 502, "upstream_5xx"],
  ]
  for (const [reply, status, reason] of cases) {
    const metrics = createRecordedMetrics()
    const { stream } = await watchedKernel({ metrics, transport: createFakeTransport(reply) })
    await stream("urgent")
    expect(metrics.values).toMatchObject({
      [requests("rush", status)]: [1],
      "llm_decision_match_total{decision_name=rush}": [1],
      [`llm_request_errors_total{model=large,reason=${reason}}`]: [1],
      "llm_model_requests_total{model=large}": [1],
      "llm_routing_reason_codes_total{reason_code=auto_routing,model=large}": [1],
    })
  }
})

test("refused credentials and a broken reply, both a bad gateway for the client, are counted apart", () => {
  const error = new RtrError("upstream_error", "x")
  const values = [401, 200, 401].map((status) => ({ error, status: 502, attempts: [attempt({ status })] }))
  expect(countAll(values)).toMatchObject({
    "llm_request_errors_total{model=small,reason=upstream_4xx}": [1, 1],
    "llm_request_errors_total{model=small,reason=upstream_5xx}": [1],
  })
})

test("signals are timed in seconds, in all and by type", () => {
  const readings = { facts: [], totalMs: 30, typeMs: { keyword: 1, domain: 30 } }
  expect(count({ readings })).toMatchObject({
    semantic_router_classification_duration_seconds: [0.03],
    "llm_signal_extraction_latency_seconds{signal_type=keyword}": [0.001],
    "llm_signal_extraction_latency_seconds{signal_type=domain}": [0.03],
  })
})

test("handles are made once for each set of labels", () => {
  const metrics = createRecordedMetrics()
  const record = createCallMetrics(metrics)
  const readings = { facts: [], totalMs: 1, typeMs: { keyword: 1 } }
  record(recordOf({ readings }))
  const made = metrics.handles.count
  for (let round = 0; round < 2; round++) record(recordOf({ readings }))
  expect(metrics.handles.count).toBe(made)
  expect(metrics.values["llm_model_requests_total{model=small}"]).toEqual([1, 1, 1])
})

test("the reasoning setting of the candidate is counted", () => {
  const family = { type: "chat_template_kwargs", parameter: "x" } as const
  const values = count({ reasoning: { enabled: true, effort: "high", family } })
  expect(values["llm_reasoning_decisions_total{category=rush,model=small,enabled=true,effort=high}"]).toEqual([1])
})

test("counts the rules of guards that did not read a request, by reason", () => {
  const unscanned = [
    { guard: "pii", rule: "any", reason: "timeout" },
    { guard: "pii", rule: "other", reason: "timeout" },
    { guard: "jailbreak", rule: "attack", reason: "unread_words" },
  ] as const
  const values = count({ unscanned })
  expect([
    values["rtr_guard_unscanned_total{guard=pii,reason=timeout}"],
    values["rtr_guard_unscanned_total{guard=jailbreak,reason=unread_words}"],
  ]).toEqual([[1, 1], [1]])
})

test("every metric of calls that is defined is recorded, with its labels and kind", () => {
  const used = new Map<string, string>()
  const note =
    (kind: string) =>
    (name: string, labels: object = {}) => {
      used.set(name, `${kind} ${Object.keys(labels).toSorted().join()}`)
      return { add: () => {}, set: () => {}, observe: () => {} }
    }
  const metrics = { counter: note("counter"), gauge: note("gauge"), histogram: note("histogram") }
  const record = createCallMetrics(metrics)
  createAttemptCounter(metrics)(
    recordOf({
      attempts: [attempt({ why: "retry", ejected: true }), attempt({ why: "hedge" }), attempt({ why: "fallback" })],
      skipped: [{ model: "small", reason: "tools" }],
    }),
  )
  record(
    recordOf({
      status: 500,
      readings: { facts: [], totalMs: 1, typeMs: { keyword: 1 } },
      reasoning: { enabled: false, effort: "low", family: { type: "reasoning_effort", parameter: "x" } },
      attempts: [attempt({ usage, cost: 1, firstByteMs: 1, endMs: 2 })],
      unscanned: [{ guard: "pii", rule: "any", reason: "timeout" }],
    }),
  )
  const defined = metricDefinitions.flatMap(({ name, kind, labels }) =>
    /^rtr_model_runtime_|_cost_/.test(name) ? [] : [[name, `${kind} ${labels.toSorted().join()}`]],
  )
  expect(Object.fromEntries(used)).toEqual(Object.fromEntries(defined))
  expect(new Set(metricDefinitions.map(({ name }) => name)).size).toBe(metricDefinitions.length)
})
