import { type CallRecord, requestLine, RtrError } from "rtr"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { chat, get } from "../../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../../fakes/transport.ts"
import { chunk, gatedReply, lastChunk, watchedKernel, type WatchedOptions } from "../../../fakes/watched-kernel.ts"

const over = (reply: FakeReply | Error, options: WatchedOptions = {}) =>
  watchedKernel({ transport: createFakeTransport(reply), ...options })
const settled = () => new Promise((resolve) => setTimeout(resolve, 5))
const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
const prices = {
  "providers.models.1.pricing": { currency: "EUR", prompt_per_1m: 2, completion_per_1m: 10, cached_input_per_1m: 0.5 },
}

describe("the request", () => {
  test("is what the provider built, with the listener's time-out", async () => {
    const { ask, transport, sent } = await over(jsonReply(completion("hi")), {
      changes: { "listeners.0.timeout": "7s" },
    })
    await ask("urgent")
    expect(transport.requests[0]).toMatchObject({
      method: "POST",
      url: "https://large.example/v1/chat/completions",
      headers: { authorization: "Bearer key" },
      headersTimeoutMs: 7000,
      bodyTimeoutMs: 7000,
    })
    expect(sent()[0]).toEqual({ model: "large", messages: [{ role: "user", content: "urgent" }] })
  })

  test("carries the reasoning choice to the provider", async () => {
    const { ask, sent } = await over(jsonReply(completion("hi")), {
      changes: {
        "providers.models.1.reasoning_family": "thinker",
        "providers.defaults.reasoning_families": {
          thinker: { type: "reasoning_effort", parameter: "reasoning_effort" },
        },
        "routing.decisions.0.modelRefs": [{ model: "large", use_reasoning: true, reasoning_effort: "low" }],
      },
    })
    await ask("urgent")
    expect(sent()[0]).toMatchObject({ reasoning_effort: "low" })
  })

  test("goes to the backends in turn, and each attempt names its own", async () => {
    const { ask, transport, records } = await over(jsonReply(completion("hi")), {
      changes: { "providers.models.0.backend_refs": [{ endpoint: "a.example" }, { endpoint: "b.example" }] },
    })
    for (let round = 0; round < 4; round++) await ask("calm")
    expect(transport.requests.map(({ url }) => new URL(url).hostname)).toEqual([
      "a.example",
      "b.example",
      "a.example",
      "b.example",
    ])
    const backends = records.map(({ attempts }) => attempts[0]?.backend)
    expect([new Set(backends).size, backends[0], backends[1]]).toEqual([2, backends[2], backends[3]])
  })
})

describe("the record of an attempt", () => {
  test("of a whole reply has its usage, its cost and its times", async () => {
    const { ask, records } = await over(jsonReply(completion("hi")), { changes: prices })
    await ask("urgent")
    expect(records[0]).toMatchObject({
      usage,
      attempts: [
        {
          model: "large",
          status: 200,
          usage,
          cost: (10 * 2 + 5 * 10) / 1e6,
          startMs: expect.any(Number),
          firstByteMs: expect.any(Number),
          endMs: expect.any(Number),
        },
      ],
    })
    const [{ startMs, firstByteMs = 0, endMs = 0 } = { startMs: 0 }] = records[0]?.attempts ?? []
    expect(startMs <= firstByteMs && firstByteMs <= endMs).toBe(true)
  })

  test("of a stream has the same", async () => {
    const { stream, records } = await over(streamReply([chunk("a"), lastChunk()]), { changes: prices })
    await stream("urgent")
    expect(records).toMatchObject([
      {
        status: 200,
        usage,
        attempts: [{ status: 200, usage, cost: 7e-5, firstByteMs: expect.any(Number), endMs: expect.any(Number) }],
      },
    ])
  })

  test("of a failure has its status and the error", async () => {
    const { ask, records } = await over(new RtrError("upstream_timeout", "late"))
    await ask("urgent")
    expect(records).toMatchObject([
      {
        status: 504,
        model: "large",
        decision: "rush",
        error: { code: "upstream_timeout" },
        attempts: [{ model: "large", error: { code: "upstream_timeout" } }],
      },
    ])
  })
})

