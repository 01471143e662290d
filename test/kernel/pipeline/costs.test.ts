import { type CallRecord, RtrError } from "rtr"
import { describe, expect, test } from "vitest"
import { createCostMetrics } from "../../../ts/kernel/pipeline/costs.ts"
import { metricDefinitions } from "../../../ts/kernel/pipeline/metric-definitions.ts"
import { post } from "../../fakes/kernel.ts"
import { fakeRecord } from "../../fakes/listener.ts"
import { createRecordedMetrics } from "../../fakes/metrics.ts"
import { createCandidate, createDecision } from "../../fakes/plan.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"
import { lastChunk, watchedKernel } from "../../fakes/watched-kernel.ts"

type Wire = "chat_completions" | "responses" | "messages"

interface Bill {
  readonly of: string
  readonly wire: Wire
  readonly pricing: object
  /** As the vendor's documentation or a user of it has published it. */
  readonly usage: object
  /** Worked out by hand. */
  readonly cost: string
}

const gpt4o = { prompt_per_1m: 2.5, cached_input_per_1m: 1.25, completion_per_1m: 10 }
const gpt5 = { prompt_per_1m: 1.25, cached_input_per_1m: 0.125, completion_per_1m: 10 }
const gpt41 = { prompt_per_1m: 2, cached_input_per_1m: 0.5, completion_per_1m: 8 }
const sonnet = { prompt_per_1m: 3, cached_input_per_1m: 0.3, cache_write_per_1m: 3.75, completion_per_1m: 15 }
const deepseek = { prompt_per_1m: 0.28, cached_input_per_1m: 0.028, completion_per_1m: 0.42 }
const grok = { prompt_per_1m: 0.2, cached_input_per_1m: 0.05, completion_per_1m: 0.5 }
const flash = { prompt_per_1m: 0.3, completion_per_1m: 2.5 }
const kimi = { currency: "CNY", prompt_per_1m: 4, cached_input_per_1m: 1, completion_per_1m: 16 }

