import { describe, expect, onTestFinished, test, vi } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { callUpstream, type UpstreamCall } from "../../../ts/kernel/pipeline/upstream.ts"
import type { JsonReply, Reply, StreamReply } from "../../../ts/kernel/types/chat.ts"
import { collect } from "../../fakes/batches.ts"
import { createCall } from "../../fakes/call.ts"
import { createBackend, createTarget } from "../../fakes/plan.ts"
import {
  completion,
  createFakeTransport,
  type FakeReply,
  type FakeTransport,
  jsonReply,
  streamReply,
} from "../../fakes/transport.ts"

const chunks = [
  { id: "1", choices: [] },
  { id: "2", choices: [] },
]

function call(transport: FakeTransport, changes: Partial<UpstreamCall> & { stream?: boolean } = {}): Promise<Reply> {
  const { stream, ...rest } = changes
  const given = createCall("hello", stream === undefined ? {} : { stream })
  return callUpstream(
    {
      call: given,
      target: createTarget("small"),
      request: given.request,
      headers: { a: "1" },
      reasoning: undefined,
      ...rest,
    },
    transport,
  )
}

const replyTo = (reply: FakeReply | Error, stream = false): Promise<Reply> =>
  call(createFakeTransport(reply), { stream })

describe("the request", () => {
  test("is what the provider built, with the call's signal and time-outs", async () => {
    const transport = createFakeTransport(jsonReply(completion("hi")))
    const given = createCall("hello")
    await callUpstream(
      { call: given, target: createTarget("small"), request: given.request, headers: { a: "1" }, reasoning: undefined },
      transport,
    )
    expect(transport.requests).toEqual([
      {
        method: "POST",
        url: "http://small.example/chat/completions",
        headers: { a: "1" },
        body: JSON.stringify({ model: "upstream-small", messages: [{ role: "user", content: "hello" }] }),
        signal: given.signal,
        headersTimeoutMs: 1000,
        bodyTimeoutMs: 1000,
      },
    ])
  })

  test("carries the reasoning choice to the provider", async () => {
    const seen: unknown[] = []
    const backend = createBackend("b")
    const reasoning = { enabled: true, effort: "low", family: { type: "reasoning_effort", parameter: "x" } } as const
    const target = createTarget("m", {
      backends: [
        {
          ...backend,
          provider: {
            toRequest: (input) => {
              seen.push(input.reasoning)
              return backend.provider.toRequest(input)
            },
          },
        },
      ],
    })
    await call(createFakeTransport(jsonReply({})), { target, reasoning })
    expect(seen).toEqual([reasoning])
  })

  test("goes to the backends in turn", async () => {
    const transport = createFakeTransport(jsonReply({}))
    const target = createTarget("m", { backends: [createBackend("a"), createBackend("b")] })
    for (let round = 0; round < 4; round++) await call(transport, { target })
    expect(transport.requests.map(({ url }) => new URL(url).host)).toEqual([
      "a.example",
      "b.example",
      "a.example",
      "b.example",
    ])
  })
})