describe("a whole reply", () => {
  test("keeps its status and what it said, numbers of any size among it", async () => {
    const body = '{ "id": "1", "seed": 12345678901234567890, "choices": [] }\n'
    const { ask } = await over({ status: 201, body })
    const { status, text } = await ask("urgent")
    expect([status, text.includes("12345678901234567890")]).toEqual([201, true])
  })

  test("is read as JSON whatever its content type says, but for a stream", async () => {
    for (const type of [
      undefined,
      "text/plain",
      "application/json; charset=utf-8",
      "application/vnd.api+json",
      "text/event-stream-ish",
    ]) {
      const { ask } = await over(
        jsonReply(completion("hi"), { headers: type === undefined ? {} : { "content-type": type } }),
      )
      const { status, body } = await ask("urgent")
      expect([type, status, body?.choices[0].message.content]).toEqual([type, 200, "hi"])
    }
  })

  test("that is no reply is an error that names the model", async () => {
    for (const body of ["<html>", "", "[]", "5", '"text"', "null", '{"cut":']) {
      const { ask } = await over({ body })
      const { status, body: said } = await ask("urgent")
      expect([body, status, said.error.code, said.error.message]).toEqual([
        body,
        502,
        "upstream_error",
        expect.stringContaining('No reply from model "large": '),
      ])
    }
  })

  test("that is huge or breaks is an error", async () => {
    const piece = new Uint8Array(16 * 1024 * 1024)
    const huge = await over({ body: Array.from({ length: 5 }, () => piece) }, { memoryBytes: 2 ** 30 })
    expect((await huge.ask("urgent")).body.error.message).toBe(
      'No reply from model "large": the reply is larger than 33554432 bytes',
    )
    expect(huge.transport.cancelled.count).toBe(1)
    const cut = await over({ body: '{"a"', breaksWith: new RtrError("upstream_error", "cut") })
    expect((await cut.ask("urgent")).body.error.message).toBe('No reply from model "large": cut')
  })
})

describe("a streamed reply", () => {
  test("is known by its media type, and passed on as it is", async () => {
    for (const type of ["text/event-stream", "text/event-stream; charset=utf-8", "Text/Event-Stream"]) {
      const reply = streamReply([chunk("a"), lastChunk()], { headers: { "content-type": type } })
      const { stream } = await over(reply)
      expect([type, (await stream("urgent")).text]).toEqual([type, (reply.body as readonly string[]).join("")])
    }
  })

  test("that nobody asked for is refused and cancelled", async () => {
    const { ask, transport, records } = await over(streamReply([chunk("a")]))
    const { status, body } = await ask("urgent")
    expect([status, body.error.message]).toEqual([
      502,
      'No reply from model "large": it answered with a stream, but the request asked for none',
    ])
    expect([transport.cancelled.count, records[0]?.attempts[0]?.error?.code]).toEqual([1, "upstream_error"])
  })

  test("that breaks ends with an error event that names the model", async () => {
    const first = `data: ${JSON.stringify(chunk("a"))}\n\n`
    const cases: readonly (readonly [Partial<FakeReply>, string])[] = [
      [{ body: [first], breaksWith: new RtrError("upstream_timeout", "paused") }, "paused"],
      [{ body: [first] }, "the stream ended before its end mark"],
      [{ body: [first, "data: oops\n\n"] }, "JSON"],
    ]
    for (const [reply, reason] of cases) {
      const { stream, records } = await over({ ...streamReply([]), ...reply })
      const { status, events } = await stream("urgent")
      const last = events.at(-1) as { readonly error?: { readonly message: string } }
      expect([reason, status, last.error?.message]).toEqual([
        reason,
        200,
        expect.stringMatching(`^No reply from model "large": .*${reason}`),
      ])
      expect(events[0]).toEqual(chunk("a"))
      expect(records).toMatchObject([
        { model: "large", decision: "rush", attempts: [{ error: { code: expect.any(String) } }] },
      ])
    }
  })

  test("is closed when the client leaves, before its first byte and in the middle", async () => {
    for (const sent of [0, 1]) {
      const { reply, send } = gatedReply()
      const { kernel, transport, records } = await over(reply)
      const { body } = await kernel.fetch(chat("urgent", { stream: true }))
      const reader = (body as ReadableStream<Uint8Array>).getReader()
      if (sent > 0) {
        send(chunk("a"))
        await reader.read()
      }
      await reader.cancel()
      await settled()
      expect([sent, transport.cancelled.count, records.map(({ status }) => status)]).toEqual([sent, 1, [499]])
    }
  })
})

