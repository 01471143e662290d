import { RtrError } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/chat.ts"
import { documentWith } from "../../fakes/document.ts"
import { chat, createFakeKernel, type FakeKernel, post } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const chunk = (content: string, changes: object = {}) => ({
  id: "1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content } }],
  ...changes,
})
const kernelOver = (reply: FakeReply | Error, changes: Readonly<Record<string, unknown>> = {}): Promise<FakeKernel> =>
  createFakeKernel({ config: documentWith(changes), transport: createFakeTransport(reply) })

async function ask(kernel: FakeKernel, request: Request) {
  const response = await kernel.fetch(request)
  const text = await response.text()
  return { status: response.status, headers: Object.fromEntries(response.headers), text, body: tryJson(text) }
}
const tryJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe("a whole reply", () => {
  test("is the backend's with routing metadata and headers", async () => {
    const kernel = await kernelOver(jsonReply(completion("hi", { x_own: 1 })))
    const { status, headers, body } = await ask(kernel, chat("this is urgent", {}, { "x-request-id": "mine" }))
    expect([status, body]).toEqual([
      200,
      {
        ...completion("hi", { x_own: 1 }),
        routing_metadata: {
          selected_model: "large",
          confidence: 1,
          processing_time_ms: expect.any(Number),
          cache_hit: false,
          decision: "rush",
        },
      },
    ])
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-request-id": "mine",
      "x-rtr-schema-version": "2",
      "x-rtr-response-path": "upstream",
      "x-selected-model": "large",
      "x-routing-confidence": "1.0000",
      "x-rtr-selected-decision": "rush",
      "x-rtr-selected-algorithm": "static",
      "x-tools-selected": "0",
    })
    expect(JSON.parse(kernel.transport.requests[0]?.body ?? "")).toEqual({
      model: "large",
      messages: [{ role: "user", content: "this is urgent" }],
    })
  })

  test.each([
    [
      '{ "id" : "1", "choices": [], "seed": 12345678901234567890, "text": "}" }\n',
      /^\{ "id" : "1", "choices": \[\], "seed": 12345678901234567890, "text": "\}" ,"routing_metadata":\{.*\}\}$/,
    ],
    ['{"choices":[]}', /^\{"choices":\[\],"routing_metadata":\{.*\}\}$/],
    ['{"routing_metadata":"theirs","choices":[]}', /^\{"routing_metadata":\{.*\},"choices":\[\]\}$/],
  ])("keeps the backend's own text: %s", async (body, expected) => {
    const { text, body: parsed } = await ask(await kernelOver({ status: 200, body }), chat("x"))
    expect(text).toMatch(expected)
    expect(parsed).toMatchObject({ routing_metadata: { cache_hit: false } })
  })

  test("counts the tools of the request", async () => {
    const kernel = await kernelOver(jsonReply(completion("hi")))
    expect((await ask(kernel, chat("x", { tools: [{}, {}] }))).headers["x-tools-selected"]).toBe("2")
    expect((await ask(kernel, chat("x", { tools: "none" }))).headers["x-tools-selected"]).toBe("0")
  })

  test("passes on what tells the client when to come back", async () => {
    const kernel = await kernelOver(
      jsonReply(completion("hi"), { headers: { "x-ratelimit-remaining": "3", server: "x" } }),
    )
    const { headers } = await ask(kernel, chat("x"))
    expect(headers["x-ratelimit-remaining"]).toBe("3")
    expect(headers).not.toHaveProperty("server")
  })

  test("cannot replace the router's own headers", async () => {
    const kernel = await kernelOver(
      jsonReply(completion("hi"), { headers: { "x-ratelimit-x": "1", "x-selected-model": "evil" } }),
    )
    expect((await ask(kernel, chat("x"))).headers["x-selected-model"]).toBe("small")
  })
})

describe("a streamed reply", () => {
  test("is the backend's, byte for byte, with the headers of a stream", async () => {
    const kernel = await kernelOver(streamReply([chunk("a"), chunk("b")]))
    const { status, headers, text } = await ask(kernel, chat("urgent", { stream: true }))
    expect([status, text]).toEqual([
      200,
      `data: ${JSON.stringify(chunk("a"))}\n\ndata: ${JSON.stringify(chunk("b"))}\n\ndata: [DONE]\n\n`,
    ])
    expect(headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-selected-model": "large",
    })
  })

  test("that breaks ends with an error event and no end mark", async () => {
    const broken = new RtrError("upstream_timeout", "the reply paused")
    const kernel = await kernelOver({
      ...streamReply([]),
      body: [`data: ${JSON.stringify(chunk("a"))}\n\n`],
      breaksWith: broken,
    })
    const { status, text } = await ask(kernel, chat("x", { stream: true }, { "x-request-id": "mine" }))
    expect(status).toBe(200)
    const [first, second, rest] = text.split("\n\n")
    expect([first, rest]).toEqual([`data: ${JSON.stringify(chunk("a"))}`, ""])
    expect(JSON.parse(second?.replace("data: ", "") ?? "")).toEqual({
      error: {
        message: 'No reply from model "small": the reply paused',
        type: "server_error",
        code: "upstream_timeout",
        param: null,
        details: { request_id: "mine" },
      },
    })
  })

  test("that breaks with a bug says nothing of it", async () => {
    const kernel = await kernelOver({ ...streamReply([]), body: ["data: {}\n\n"], breaksWith: new TypeError("secret") })
    const { text } = await ask(kernel, chat("x", { stream: true }))
    expect(text).toContain('"code":"internal_error"')
    expect(text).not.toContain("secret")
  })

  test("is read at the pace of the client", async () => {
    let given = 0
    async function* body(): AsyncGenerator<string> {
      for (; given < 1000; given++) yield `data: ${JSON.stringify(chunk(String(given)))}\n\n`
    }
    const transport = createFakeTransport({ headers: { "content-type": "text/event-stream" }, body: [] })
    const kernel = await createFakeKernel({
      transport: {
        ...transport,
        request: async (request) => {
          const reply = await transport.request(request)
          const encoder = new TextEncoder()
          const pieces = body()
          return {
            ...reply,
            async pull() {
              const { value, done } = await pieces.next()
              return done === true ? undefined : encoder.encode(value)
            },
          }
        },
      },
    })
    const response = await kernel.fetch(chat("x", { stream: true }))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(given).toBeLessThanOrEqual(3)
    await reader?.cancel()
  })

  test("that the client leaves is closed upstream, also before its first piece", async () => {
    for (const pieces of [0, 1]) {
      const kernel = await kernelOver(streamReply([chunk("a"), chunk("b")]))
      const response = await kernel.fetch(chat("x", { stream: true }))
      const reader = response.body?.getReader()
      for (let piece = 0; piece < pieces; piece++) await reader?.read()
      await reader?.cancel()
      expect(kernel.transport.cancelled.count).toBeGreaterThan(0)
    }
  })

  test("is made of a whole one where the backend does not stream", async () => {
    const kernel = await kernelOver(jsonReply(completion("hi")))
    const { headers, text } = await ask(kernel, chat("x", { stream: true }))
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8")
    expect(text.split("\n\n")).toEqual([
      expect.stringContaining('"delta":{"role":"assistant"'),
      expect.stringContaining('"content":"hi"'),
      expect.stringContaining('"finish_reason":"stop"'),
      "data: [DONE]",
      "",
    ])
  })
})

