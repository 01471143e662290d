// The cascade `confidence` over real backends: who is asked, what it costs, and what the client gets.

import type { ServerResponse } from "node:http"
import { describe, expect, test } from "vitest"
import { dataOf, textOfEvents } from "../fakes/event-stream.ts"
import {
  type BackendHandler,
  replyOf,
  startRouter,
  startTestBackend,
  type TestBackend,
  type TestRouter,
  userMessage,
  waitFor,
} from "./_processes.ts"

const models = ["small", "middle", "large"] as const
type Model = (typeof models)[number]

/** Log-probabilities of a reply of two tokens; their confidence is (mean + 3) / 3. */
const sure = -0.03
const unsure = -2.4

/** A reply with 3 prompt tokens and one of completion, and log-probabilities when they are asked for. */
function answer(body: Record<string, unknown>, response: ServerResponse, content: string, logprob?: number): void {
  const reply = replyOf(String(body["model"]), content) as { choices: [object] }
  const tokens = ["a", "b"].map((token) => ({
    token,
    logprob,
    bytes: null,
    top_logprobs: [
      { token, logprob, bytes: null },
      { token: "other", logprob: (logprob ?? 0) - 4, bytes: null },
    ].slice(0, Number(body["top_logprobs"] ?? 0)),
  }))
  const asked = body["logprobs"] === true && logprob !== undefined
  const choices = [{ ...reply.choices[0], logprobs: asked ? { content: tokens } : null }]
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ ...reply, choices }))
}

const fail: BackendHandler = (_, response) => {
  response.writeHead(500, { "content-type": "application/json" })
  response.end('{"error":{"message":"out of memory","type":"server_error"}}')
}

const says =
  (content: string, logprob?: number): BackendHandler =>
  (body, response) =>
    answer(body, response, content, logprob)

interface Cascade {
  readonly router: TestRouter
  readonly backends: Readonly<Record<Model, TestBackend>>
  /** How often each model was asked. */
  asked(): readonly number[]
}

async function startCascade(options: object, handlers: Readonly<Record<Model, BackendHandler>>): Promise<Cascade> {
  const started = await Promise.all(models.map((model) => startTestBackend(handlers[model])))
  const backends = Object.fromEntries(models.map((model, index) => [model, started[index]])) as Cascade["backends"]
  const router = await startRouter({
    providers: {
      models: models.map((name, index) => ({
        name,
        backend_refs: [{ endpoint: backends[name].endpoint }],
        pricing: { currency: "USD", prompt_per_1m: 10 ** index, completion_per_1m: 2 * 10 ** index },
      })),
    },
    routing: {
      modelCards: models.map((name, index) => ({ name, param_size: `${10 ** index}B` })),
      decisions: [
        {
          name: "escalate",
          rules: { operator: "AND", conditions: [] },
          // The order comes from the sizes.
          modelRefs: ["large", "small", "middle"].map((model) => ({ model })),
          algorithm: { type: "confidence", confidence: { threshold: 0.72, ...options } },
        },
      ],
    },
  })
  return { router, backends, asked: () => models.map((model) => backends[model].requests.length) }
}

interface Reply {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly logprobs?: unknown }[]
  readonly usage: Readonly<Record<string, number>>
  readonly routing_metadata: Readonly<Record<string, unknown>>
}

async function ask(router: TestRouter, extra: object = {}) {
  const response = await router.ask(userMessage("What is the answer?", extra))
  const body = (await response.json()) as Reply & { error: { code: string; message: string } }
  const header = (name: string): string | null => response.headers.get(name)
  return {
    status: response.status,
    headers: [header("x-rtr-response-path"), header("x-selected-model"), header("x-rtr-selected-algorithm")],
    text: body.choices?.[0]?.message.content,
    usage: body.usage,
    body,
  }
}

/** Series of the metrics listener by name and labels. */
async function metricsOf(router: TestRouter): Promise<(series: string) => number> {
  const text = await (await fetch(`${router.metrics}/metrics`)).text()
  return (series) => {
    const line = text.split("\n").find((each) => each.startsWith(`${series} `))
    return line === undefined ? 0 : Number(line.slice(series.length + 1))
  }
}

const usage = (calls: number): object => ({
  prompt_tokens: 3 * calls,
  completion_tokens: calls,
  total_tokens: 4 * calls,
})