describe("a whole reply", () => {
  test("is passed on with its status and its text", async () => {
    const text = '{ "id": "1", "seed": 12345678901234567890 }\n'
    expect(await replyTo({ status: 201, body: text })).toEqual({
      kind: "json",
      status: 201,
      body: JSON.parse(text),
      text,
      headers: {},
    })
  })

  test.each([undefined, "text/plain", "application/json; charset=utf-8", "application/vnd.api+json"])(
    "of content type %s is read as JSON",
    async (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type }
      expect(await replyTo(jsonReply({ id: "1" }, { headers }))).toMatchObject({ kind: "json", body: { id: "1" } })
    },
  )

  test("for a client that asked for a stream becomes one", async () => {
    const reply = (await replyTo(
      jsonReply(completion("hi"), { headers: { "x-ratelimit-limit": "9" } }),
      true,
    )) as StreamReply
    expect({ ...reply, batches: await collect(reply.batches) }).toEqual({
      kind: "stream",
      status: 200,
      headers: { "x-ratelimit-limit": "9" },
      batches: [
        {
          chunks: [
            {
              ...completion("hi"),
              object: "chat.completion.chunk",
              choices: [{ index: 0, delta: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
            },
          ],
          done: true,
        },
      ],
    })
  })

  test.each(["<html>", "", "[]", "5", '"text"', "null", '{"cut":'])(
    "of %j is an error that names the model",
    async (body) => {
      await expect(replyTo({ body })).rejects.toMatchObject({
        code: "upstream_error",
        message: 'No reply from model "small": the reply is not a JSON object',
      })
    },
  )

  test("that is huge is an error", async () => {
    const piece = new Uint8Array(16 * 1024 * 1024)
    const transport = createFakeTransport({ body: Array.from({ length: 5 }, () => piece) })
    await expect(call(transport)).rejects.toMatchObject({
      code: "upstream_error",
      message: 'No reply from model "small": the reply is larger than 67108864 bytes',
    })
    expect(transport.cancelled.count).toBe(1)
  })

  test("that breaks is an error", async () => {
    await expect(replyTo({ body: '{"a"', breaksWith: new RtrError("upstream_error", "cut") })).rejects.toMatchObject({
      code: "upstream_error",
      message: 'No reply from model "small": cut',
    })
  })
})

describe("a streamed reply", () => {
  test("is passed on batch by batch", async () => {
    const reply = (await replyTo(streamReply(chunks), true)) as StreamReply
    expect({ ...reply, batches: undefined }).toEqual({ kind: "stream", status: 200, headers: {}, batches: undefined })
    expect((await collect(reply.batches)).map(({ chunks: each, done }) => ({ each, done }))).toEqual([
      { each: [chunks[0]], done: false },
      { each: [chunks[1]], done: false },
      { each: [], done: true },
    ])
  })

  test.each(["text/event-stream; charset=utf-8", "Text/Event-Stream"])(
    "is known by its content type (%s)",
    async (type) => {
      expect(await replyTo(streamReply(chunks, { headers: { "content-type": type } }), true)).toMatchObject({
        kind: "stream",
      })
    },
  )

  test("that nobody asked for is refused and cancelled", async () => {
    const transport = createFakeTransport(streamReply(chunks))
    await expect(call(transport)).rejects.toMatchObject({
      code: "upstream_error",
      message: 'The backend of model "small" answered with a stream, but the request asked for none',
    })
    expect(transport.cancelled.count).toBe(1)
  })

  test.each<[string, FakeReply["body"], Error | undefined, string]>([
    ["breaks", ["data: {}\n\n"], new RtrError("upstream_timeout", "paused"), "paused"],
    ["ends without its end mark", ["data: {}\n\n"], undefined, "the stream ended before its end mark"],
    ["holds no JSON", ["data: {}\n\ndata: oops\n\n"], undefined, "an event of the stream is not a JSON object"],
  ])("that %s fails with the model's name", async (_, body, breaksWith, reason) => {
    const reply = (await replyTo(
      { ...streamReply([]), body: body ?? [], ...(breaksWith !== undefined && { breaksWith }) },
      true,
    )) as StreamReply
    await expect(collect(reply.batches)).rejects.toThrow(`No reply from model "small": ${reason}`)
  })

  test("is closed when the reader leaves, also before the first batch", async () => {
    const transport = createFakeTransport(streamReply(chunks))
    const first = (await call(transport, { stream: true })) as StreamReply
    for await (const _ of first.batches) break
    expect(transport.cancelled.count).toBeGreaterThan(0)

    const untouched = createFakeTransport(streamReply(chunks))
    const second = (await call(untouched, { stream: true })) as StreamReply
    await second.batches[Symbol.asyncIterator]().return?.()
    expect(untouched.cancelled.count).toBeGreaterThan(0)
  })
})

describe("a stream behind its end mark", () => {
  const withTail = (tail: () => Promise<void>, ended = () => false): FakeTransport => {
    const transport = createFakeTransport(streamReply([]))
    let read = false
    const pull = async (): Promise<Uint8Array | undefined> => {
      if (read) return void (await tail())
      read = true
      return new TextEncoder().encode('data: {"id":"1"}\n\ndata: [DONE]\n\n')
    }
    return {
      ...transport,
      request: async (request) => {
        const reply = await transport.request(request)
        // Behind its end there is nothing to cancel.
        return { ...reply, pull, cancel: () => void (ended() || reply.cancel()) }
      },
    }
  }

  test("is read to the end of the reply, which leaves the connection open", async () => {
    let ended = false
    const transport = withTail(
      async () => {
        ended = true
      },
      () => ended,
    )
    const reply = (await call(transport, { stream: true })) as StreamReply
    expect(await collect(reply.batches)).toHaveLength(1)
    expect([ended, transport.cancelled.count]).toEqual([true, 0])
  })

  test("that never ends is cancelled, and what breaks there is no error", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const transport = withTail(async () => {
      while (transport.cancelled.count === 0) await vi.advanceTimersByTimeAsync(100)
      throw new RtrError("upstream_error", "broken")
    })
    const reply = (await call(transport, { stream: true })) as StreamReply
    expect(await collect(reply.batches)).toHaveLength(1)
    expect([transport.cancelled.count, performance.now()]).toEqual([1, 1000])
  })
})

