import { type Call, type ChatRequest, type Preview, RtrError } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/preview.ts"
import { lineRequest } from "../../fakes/line-dialect.ts"
import { type Answer, jsonPost, mountRoute } from "../../fakes/listener.ts"
import { createDecision } from "../../fakes/plan.ts"
import { createPlannedSignal } from "../../fakes/planned-signal.ts"
import { fakePlan, fakePreview } from "../../fakes/preview.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const path = "/api/v1/routing/preview"

function mount(preview: (call: Call) => Promise<Preview>, plan = fakePlan({ autoNames: ["magic", "MoM"] })) {
  const read: unknown[] = []
  const readChat = (dialect: string, body: unknown): ChatRequest => {
    read.push([dialect, body])
    return lineRequest("x")
  }
  const ask = mountRoute(route, { preview, readChat, plan: () => plan })
  return { read, ask: (body: unknown, query = ""): Promise<Answer> => ask(`${path}${query}`, jsonPost(body)) }
}

describe("a preview", () => {
  const rush = createDecision("rush", {
    plugins: [{ type: "cache", readsEvents: false, buffersStream: false, answers: false, open: () => ({}) }],
  })
  const plan = fakePlan({
    signals: [
      createPlannedSignal("keyword", { configKey: "keywords", rules: ["urgent", "calm"] }),
      createPlannedSignal("domain", { configKey: "domains", rules: ["law"], firstSlot: 2 }),
    ],
    decisions: [rush],
  })
  const preview = fakePreview({
    plan,
    readings: {
      facts: [
        {
          rule: "urgent",
          state: "match",
          confidence: 0.9,
          value: 3,
          findings: [{ kind: "PERSON", text: 0, start: 2, end: 5, confidence: 0.8 }],
        },
        { rule: "calm", state: "no_match", confidence: 0 },
        { rule: "law", state: "unknown", confidence: 0, reason: "timeout" },
      ],
      typeMs: { keyword: 0.5, domain: 7 },
      totalMs: 7,
    },
    verdict: { decision: 0, confidence: 0.9, appliedPolicies: [{ decision: "rush", policy: "no_match" }] },
    selection: { candidate: 0, algorithm: "static", confidence: 1, reason: "the only candidate" },
    selectedModel: "large",
    unscanned: [{ guard: "pii", rule: "personal-data", reason: "unreadable_content" }],
    traces: [
      {
        decision_name: "rush",
        priority: 10,
        tier: 0,
        state: "match",
        matched: true,
        confidence: 0.9,
        root_trace: { node_type: "AND", state: "match", matched: true, confidence: 0.9, children: [] },
      },
    ],
  })

  test("tells facts by the keys of the document, decision, model and reason", async () => {
    const { status, body } = await mount(async () => preview, plan).ask({ text: "x" })
    expect([status, body]).toEqual([
      200,
      {
        original_text: "hello",
        requested_model: "MoM",
        decision_result: {
          decision_name: "rush",
          algorithm: "static",
          plugins: ["cache"],
          confidence: 0.9,
          used_signals: { keywords: ["urgent", "calm"], domains: ["law"] },
          matched_signals: { keywords: ["urgent"] },
          unmatched_signals: { keywords: ["calm"] },
        },
        recommended_models: [],
        selected_model: "large",
        selection_status: "selected",
        selection_method: "static",
        selection_reason: "the only candidate",
        routing_decision: "rush",
        metrics: {
          keyword: { execution_time_ms: 0.5, confidence: 0.9 },
          domain: { execution_time_ms: 7, confidence: 0 },
        },
        signal_confidences: { "keyword:urgent": 0.9 },
        signal_values: { "keyword:urgent": 3 },
        signal_errors: { "domain:law": "timeout" },
        unscanned: [{ guard: "pii", rule: "personal-data", reason: "unreadable_content" }],
        findings: [{ signal: "keyword:urgent", kind: "PERSON", text: 0, start: 2, end: 5, confidence: 0.8 }],
        applied_unknown_policies: { rush: "no_match" },
      },
    ])
  })

  test("reads its facts by the plan that it was made with, also when another one serves by now", async () => {
    const newer = fakePlan({
      signals: [createPlannedSignal("language", { configKey: "languages", rules: ["de", "en", "fr"] })],
      decisions: [createDecision("other")],
    })
    const { body } = await mount(async () => preview, newer).ask({ text: "x" })
    expect(body).toMatchObject({
      routing_decision: "rush",
      decision_result: { decision_name: "rush", used_signals: { keywords: ["urgent", "calm"], domains: ["law"] } },
      signal_confidences: { "keyword:urgent": 0.9 },
    })
  })

  test("tells the other ways to a model, or to none", async () => {
    const bodies = await Promise.all(
      [
        {},
        { automatic: false, requestedModel: "small" },
        { answeredBy: "fast_response" },
        { selectedModel: undefined },
        { refused: new RtrError("unread_words", "other words"), selectedModel: undefined },
      ].map(async (changes) => {
        const { status, body } = await mount(async () => fakePreview(changes)).ask({ text: "x" })
        const {
          selected_model,
          selection_status,
          selection_method,
          selection_reason,
          decision_error,
          decision_result,
        } = body as Record<string, unknown>
        return [
          status,
          selected_model,
          selection_status,
          selection_method,
          selection_reason,
          decision_error,
          decision_result !== undefined,
        ]
      }),
    )
    expect(bodies).toEqual([
      [200, "small", "selected", "default_model", "no decision matched", undefined, true],
      [200, "small", "selected", "explicit", "the request names the model", undefined, false],
      [200, undefined, "not_required", "fast_response", undefined, undefined, true],
      [200, undefined, "unavailable", undefined, undefined, undefined, true],
      [503, undefined, "unavailable", undefined, undefined, "other words", true],
    ])
  })

  test("traces the rules when asked, in the body or in the query", async () => {
    const { ask } = mount(async () => preview, plan)
    const traces = await Promise.all(
      (
        [
          [{ text: "x", options: { trace: true } }, ""],
          [{ text: "x" }, "?trace=true"],
          [{ text: "x", options: { trace: false } }, "?trace=false"],
          [{ text: "x", options: {} }, ""],
        ] as const
      ).map(
        async ([body, query]) =>
          (((await ask(body, query)).body as Record<string, unknown>)["eval_trace"] as unknown[] | undefined)?.length,
      ),
    )
    expect(traces).toEqual([1, 1, undefined, undefined])
  })

  test("hands on what a decision may read, as a call of this client", async () => {
    const calls: Call[] = []
    const { ask, read } = mount(async (call) => {
      calls.push(call)
      return fakePreview()
    })
    const messages = [{ role: "user", content: "hi" }]
    await ask({ text: "hello", max_tokens: 5 })
    await ask({ messages, model: "small", tools: [{}], options: { trace: true } })
    expect(read).toEqual([
      ["chat_completions", { model: "magic", max_tokens: 5, messages: [{ role: "user", content: "hello" }] }],
      ["chat_completions", { model: "small", tools: [{}], messages }],
    ])
    expect(calls[0]).toMatchObject({ request: lineRequest("x"), listener: "management", endpoint: path })
  })
})