const bills: readonly Bill[] = [
  {
    of: "OpenAI, the first example of its reference: 19 × 2.5 + 10 × 10",
    wire: "chat_completions",
    pricing: gpt4o,
    usage: {
      prompt_tokens: 19,
      completion_tokens: 10,
      total_tokens: 29,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    cost: "0.0001475",
  },
  {
    of: "OpenAI, its guide on caching: 86 × 2.5 + 1920 × 1.25 + 300 × 10",
    wire: "chat_completions",
    pricing: gpt4o,
    usage: {
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 0 },
    },
    cost: "0.005615",
  },
  {
    of: "OpenAI Responses, its guide on reasoning: 75 × 1.25 + 1186 × 10",
    wire: "responses",
    pricing: gpt5,
    usage: {
      input_tokens: 75,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1186,
      output_tokens_details: { reasoning_tokens: 1024 },
      total_tokens: 1261,
    },
    cost: "0.01195375",
  },
  {
    of: "the same with a price of its own for reasoning: 75 × 1.25 + 162 × 10 + 1024 × 4",
    wire: "responses",
    pricing: { ...gpt5, reasoning_per_1m: 4 },
    usage: { input_tokens: 75, output_tokens: 1186, output_tokens_details: { reasoning_tokens: 1024 } },
    cost: "0.00580975",
  },
  {
    of: "OpenAI Responses, its reference: 36 × 2 + 87 × 8",
    wire: "responses",
    pricing: gpt41,
    usage: {
      input_tokens: 36,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 87,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 123,
    },
    cost: "0.000768",
  },
  {
    of: "Anthropic, its reference: 2095 × 3 + 2051 × 3.75 + 2051 × 0.3 + 503 × 15",
    wire: "messages",
    pricing: sonnet,
    usage: {
      input_tokens: 2095,
      cache_creation_input_tokens: 2051,
      cache_read_input_tokens: 2051,
      output_tokens: 503,
    },
    cost: "0.02213655",
  },
  {
    of: "Anthropic, its guide on caching, the writing call: 21 × 3 + 188086 × 3.75 + 393 × 15",
    wire: "messages",
    pricing: sonnet,
    usage: {
      cache_creation_input_tokens: 188086,
      cache_read_input_tokens: 0,
      input_tokens: 21,
      output_tokens: 393,
    },
    cost: "0.7112805",
  },
  {
    of: "the reading call: 21 × 3 + 188086 × 0.3 + 393 × 15",
    wire: "messages",
    pricing: sonnet,
    usage: {
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 188086,
      input_tokens: 21,
      output_tokens: 393,
    },
    cost: "0.0623838",
  },
  {
    of: "DeepSeek, whose cache stands beside: 500 × 0.28 + 1500 × 0.028 + 300 × 0.42",
    wire: "chat_completions",
    pricing: deepseek,
    usage: {
      prompt_tokens: 2000,
      completion_tokens: 300,
      total_tokens: 2300,
      prompt_cache_hit_tokens: 1500,
      prompt_cache_miss_tokens: 500,
    },
    cost: "0.000308",
  },
  {
    of: "xAI, whose reasoning is no completion: 2167 × 0.2 + 473 × 0.05 + (182 + 672) × 0.5",
    wire: "chat_completions",
    pricing: grok,
    usage: {
      prompt_tokens: 2640,
      completion_tokens: 182,
      total_tokens: 3494,
      prompt_tokens_details: { text_tokens: 2640, audio_tokens: 0, image_tokens: 0, cached_tokens: 473 },
      completion_tokens_details: { reasoning_tokens: 672, audio_tokens: 0 },
      num_sources_used: 0,
    },
    cost: "0.00088405",
  },
  {
    of: "Gemini, whose thoughts stand in the total alone: 20 × 0.3 + (198 + 405) × 2.5",
    wire: "chat_completions",
    pricing: flash,
    usage: { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 },
    cost: "0.0015135",
  },
  {
    of: "Moonshot, its reference: 9 × 4 + 10 × 1 + 21 × 16",
    wire: "chat_completions",
    pricing: kimi,
    usage: { prompt_tokens: 19, completion_tokens: 21, total_tokens: 40, cached_tokens: 10 },
    cost: "0.000382",
  },
  {
    of: "OpenRouter over Anthropic, its reference: 94 × 3 + 100 × 3.75 + 2 × 15",
    wire: "chat_completions",
    pricing: sonnet,
    usage: {
      completion_tokens: 2,
      completion_tokens_details: { reasoning_tokens: 0 },
      cost: 0.95,
      prompt_tokens: 194,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0 },
      total_tokens: 196,
    },
    cost: "0.000687",
  },
]

const backends: Readonly<Record<Wire, object>> = {
  chat_completions: {},
  responses: { "providers.models.1.api_format": "responses" },
  messages: {
    "providers.models.1.backend_refs.0": { base_url: "https://large.example", provider: "anthropic", api_key: "key" },
  },
}

const namedEvents = (events: readonly { readonly type: string; readonly [field: string]: unknown }[]): FakeReply => ({
  headers: { "content-type": "text/event-stream" },
  body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
})

function replyOf(wire: Wire, usage: object, stream: boolean): FakeReply {
  if (wire === "chat_completions")
    return stream ? streamReply([lastChunk({ usage })]) : jsonReply(completion("hi", { usage }))
  if (wire === "responses") {
    const response = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "m",
      status: "completed",
      output: [],
      usage,
    }
    return stream
      ? namedEvents([
          { type: "response.created", response: { ...response, status: "in_progress", usage: null } },
          { type: "response.completed", response },
        ])
      : jsonReply(response)
  }
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: "end_turn" }
  if (!stream) return jsonReply({ ...message, usage })
  const { output_tokens: output } = usage as { output_tokens: number }
  return namedEvents([
    { type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: output } },
    { type: "message_stop" },
  ])
}