test("a client that leaves while the backend thinks cancels the request", async () => {
  const leaving = new AbortController()
  const transport = createFakeTransport(
    ({ signal }) =>
      new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(new RtrError("client_closed_request", "the client left"))),
      ),
  )
  const { kernel, records } = await watchedKernel({ transport })
  const answering = Promise.resolve(kernel.fetch(new Request(chat("urgent"), { signal: leaving.signal }))).catch(
    () => {},
  )
  while (transport.requests.length === 0) await settled()
  leaving.abort()
  await answering
  expect(records).toMatchObject([
    {
      status: 499,
      model: "large",
      error: { code: "client_closed_request" },
      attempts: [{ error: { code: "client_closed_request" } }],
    },
  ])
})

describe("a stream behind its end mark", () => {
  test("is read to the end of the reply, which leaves the connection open", async () => {
    const { reply, send, end } = gatedReply()
    const { stream, transport } = await over(reply)
    send(chunk("a"))
    send("data: [DONE]\n\n")
    end()
    expect([(await stream("urgent")).events.at(-1), transport.cancelled.count]).toEqual(["[DONE]", 0])
  })

  test("that stays silent is cancelled after a second, and the client has its whole reply", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { reply, send } = gatedReply()
    const { stream, transport, records } = await over(reply)
    send(chunk("a"))
    send("data: [DONE]\n\n")
    const answer = stream("urgent")
    await vi.advanceTimersByTimeAsync(999)
    expect(transport.cancelled.count).toBe(0)
    await vi.advanceTimersByTimeAsync(2)
    expect((await answer).events.at(-1)).toBe("[DONE]")
    expect([transport.cancelled.count, records.map(({ status, error }) => [status, error])]).toEqual([
      1,
      [[200, undefined]],
    ])
  })

  test("that breaks there is no error", async () => {
    const { stream, records } = await over({
      ...streamReply([chunk("a")]),
      breaksWith: new RtrError("upstream_error", "broken"),
    })
    expect((await stream("urgent")).events.at(-1)).toBe("[DONE]")
    expect(records).toMatchObject([{ status: 200, error: undefined }])
  })
})

test("a request that cannot be written for the backend's protocol is no attempt", async () => {
  const messages = { base_url: "https://large.example", provider: "anthropic", api_key: "k" }
  for (const reliability of [undefined, { retry_count: 1, consecutive_5xx: 1, lb_policy: "least_request" }]) {
    const { ask, kernel, transport, records } = await over(jsonReply(completion("hi")), {
      changes: {
        "providers.models.1.backend_refs": [
          { name: "a", ...messages },
          { name: "b", ...messages },
        ],
        "providers.models.1.reliability": reliability,
      },
    })
    for (const _ of [1, 2, 3]) {
      const { status, headers, body } = await ask("urgent", { n: 2 })
      expect([status, body.error.code, headers.get("x-rtr-attempts")]).toEqual([400, "invalid_request", null])
    }
    expect(transport.requests).toEqual([])
    const refused = { path: "error", model: "large", attempts: [], error: { code: "invalid_request" } }
    expect(records).toMatchObject([refused, refused, refused])
    expect(JSON.parse(requestLine(records[0] as CallRecord))).toMatchObject({
      answered_by: "error",
      attempts: 0,
      error: "invalid_request",
    })
    const metrics = await (await kernel.fetch(get("/metrics"))).text()
    expect(metrics.match(/^llm_(?:upstream|model_requests).*/gm)).toBeNull()
    // Nothing of it is left: no backend is out, or counts as busy.
    await ask("urgent")
    await ask("urgent")
    expect(
      records
        .slice(3)
        .map(({ attempts }) => attempts[0]?.backend)
        .toSorted(),
    ).toEqual(["a", "b"])
  }
})