test("a preview is for a client that the document has, where it has keys", async () => {
  const listener = {
    name: "test",
    address: "::1",
    port: 0,
    timeoutMs: 1000,
    apiKeys: ["support", "search"].map((name) => ({ name, key: `sk-${name}` })),
    models: undefined,
    origins: new Set<string>(),
  }
  const statusOf = async (plan: ReturnType<typeof fakePlan>, userId: string) => {
    const { ask } = mount(async () => fakePreview(), plan)
    const { status, body } = await ask({ text: "x", preview_context: { user_id: userId } })
    return [status, (body as { readonly error?: { readonly message: string } }).error?.message]
  }
  const withKeys = fakePlan({ listeners: [listener, { ...listener, name: "open", apiKeys: [] }] })
  const unknown = (name: string) => `preview_context.user_id "${name}" is not the name of an API key of the document`
  expect(await statusOf(withKeys, "search")).toEqual([200, undefined])
  expect(await statusOf(withKeys, "suport")).toEqual([400, `${unknown("suport")} (did you mean "support"?)`])
  expect(await statusOf(withKeys, "nobody")).toEqual([400, unknown("nobody")])
  expect(await statusOf(fakePlan(), "nobody")).toEqual([200, undefined])
})

describe("a request that cannot be read", () => {
  const { ask } = mount(async () => fakePreview())

  test.each<[unknown, string]>([
    ["{", "the body is not valid JSON"],
    ["[]", "body must be a map, got a list"],
    ["null", "body must be a map, got nothing"],
    [{}, 'body must have exactly one of "text", "messages" and "request", got none'],
    [{ text: "a", messages: [{}] }, 'body must have exactly one of "text", "messages" and "request", got both'],
    [{ text: " " }, "body.text (Text of one user turn) does not have the right form (pattern \\S)"],
    [{ text: "" }, "body.text must not be empty"],
    [{ text: 5 }, "body.text must be a string, got a number"],
    [{ messages: [] }, "body.messages must not have fewer than 1 items"],
    [{ text: "a", model: 5 }, "body.model must be a string, got a number"],
    [{ text: "a", stream: true }, "body.stream is not a known key"],
    [
      { text: "a", modle: "x", options: { seed: 1 } },
      'body.modle is not a known key (did you mean "model"?); body.options.seed is not a known key',
    ],
    [{ text: "a", options: "trace" }, "body.options must be a map, got a string"],
    [{ text: "a", options: { trace: "yes" } }, "body.options.trace must be a boolean, got a string"],
  ])("%j is refused", async (body, message) => {
    expect(await ask(body)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_INPUT", message: `Cannot read the request: ${message}` } },
    })
  })

  test("a trace that is neither true nor false is refused", async () => {
    expect((await ask({ text: "a" }, "?trace=1")).body).toMatchObject({
      error: { message: "Cannot read the request: query.trace must be a boolean, got a string" },
    })
  })

  test("a body that is too large is refused", async () => {
    expect(await ask({ text: "x".repeat(10 * 1024 * 1024) })).toMatchObject({
      status: 413,
      body: { error: { code: "REQUEST_BODY_TOO_LARGE" } },
    })
  })
})