test("a small model that is sure answers alone, and one that is not hands on until the last, whose reply is taken", async () => {
  const { router, backends, asked } = await startCascade(
    {},
    {
      small: (body, response) => {
        const [{ content }] = body["messages"] as [{ content: string }]
        answer(body, response, "small says", content.startsWith("What") ? unsure : sure)
      },
      middle: says("middle says", unsure),
      large: says("large says"),
    },
  )
  const easy = await router.ask(userMessage("Easy question"))
  expect(easy.headers.get("x-selected-model")).toBe("small")
  expect(await easy.json()).toMatchObject({
    choices: [{ message: { content: "small says" } }],
    usage: usage(1),
    routing_metadata: { selected_model: "small", decision: "escalate" },
  })
  expect(asked()).toEqual([1, 0, 0])

  const hard = await ask(router)
  expect(hard).toMatchObject({
    status: 200,
    headers: ["looper", "large", "confidence"],
    text: "large says",
    usage: usage(3),
    body: { routing_metadata: { selected_model: "large", decision: "escalate" } },
  })
  expect(asked()).toEqual([2, 1, 1])
  // Nobody asked for log-probabilities but the cascade, which needs none of the last model.
  expect(hard.body.choices[0]?.logprobs ?? null).toBeNull()
  expect(models.map((model) => backends[model].requests.at(-1)?.body["logprobs"])).toEqual([true, true, undefined])

  const series = await metricsOf(router)
  expect(models.map((model) => series(`llm_model_requests_total{model="${model}"}`))).toEqual([2, 1, 1])
  expect(models.map((model) => series(`llm_model_prompt_tokens_total{model="${model}"}`))).toEqual([6, 3, 3])
  // 3 prompt tokens at 1, 10 and 100 and one of completion at twice that, for each million.
  const costs = models.map((model) => series(`llm_model_cost_total{model="${model}",currency="USD"}`))
  for (const [index, cost] of [10e-6, 50e-6, 500e-6].entries()) expect(costs[index]).toBeCloseTo(cost, 12)
  expect(
    series('semantic_router_requests_total{endpoint="/v1/chat/completions",category="escalate",status="200"}'),
  ).toBe(2)
})

test("a client that asks for log-probabilities gets those that it asked for", async () => {
  const { router } = await startCascade(
    { confidence_method: "margin", threshold: 0.5 },
    { small: says("sure", sure), middle: fail, large: fail },
  )
  const { body } = await ask(router, { logprobs: true, top_logprobs: 1 })
  expect(body.choices[0]?.logprobs).toMatchObject({
    content: [
      { token: "a", logprob: sure, top_logprobs: [{ token: "a", logprob: sure }] },
      { token: "b", logprob: sure, top_logprobs: [{ token: "b", logprob: sure }] },
    ],
  })
})

describe("a model that fails", () => {
  test("is skipped, also when its reply has no log-probabilities, and its failure is told when nobody answers", async () => {
    const { router, asked } = await startCascade(
      {},
      { small: fail, middle: says("no figures"), large: says("large says") },
    )
    expect(await ask(router)).toMatchObject({ status: 200, text: "large says", usage: usage(2) })
    expect(asked()).toEqual([1, 1, 1])

    const last = await startCascade({}, { small: says("small says", unsure), middle: fail, large: fail })
    expect(await ask(last.router)).toMatchObject({ headers: ["looper", "small", "confidence"], text: "small says" })

    const none = await startCascade({}, { small: fail, middle: fail, large: fail })
    expect(await ask(none.router)).toMatchObject({
      status: 502,
      body: { error: { code: "upstream_error", message: 'Model "large" answered with status 500: out of memory' } },
    })
    const series = await metricsOf(none.router)
    expect(models.map((model) => series(`llm_model_requests_total{model="${model}"}`))).toEqual([1, 1, 1])
  }, 60_000)

  test("ends the request with on_error fail", async () => {
    const failing = await startCascade({ on_error: "fail" }, { small: fail, middle: fail, large: says("never") })
    expect(await ask(failing.router)).toMatchObject({
      status: 502,
      body: { error: { code: "upstream_error", message: 'Model "small" answered with status 500: out of memory' } },
    })
    expect(failing.asked()).toEqual([1, 0, 0])
    const silent = await startCascade({ on_error: "fail" }, { small: says("no figures"), middle: fail, large: fail })
    expect(await ask(silent.router)).toMatchObject({
      status: 502,
      body: { error: { message: expect.stringContaining("its reply has no log-probabilities") } },
    })
    expect(silent.asked()).toEqual([1, 0, 0])
  }, 60_000)
})