describe("an error reply", () => {
  const own = {
    error: { message: "too many tokens", type: "invalid_request_error", code: "context", param: "messages" },
    extra: 1,
  }

  test("keeps status, body and when to come back, for whole replies and streams", async () => {
    for (const status of [400, 404, 408, 409, 422, 429, 500, 502, 503, 529])
      for (const method of ["ask", "stream"] as const) {
        const kernel = await over(
          jsonReply(own, { status, headers: { "content-type": "application/json", "retry-after": "7" } }),
        )
        const { headers, body, ...answer } = await kernel[method]("urgent")
        expect({ method, status: answer.status, body, again: headers.get("retry-after") }).toMatchObject({
          method,
          status,
          body: own,
          again: "7",
        })
        expect(kernel.records).toMatchObject([{ status, model: "large", decision: "rush", attempts: [{ status }] }])
      }
  })

  test("that holds no message is described", async () => {
    const secretive = [
      "<html>secret stack trace</html>",
      "",
      '{"detail":"secret"}',
      '{"error":{"code":5}}',
      '{"error":{"message":5}}',
      "[1]",
      "null",
    ]
    const replies: readonly FakeReply[] = [
      ...secretive.map((body) => ({ body })),
      { body: [new Uint8Array(300 * 1024)] },
      { body: '{"error"', breaksWith: new RtrError("upstream_error", "cut") },
    ]
    for (const reply of replies) {
      const { ask } = await over({ status: 500, ...reply })
      const { status, body } = await ask("urgent")
      expect([reply.body, status, body.error.message]).toEqual([
        reply.body,
        500,
        'The backend of model "large" answered with status 500',
      ])
      expect(JSON.stringify(body)).not.toContain("secret")
    }
  })

  test("whose error is a plain text is put into the common form", async () => {
    const { ask } = await over({ status: 400, body: '{"error":"bad"}' })
    expect((await ask("urgent")).body.error).toMatchObject({ message: "bad" })
  })

  test("of status 401, 403 or 407 is about the router's own key: a bad gateway, and the key is not quoted", async () => {
    for (const status of [401, 403, 407]) {
      const { ask, records } = await over(
        jsonReply({ error: { message: "Incorrect API key provided: sk-secret" } }, { status }),
      )
      const { body, ...answer } = await ask("urgent")
      expect([answer.status, body.error.message]).toEqual([
        502,
        `The backend of model "large" refused the router's credentials with status ${status}`,
      ])
      expect(body.error).toMatchObject({ type: "server_error", code: "upstream_error", param: null })
      expect(records).toMatchObject([{ status: 502, error: { code: "upstream_error" }, attempts: [{ status }] }])
      expect(JSON.stringify(body)).not.toContain("sk-secret")
    }
  })

  test("that is nested too deep to be written again is described", async () => {
    const more = `${"[".repeat(50_000)}${"]".repeat(50_000)}`
    const { ask, told } = await over({ status: 500, body: `{"error":{"message":"deep","more":${more}}}` })
    const { status, body } = await ask("urgent")
    expect([status, body.error.message, told]).toEqual([
      500,
      'The backend of model "large" answered with status 500',
      [],
    ])
  })

  test("in the middle of a stream, or with a good status, loses the router's key too", async () => {
    const changes = { "providers.models.1.backend_refs.0.api_key": "sk-very-secret" }
    const bad = { error: { message: "bad key sk-very-secret" } }
    for (const reply of [streamReply([chunk("a"), bad]), jsonReply(bad)]) {
      const { stream } = await over(reply, { changes })
      const { text } = await stream("urgent")
      expect([text.includes("sk-very-secret"), text]).toEqual([
        false,
        expect.stringContaining('No reply from model \\"large\\": the backend reported an error: bad key [removed]'),
      ])
    }
  })

  test("that quotes the router's key loses it", async () => {
    const { ask } = await over(jsonReply({ error: { message: "bad key sk-very-secret" } }, { status: 500 }), {
      changes: { "providers.models.1.backend_refs.0.api_key": "sk-very-secret" },
    })
    const { text, body } = await ask("urgent")
    expect([text.includes("sk-very-secret"), body.error.message]).toEqual([false, expect.stringContaining("[removed]")])
  })
})

