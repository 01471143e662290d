import { RtrError } from "rtr"
import { createFakeInference } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { documentWith } from "../fakes/document.ts"
import { createFakeKernel, type FakeKernel, post } from "../fakes/kernel.ts"
import { createFakeTransport } from "../fakes/transport.ts"

const kernelWith = (
  changes: Readonly<Record<string, unknown>> = {},
  options: Parameters<typeof createFakeKernel>[0] = {},
): Promise<FakeKernel> =>
  createFakeKernel({
    config: documentWith(changes),
    transport: createFakeTransport(new Error("a backend was called")),
    ...options,
  })

async function ask(kernel: FakeKernel, body: unknown, query = "") {
  const response = await kernel.management.fetch(post(`/api/v1/routing/preview${query}`, body))
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  }
}
const preview = async (body: unknown, changes: Readonly<Record<string, unknown>> = {}, query = "") =>
  ask(await kernelWith(changes), body, query)

const ms = expect.any(Number)

describe("a preview", () => {
  test("tells facts, decision, model and reason", async () => {
    expect((await preview({ text: "this is urgent" })).body).toEqual({
      original_text: "this is urgent",
      requested_model: "MoM",
      decision_result: {
        decision_name: "rush",
        algorithm: "static",
        plugins: [],
        confidence: 1,
        used_signals: { keywords: ["urgent"] },
        matched_signals: { keywords: ["urgent"] },
        unmatched_signals: {},
      },
      recommended_models: ["large"],
      selected_model: "large",
      selection_status: "selected",
      selection_method: "static",
      selection_reason: "the only candidate",
      routing_decision: "rush",
      metrics: { keyword: { execution_time_ms: ms, confidence: 1 } },
      signal_confidences: { "keyword:urgent": 1 },
      signal_values: {},
    })
  })

  test("reads bodies of every protocol", async () => {
    const turn = { role: "user", content: "this is urgent" }
    const requests = [
      { request: { messages: [turn], model: "large" } },
      { request: { system: "Be kind.", messages: [turn], max_tokens: 5 }, protocol: "messages", model: "large" },
      { request: { instructions: "Be kind.", input: [turn] }, protocol: "responses", model: "large" },
    ]
    for (const body of requests) {
      expect((await preview(body)).body).toMatchObject({ requested_model: "large", selected_model: "large" })
      const automatic = { ...body, model: "MoM" }
      expect((await preview(automatic)).body).toMatchObject({ routing_decision: "rush" })
    }
  })

  test("refuses a protocol that there is not, and one without its body", async () => {
    expect(await preview({ request: {}, protocol: "soap" })).toMatchObject({
      status: 400,
      body: { error: { message: 'body.protocol "soap" is none of chat_completions, messages, responses' } },
    })
    expect(await preview({ text: "hi", protocol: "messages" })).toMatchObject({ status: 400 })
    expect(await preview({ request: { input: "hi" }, protocol: "responses", max_tokens: 5 })).toMatchObject({
      status: 400,
      body: { error: { message: "body.max_tokens stands beside body.request; write it in there" } },
    })
  })

  test("tells the default model where no decision matches", async () => {
    expect((await preview({ text: "calm" })).body).toMatchObject({
      decision_result: { decision_name: "", algorithm: "", unmatched_signals: { keywords: ["urgent"] } },
      recommended_models: [],
      selected_model: "small",
      selection_status: "selected",
      selection_method: "default_model",
      selection_reason: "no decision matched",
      routing_decision: "",
      signal_confidences: {},
    })
  })

  test("tells that a looper asks models before one is known", async () => {
    const looping = {
      name: "rush",
      rules: { type: "keyword", name: "urgent" },
      modelRefs: [{ model: "small" }, { model: "large" }],
      algorithm: { type: "confidence" },
    }
    const { body } = await preview({ text: "urgent" }, { "routing.decisions": [looping] })
    expect(body).toMatchObject({
      recommended_models: ["small", "large"],
      selection_status: "execution_required",
      selection_method: "confidence",
    })
    expect(body).not.toHaveProperty("selected_model")
  })

  test("tells that there is no model", async () => {
    const { body } = await preview({ text: "calm" }, { "providers.defaults": undefined })
    expect(body).toMatchObject({ selection_status: "unavailable" })
    expect(body).not.toHaveProperty("selected_model")
  })

  test("of an explicit model tells facts without a decision", async () => {
    const { body } = await preview({ text: "urgent", model: "small" })
    expect(body).toMatchObject({
      requested_model: "small",
      recommended_models: [],
      selected_model: "small",
      selection_method: "explicit",
      selection_reason: "the request names the model",
      routing_decision: "",
      signal_confidences: { "keyword:urgent": 1 },
    })
    expect(body).not.toHaveProperty("decision_result")
  })

  test("of a fixed answer needs no model", async () => {
    const plugins = [
      { type: "fast_response", configuration: { message: "no" } },
      { type: "system_prompt", configuration: {} },
    ]
    const { body } = await preview({ text: "urgent" }, { "routing.decisions.0.plugins": plugins })
    expect(body).toMatchObject({
      selection_status: "not_required",
      selection_method: "fast_response",
      decision_result: { plugins: ["fast_response", "system_prompt"] },
    })
    expect(body).not.toHaveProperty("selected_model")
  })

  test("takes messages with everything that a decision may read", async () => {
    const context = {
      "routing.signals.context": [{ name: "any", min_tokens: 0 }],
      "routing.decisions.0.rules": { type: "context", name: "any" },
    }
    const messages = [
      { role: "system", content: "x" },
      { role: "user", content: [{ type: "text", text: "hello" }] },
    ]
    const tools = [{ type: "function", function: { name: "f" } }]
    const { body } = await preview({ messages, tools, max_tokens: 1000 }, context)
    expect(body).toMatchObject({
      original_text: "hello",
      // Two turns, "x", "hello" and the tool as JSON.
      signal_values: { "context:any": Math.ceil(2 * 4 + 0.98 + 1.97 + 11.18) },
      decision_result: { matched_signals: { context: ["any"] } },
    })
  })

  test.each([
    [{ text: "urgent", options: { trace: true } }, ""],
    [{ text: "urgent" }, "?trace=true"],
  ])("traces the rules when asked (%j %s)", async (body, query) => {
    expect((await preview(body, {}, query)).body["eval_trace"]).toEqual([
      {
        decision_name: "rush",
        priority: 0,
        tier: 0,
        state: "match",
        matched: true,
        confidence: 1,
        root_trace: {
          node_type: "OR",
          state: "match",
          matched: true,
          confidence: 1,
          children: [
            {
              node_type: "leaf",
              signal_type: "keyword",
              signal_name: "urgent",
              state: "match",
              matched: true,
              confidence: 1,
            },
          ],
        },
      },
    ])
  })

  test.each([
    [{ text: "urgent" }, ""],
    [{ text: "urgent", options: { trace: false } }, "?trace=false"],
    [{ text: "urgent", options: {} }, ""],
  ])("does not trace otherwise (%j %s)", async (body, query) => {
    expect((await preview(body, {}, query)).body).not.toHaveProperty("eval_trace")
  })
})