test("a streaming client gets the accepted reply as a stream with the usage of all calls", async () => {
  const { router, backends } = await startCascade(
    {},
    { small: says("small says", unsure), middle: says("middle says this", sure), large: fail },
  )
  const response = await router.ask(
    userMessage("What is the answer?", { stream: true, stream_options: { include_usage: true } }),
  )
  expect(response.headers.get("content-type")).toMatch(/event-stream/)
  expect([response.headers.get("x-rtr-response-path"), response.headers.get("x-selected-model")]).toEqual([
    "looper",
    "middle",
  ])
  const text = await response.text()
  const events = dataOf<{ readonly usage?: object }>(text)
  expect(textOfEvents(events)).toBe("middle says this")
  expect(events.findLast(({ usage: counted }) => counted != null)?.usage).toMatchObject(usage(2))
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect(text).not.toContain("small says")
  for (const model of ["small", "middle"] as const)
    expect(backends[model].requests[0]?.body["stream"] ?? false).toBe(false)
})

test("a client that leaves stops the call that runs and those that would follow", async () => {
  const { router, backends, asked } = await startCascade({}, { small: () => {}, middle: fail, large: says("never") })
  const leaving = new AbortController()
  const asking = fetch(`${router.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(userMessage("What is the answer?")),
    signal: leaving.signal,
  })
  await waitFor(() => backends.small.requests.length === 1)
  leaving.abort()
  await expect(asking).rejects.toThrow(/abort/i)
  await waitFor(() => backends.small.openSockets() === 0)
  await waitFor(async () => {
    const series = await metricsOf(router)
    return (
      series('semantic_router_requests_total{endpoint="/v1/chat/completions",category="escalate",status="499"}') === 1
    )
  })
  expect(asked()).toEqual([1, 0, 0])
})

test("self_verify lets each model judge its own reply, which is a call of its own", async () => {
  const judging =
    (content: string, confidence: number): BackendHandler =>
    (body, response) => {
      const messages = body["messages"] as readonly { content: string }[]
      const isJudgement = messages.at(-1)?.content.startsWith("Judge the following answer") === true
      answer(body, response, isJudgement ? `{"confidence": ${confidence}, "reason": "so"}` : content)
    }
  const { router, backends, asked } = await startCascade(
    { confidence_method: "self_verify" },
    { small: judging("small says", 0.4), middle: judging("middle says", 0.9), large: fail },
  )
  expect(await ask(router)).toMatchObject({
    text: "middle says",
    headers: ["looper", "middle", "confidence"],
    usage: usage(4),
  })
  expect(asked()).toEqual([2, 2, 0])
  expect(JSON.stringify(backends.small.requests[1]?.body["messages"])).toContain("small says")
  const series = await metricsOf(router)
  expect(models.map((model) => series(`llm_model_requests_total{model="${model}"}`))).toEqual([2, 2, 0])
})

test("automix_entailment asks the verifier, and skips a model when the verifier fails", async () => {
  const confidences: (number | undefined)[] = [0.2, 0.95, undefined, 0.8]
  const verifier = await startTestBackend((_, response) => {
    const confidence = confidences.shift()
    response.writeHead(confidence === undefined ? 503 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify({ confidence }))
  })
  const { router, asked } = await startCascade(
    { confidence_method: "automix_entailment", verifier_server_url: verifier.url },
    { small: says("small says"), middle: says("middle says"), large: fail },
  )
  expect(await ask(router)).toMatchObject({ text: "middle says", usage: usage(2) })
  expect(verifier.requests.map(({ path, body }) => [path, body])).toEqual([
    ["/verify", { question: "What is the answer?", answer: "small says", threshold: 0.72 }],
    ["/verify", { question: "What is the answer?", answer: "middle says", threshold: 0.72 }],
  ])
  expect(await ask(router)).toMatchObject({ text: "middle says" })
  expect(asked()).toEqual([2, 2, 0])
})