const clients: Readonly<Record<Wire, readonly [path: string, body: object]>> = {
  chat_completions: ["/v1/chat/completions", { messages: [{ role: "user", content: "urgent" }] }],
  responses: ["/v1/responses", { input: "urgent" }],
  messages: ["/v1/messages", { max_tokens: 9, messages: [{ role: "user", content: "urgent" }] }],
}

describe("a reply costs what its vendor bills", () => {
  test.each(bills.map((bill) => [bill.of, bill] as const))("%s", async (_, { wire, pricing, usage, cost }) => {
    const metrics = createRecordedMetrics()
    const { kernel, records } = await watchedKernel({
      changes: { ...backends[wire], "providers.models.1.pricing": pricing },
      transport: createFakeTransport(({ body }) => replyOf(wire, usage, JSON.parse(body ?? "").stream === true)),
      metrics,
    })
    const currency = (pricing as { currency?: string }).currency ?? "USD"
    for (const [client, [path, body]] of Object.entries(clients)) {
      const whole = await kernel.fetch(post(path, { model: "MoM", ...body }))
      expect([client, whole.headers.get("x-rtr-cost"), whole.headers.get("x-rtr-cost-currency")]).toEqual([
        client,
        cost,
        currency,
      ])
      expect(await whole.json()).toMatchObject({ routing_metadata: { cost: Number(cost), currency } })
      const stream = await kernel.fetch(post(path, { model: "MoM", stream: true, ...body }))
      expect([client, stream.status, stream.headers.has("x-rtr-cost")]).toEqual([client, 200, false])
      await stream.text()
    }
    const costs = [{ currency, amount: Number(cost), text: cost }]
    expect(records.map((record) => record.costs)).toEqual(Array.from({ length: 6 }, () => costs))
    const counted = metrics.values[`llm_model_cost_total{model=large,currency=${currency}}`]?.map((each) =>
      each.toFixed(12),
    )
    expect(counted).toEqual(Array.from({ length: 6 }, () => Number(cost).toFixed(12)))
  })
})

const priced = { "providers.models.1.pricing": { prompt_per_1m: 2, completion_per_1m: 10 } }

test("a stream that breaks costs the tokens that its backend has told", async () => {
  const usage = { input_tokens: 1000, output_tokens: 1 }
  const start = namedEvents([
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage } },
  ])
  const { kernel, records } = await watchedKernel({
    changes: { ...backends.messages, ...priced },
    transport: createFakeTransport({ ...start, breaksWith: new RtrError("upstream_error", "cut") }),
  })
  const response = await kernel.fetch(post("/v1/messages", { model: "MoM", stream: true, ...clients.messages[1] }))
  await response.text()
  expect(records).toMatchObject([
    { error: { code: "upstream_error" }, costs: [{ text: "0.00201" }], attempts: [{ cost: 0.00201 }] },
  ])
})

test("without prices nothing is told and nothing counted, without tokens neither", async () => {
  for (const [changes, usage] of [
    [{}, { prompt_tokens: 1, completion_tokens: 1 }],
    [priced, undefined],
  ] as const) {
    const metrics = createRecordedMetrics()
    const { ask, records } = await watchedKernel({
      changes,
      metrics,
      transport: createFakeTransport(jsonReply(completion("hi", { usage }))),
    })
    const { headers, body } = await ask("urgent")
    expect([headers.has("x-rtr-cost"), "cost" in body.routing_metadata, records[0]?.costs]).toEqual([
      false,
      false,
      undefined,
    ])
    expect(Object.keys(metrics.values).join()).not.toContain("cost")
  }
})