describe("signals that cannot be read", () => {
  const asks = (onUnknown: string) => ({
    "routing.decisions.0.rules": {
      operator: "AND",
      on_unknown: onUnknown,
      conditions: [{ type: "domain", name: "law" }],
    },
  })
  const broken = { inference: createFakeInference({ failWith: new RtrError("overloaded", "busy") }) }

  test("are told with their reason and the policy that settled them", async () => {
    const { status, body } = await ask(await kernelWith(asks("match"), broken), { text: "hello" })
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        selected_model: "large",
        signal_errors: { "domain:law": "overloaded" },
        applied_unknown_policies: { rush: "match" },
        decision_result: expect.objectContaining({
          used_signals: { domains: ["law"] },
          matched_signals: {},
          unmatched_signals: {},
        }),
      }),
    ])
  })

  test("that fail the request make the preview 503 with all it knows", async () => {
    const { status, body } = await ask(await kernelWith(asks("fail_request"), broken), { text: "hello" })
    expect([status, body]).toEqual([
      503,
      expect.objectContaining({
        selection_status: "unavailable",
        decision_error: expect.stringContaining('Decision "rush" depends on signals'),
        signal_errors: { "domain:law": "overloaded" },
      }),
    ])
  })
})

describe("a request that cannot be served", () => {
  test("an unknown model is refused", async () => {
    expect(await preview({ text: "a", model: "nobody" })).toMatchObject({
      status: 404,
      body: { error: { code: "INVALID_ROUTING_MODEL" } },
    })
  })

  test("a body that is too large is refused", async () => {
    expect(await preview({ text: "x".repeat(10 * 1024 * 1024) })).toMatchObject({
      status: 413,
      body: { error: { code: "REQUEST_BODY_TOO_LARGE" } },
    })
  })
})

describe("limits", () => {
  const asks = { "routing.decisions.0.rules": { type: "domain", name: "law" } }

  test("refuse more previews at once than allowed, and take them again afterwards", async () => {
    const kernel = await kernelWith(
      { ...asks, "global.services.api.routing_preview.max_concurrency": 2 },
      { inference: createFakeInference({ delayMs: 30 }) },
    )
    const results = await Promise.all(["a", "b", "c", "d"].map((text) => ask(kernel, { text })))
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429])
    const refused = results.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({
      error: { code: "OVERLOADED", message: "2 previews run already; try again in a moment" },
    })
    expect(refused?.headers.get("retry-after")).toBe("1")
    expect((await ask(kernel, { text: "again" })).status).toBe(200)
  })

  test("a preview that fails gives its place back", async () => {
    const kernel = await kernelWith({ ...asks, "global.services.api.routing_preview.max_concurrency": 1 })
    for (let round = 0; round < 3; round++) expect((await ask(kernel, { text: "a", model: "nobody" })).status).toBe(404)
    expect((await ask(kernel, { text: "a" })).status).toBe(200)
  })

  test("a preview that takes too long is given up", async () => {
    const kernel = await kernelWith(
      { ...asks, "global.services.api.routing_preview.request_timeout_seconds": 1 },
      { inference: createFakeInference({ delayMs: 1500 }) },
    )
    expect(await ask(kernel, { text: "a" })).toMatchObject({
      status: 504,
      body: { error: { code: "REQUEST_TIMEOUT", message: "The preview took longer than 1 seconds" } },
    })
  })
})