test("a status that is no reply is an error, and its body is left", async () => {
  for (const status of [100, 199, 300, 302, 304, 399, 600, 999]) {
    const { ask, transport } = await over({ status, headers: { location: "http://elsewhere" } })
    const { body, ...answer } = await ask("urgent")
    expect([answer.status, body.error.message, transport.cancelled.count]).toEqual([
      502,
      `No reply from model "large": it answered with status ${status}, which is no reply`,
      1,
    ])
  }
})

test("a status without content is an error", async () => {
  for (const status of [204, 205]) {
    const { ask } = await over({ status })
    const { body, ...answer } = await ask("urgent")
    expect([answer.status, body.error.message]).toEqual([
      502,
      `No reply from model "large": it answered with status ${status}, which has no content`,
    ])
  }
})

test("headers that tell when to come back are passed on as far as a client reads headers", async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-ratelimit-${index}`, "1"]))
  const { ask } = await over(
    jsonReply({}, { headers: { "x-ratelimit-long": "9".repeat(40_000), "retry-after": "7", ...many }, status: 429 }),
  )
  const { headers } = await ask("urgent")
  expect([headers.get("retry-after"), headers.get("x-ratelimit-0"), headers.get("x-ratelimit-long")]).toEqual([
    "7",
    "1",
    null,
  ])
  expect([...headers].filter(([name]) => name.startsWith("x-ratelimit-"))).toHaveLength(19)
})

test("only the headers that tell when to come back are passed on", async () => {
  const headers = {
    "content-type": "application/json",
    "retry-after": "7",
    "x-ratelimit-remaining-requests": "0",
    "set-cookie": "a=b",
    server: "secret/1.0",
    "x-request-id": "theirs",
  }
  for (const reply of [
    jsonReply(completion("hi"), { headers }),
    jsonReply({}, { headers, status: 429 }),
    streamReply([chunk("a"), lastChunk()], { headers: { ...headers, "content-type": "text/event-stream" } }),
  ]) {
    const { headers: got } = await (await over(reply)).stream("urgent")
    expect(
      ["retry-after", "x-ratelimit-remaining-requests", "set-cookie", "server"].map((name) => got.get(name)),
    ).toEqual(["7", "0", null, null])
    expect(got.get("x-request-id")).not.toBe("theirs")
  }
})

test("no reply at all keeps its code and names the model; a bug of the transport stays a bug", async () => {
  for (const code of ["upstream_unavailable", "upstream_timeout", "client_closed_request"] as const) {
    const error = new RtrError(code, "the connection was refused")
    const { ask } = await over(error)
    const { body, status } = await ask("urgent")
    expect([status, body.error.code, body.error.message]).toEqual([
      error.status,
      code,
      'No reply from model "large": the connection was refused',
    ])
  }
  const bug = new TypeError("secret")
  const { ask, told } = await over(bug)
  const { status, text } = await ask("urgent")
  expect([status, text.includes("secret"), told.map(([error]) => error)]).toEqual([500, false, [bug]])
})