describe("an error of the backend", () => {
  const own = {
    error: { message: "context too long", type: "invalid_request_error", code: "context_length", details: { max: 5 } },
  }

  test("keeps status and fields, and gains the request id", async () => {
    const kernel = await kernelOver(jsonReply(own, { status: 400, headers: { "retry-after": "7" } }))
    for (const stream of [false, true]) {
      const { status, headers, body } = await ask(kernel, chat("urgent", { stream }, { "x-request-id": "mine" }))
      expect([status, body]).toEqual([400, { error: { ...own.error, details: { max: 5, request_id: "mine" } } }])
      expect(headers).toMatchObject({
        "content-type": "application/json",
        "retry-after": "7",
        "x-selected-model": "large",
        "x-rtr-response-path": "upstream",
      })
    }
  })

  test("without details gains them", async () => {
    const kernel = await kernelOver(jsonReply({ error: { message: "bad", details: null } }, { status: 500 }))
    const { body } = await ask(kernel, chat("x", {}, { "x-request-id": "mine" }))
    expect(body).toEqual({ error: { message: "bad", details: { request_id: "mine" } } })
  })
})

describe("a request that cannot be served", () => {
  test.each<[string, Request, number, string]>([
    ["no JSON", post("/v1/chat/completions", "{"), 400, "invalid_request"],
    ["no messages", post("/v1/chat/completions", { model: "MoM" }), 400, "invalid_request"],
    [
      "another content type",
      post("/v1/chat/completions", "{}", { "content-type": "image/png" }),
      415,
      "unsupported_media_type",
    ],
    ["an unknown model", chat("x", { model: "nobody" }), 404, "model_not_found"],
    ["another path", post("/v1/complete", {}), 404, "not_found"],
  ])("because of %s", async (_, request, status, code) => {
    const kernel = await kernelOver(jsonReply(completion("hi")))
    expect(await ask(kernel, request)).toMatchObject({
      status,
      body: { error: { code, details: { request_id: expect.any(String) } } },
    })
    expect(kernel.transport.requests).toEqual([])
  })

  test("because the backend cannot be reached", async () => {
    const kernel = await kernelOver(new RtrError("upstream_unavailable", "the connection was refused"))
    expect(await ask(kernel, chat("x"))).toMatchObject({
      status: 503,
      body: {
        error: { code: "upstream_unavailable", message: 'No reply from model "small": the connection was refused' },
      },
    })
  })
})

test("a fixed answer calls no backend", async () => {
  const kernel = await kernelOver(new Error("the backend was called"), {
    "routing.decisions.0.plugins": [{ type: "fast_response", configuration: { message: "Not now" } }],
  })
  const whole = await ask(kernel, chat("urgent"))
  expect(whole).toMatchObject({
    status: 200,
    headers: { "x-rtr-response-path": "fast_response", "x-rtr-fast-response": "true" },
    body: {
      choices: [{ message: { content: "Not now" } }],
      routing_metadata: { selected_model: null, decision: "rush" },
    },
  })
  const streamed = await ask(kernel, chat("urgent", { stream: true }))
  expect(streamed.text).toMatch(/"content":"Not ".*"content":"now".*"finish_reason":"stop".*\[DONE\]\n\n$/s)
})

test("a reply counts in the memory of the process, which has it back when the reply has left", async () => {
  const long = { config: documentWith({}), transport: createFakeTransport(jsonReply(completion("x".repeat(30_000)))) }
  const kernel = await createFakeKernel({ ...long, memoryBytes: 100_000 })
  const roomy = await createFakeKernel({ ...long, memoryBytes: 200_000 })
  expect(await ask(kernel, chat("hi"))).toMatchObject({ status: 413, body: { error: { code: "request_too_large" } } })
  for (let round = 0; round < 5; round++) expect((await ask(roomy, chat("hi"))).status).toBe(200)
})