describe("an error reply", () => {
  const own = {
    error: { message: "too many tokens", type: "invalid_request_error", code: "context", param: "messages" },
    extra: 1,
  }

  test.each([400, 404, 408, 409, 422, 429, 500, 502, 503, 529])(
    "of status %i keeps status and body",
    async (status) => {
      expect(await replyTo(jsonReply(own, { status }))).toEqual({ kind: "json", status, body: own, headers: {} })
      expect(await replyTo(jsonReply(own, { status }), true)).toEqual({ kind: "json", status, body: own, headers: {} })
    },
  )

  const described = (status: number) => ({
    error: {
      message: `The backend of model "small" answered with status ${status}`,
      type: "upstream_error",
      code: "upstream_error",
    },
  })

  test.each<[string, string]>([
    ["no JSON", "<html>secret stack trace</html>"],
    ["nothing", ""],
    ["JSON without an error", '{"detail":"secret"}'],
    ["an error without a message", '{"error":{"code":5}}'],
    ["an error whose message is no text", '{"error":{"message":5}}'],
    ["no object", "[1]"],
    ["null", "null"],
  ])("that holds %s is described", async (_, body) => {
    expect(((await replyTo({ status: 500, body })) as JsonReply).body).toEqual(described(500))
  })

  test("whose error is a plain text is put into the common form", async () => {
    expect(((await replyTo({ status: 400, body: '{"error":"bad"}' })) as JsonReply).body).toEqual({
      error: { message: "bad", type: "upstream_error", code: "upstream_error" },
    })
  })

  test.each([401, 403])("of status %i is about the router's own key and does not quote it", async (status) => {
    const body = { error: { message: "Incorrect API key provided: sk-secret" } }
    expect(await replyTo(jsonReply(body, { status }))).toEqual({
      kind: "json",
      status,
      body: {
        error: {
          message: 'The backend of model "small" refused the router\'s credentials',
          type: "upstream_error",
          code: "upstream_error",
        },
      },
      headers: {},
    })
  })

  test("that is huge or breaks is described", async () => {
    const huge = { status: 500, body: [new Uint8Array(300 * 1024)] }
    expect(((await replyTo(huge)) as JsonReply).body).toEqual(described(500))
    const broken = { status: 502, body: '{"error"', breaksWith: new RtrError("upstream_error", "cut") }
    expect(((await replyTo(broken)) as JsonReply).body).toEqual(described(502))
  })

  test("in the form of a stream is read as text", async () => {
    const reply = { status: 429, headers: { "content-type": "text/event-stream" }, body: JSON.stringify(own) }
    expect(await replyTo(reply, true)).toMatchObject({ kind: "json", status: 429, body: own })
  })
})

test("an error reply that quotes the backend's key or headers is cleaned", async () => {
  const secret = { ...createBackend("a"), secrets: ["sk-very-secret"] }
  const body = { error: { message: "bad key Bearer sk-very-secret" } }
  const transport = createFakeTransport(jsonReply(body, { status: 500 }))
  const reply = await call(transport, { target: createTarget("m", { backends: [secret] }) })
  expect((reply as JsonReply).body).toEqual({ error: { message: "bad key Bearer [removed]" } })
})

test.each([100, 199, 300, 302, 304, 399, 600, 999])("status %i is no reply", async (status) => {
  const transport = createFakeTransport({ status, headers: { location: "http://elsewhere" } })
  await expect(call(transport)).rejects.toMatchObject({
    code: "upstream_error",
    message: `The backend of model "small" answered with status ${status}, which is no reply`,
  })
  expect(transport.cancelled.count).toBe(1)
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
  const passed = { "retry-after": "7", "x-ratelimit-remaining-requests": "0" }
  expect((await replyTo(jsonReply({}, { headers }))).headers).toEqual(passed)
  expect((await replyTo(jsonReply({}, { headers, status: 429 }))).headers).toEqual(passed)
  expect(
    (await replyTo(streamReply(chunks, { headers: { ...headers, "content-type": "text/event-stream" } }), true))
      .headers,
  ).toEqual(passed)
})

describe("no reply at all", () => {
  test.each(["upstream_unavailable", "upstream_timeout", "client_closed_request"] as const)(
    "%s keeps its code and names the model",
    async (code) => {
      const error = new RtrError(code, "the connection was refused")
      await expect(replyTo(error)).rejects.toMatchObject({
        code,
        message: 'No reply from model "small": the connection was refused',
        cause: error,
      })
    },
  )

  test("a bug of the transport stays a bug", async () => {
    const bug = new TypeError("secret")
    await expect(replyTo(bug)).rejects.toBe(bug)
  })
})