describe("limits", () => {
  const limited = (previewConcurrency: number, previewTimeoutMs = 1000) => {
    const { management } = fakePlan()
    return fakePlan({ management: { ...management, previewConcurrency, previewTimeoutMs } })
  }

  test("refuse more previews at once than the plan allows, and take them again afterwards", async () => {
    const slow = () => new Promise<Preview>((resolve) => setTimeout(() => resolve(fakePreview()), 20))
    const { ask } = mount(slow, limited(2))
    const results = await Promise.all(["a", "b", "c"].map((text) => ask({ text })))
    expect(results.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
    const refused = results.find(({ status }) => status === 429)
    expect([refused?.body, refused?.headers["retry-after"]]).toMatchObject([
      { error: { code: "OVERLOADED", message: "2 previews run already; try again in a moment" } },
      "1",
    ])
    expect((await ask({ text: "again" })).status).toBe(200)
  })

  test("give the place of a preview that fails back, and give up one that takes too long", async () => {
    let fails = true
    const { ask } = mount(
      async () => (fails ? Promise.reject(new Error("x")) : new Promise<Preview>(() => {})),
      limited(1, 20),
    )
    expect([(await ask({ text: "a" })).status, (await ask({ text: "a" })).status]).toEqual([500, 500])
    fails = false
    expect(await ask({ text: "a" })).toMatchObject({ status: 504, body: { error: { code: "REQUEST_TIMEOUT" } } })
  })

  test("are those of an active configuration", async () => {
    const ask = mountRoute(route, {
      preview: async () => fakePreview(),
      readChat: () => lineRequest("x"),
      plan: () => undefined,
    })
    expect(await ask(path, jsonPost({ text: "x" }))).toMatchObject({
      status: 503,
      body: { error: { code: "NOT_READY" } },
    })
  })
})