test("a backend that reports parts larger than the whole is not paid twice", async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 500, cache_write_tokens: 500 },
    completion_tokens_details: { reasoning_tokens: 500 },
  }
  const { ask } = await watchedKernel({
    changes: { "providers.models.1.pricing": { ...sonnet, reasoning_per_1m: 1 } },
    transport: createFakeTransport(jsonReply(completion("hi", { usage }))),
  })
  expect((await ask("urgent")).headers.get("x-rtr-cost")).toBe("0.00004")
})

describe("metrics", () => {
  const pricingOf = (promptPer1m: number, currency = "USD") => ({
    currency,
    promptPer1m,
    completionPer1m: 0,
    cachedInputPer1m: promptPer1m,
  })
  const candidates = [
    createCandidate("small", { pricing: pricingOf(1) }),
    createCandidate("large", { pricing: pricingOf(10) }),
    createCandidate("euro", { pricing: pricingOf(50, "EUR") }),
    createCandidate("free"),
  ]
  const attempt = (model: string, cost: number, currency = "USD") => ({
    model,
    backend: "b",
    startMs: 0,
    usage: { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 0 },
    cost,
    currency,
  })
  const count = (
    changes: Partial<CallRecord>,
    keyOf?: (decision: string) => string,
  ): Readonly<Record<string, readonly number[]>> => {
    const metrics = createRecordedMetrics()
    createCostMetrics(metrics, { decisions: [createDecision("rush", { candidates })], keyOf })(fakeRecord(changes))
    return metrics.values
  }
  const cost = (amount: number, currency = "USD") => ({ currency, amount, text: String(amount) })

  test("tell what routing saved beside the dearest candidate with prices in the same currency", () => {
    expect(count({ model: "small", attempts: [attempt("small", 1)], costs: [cost(1)] })).toEqual({
      "llm_model_cost_total{model=small,currency=USD}": [1],
      "rtr_cost_saved_total{category=rush,currency=USD}": [9],
    })
    expect(count({ model: "large", attempts: [attempt("large", 10)], costs: [cost(10)] })).toEqual({
      "llm_model_cost_total{model=large,currency=USD}": [10],
    })
  })

  test("name a decision of another recipe with both names", () => {
    const keyOf = (decision: string): string => `private::${decision}`
    const saved = { model: "small", attempts: [attempt("small", 1)], costs: [cost(1)] }
    const added = { model: "large", attempts: [attempt("large", 11)], costs: [cost(11)] }
    expect([count(saved, keyOf), count(added, keyOf)]).toMatchObject([
      { "rtr_cost_saved_total{category=private::rush,currency=USD}": [9] },
      { "rtr_cost_added_total{category=private::rush,currency=USD}": [1] },
    ])
  })

  test("tell what several calls for one reply cost more", () => {
    const attempts = [attempt("small", 1), attempt("large", 10)]
    expect(count({ model: "large", attempts, costs: [cost(11)] })).toEqual({
      "llm_model_cost_total{model=small,currency=USD}": [1],
      "llm_model_cost_total{model=large,currency=USD}": [10],
      "rtr_cost_added_total{category=rush,currency=USD}": [1],
    })
  })

  test("compare nothing across currencies or without a decision", () => {
    const attempts = [attempt("small", 1), attempt("euro", 50, "EUR")]
    for (const changes of [
      { model: "euro", attempts, costs: [cost(1), cost(50, "EUR")] },
      { model: "small", decision: undefined, attempts: [attempt("small", 1)], costs: [cost(1)] },
      { model: "small", decision: "other", attempts: [attempt("small", 1)], costs: [cost(1)] },
    ])
      expect(Object.keys(count(changes)).filter((name) => !name.startsWith("llm_model_cost_total"))).toEqual([])
  })

  test("are defined", () => {
    const names = metricDefinitions.flatMap(({ name, labels }) =>
      name.includes("cost") ? `${name} ${labels.join()}` : [],
    )
    expect(names).toEqual([
      "llm_model_cost_total model,currency",
      "rtr_cost_saved_total category,currency",
      "rtr_cost_added_total category,currency",
    ])
  })
})
