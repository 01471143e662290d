import { Type } from "typebox"
import { RtrError } from "rtr"
import { describe, expect, test, vi } from "vitest"
import {
  createHeldMemory,
  type ListenerAppOptions,
  type MountedOperation,
  type OperationInput,
  type UnroutedRequest,
} from "rtr"
import { ownCancelSignal } from "../../../ts/kernel/http/cancel-signal.ts"
import { ownClientAddress } from "../../../ts/kernel/http/client-address.ts"
import { maxHeldBytes } from "../../../ts/kernel/http/held-memory.ts"
import { ClientSignal } from "../../../ts/kernel/runtime/node-http/client-signal.ts"
import {
  ask,
  askJson,
  chatOperation,
  fakeListener,
  fakeOperation,
  fakeRecord,
  namedKeys,
} from "../../fakes/listener.ts"
import { watchedKernel } from "../../fakes/watched-kernel.ts"
import { lineDialect, lineReply, lineRequest } from "../../fakes/line-dialect.ts"

type Input = OperationInput<unknown, unknown, unknown>
const listen = (operations: readonly MountedOperation[], options: Partial<ListenerAppOptions> = {}) =>
  fakeListener({ operations, ...options })
const failingOperation = fakeOperation({
  id: "thing.fail",
  path: "/failing",
  handle: () => {
    throw new RtrError("overloaded", "busy")
  },
})
const failing = (error: unknown, options: Partial<ListenerAppOptions> = {}) =>
  listen(
    [
      fakeOperation({
        handle: async () => {
          throw error
        },
      }),
    ],
    options,
  )

describe("a request", () => {
  test("reaches its operation with all that it brought", async () => {
    const seen: Input[] = []
    const operation = fakeOperation({
      method: "POST",
      path: "/things/{id}",
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({
        deep: Type.Optional(Type.Boolean()),
        limit: Type.Optional(Type.Integer()),
        tag: Type.Optional(Type.Array(Type.String())),
      }),
      body: Type.Object({ text: Type.String() }),
      handle(input: Input) {
        seen.push(input)
        return { status: 201, body: { done: true }, headers: { etag: '"1"' } }
      },
    })
    const before = performance.now()
    const answer = await askJson(
      listen([operation], { name: "inside" }),
      "/things/a%20b?deep=true&limit=5&tag=x&tag=y&other=1",
      { text: "hi" },
      { "x-request-id": "mine", "x-extra": "e" },
    )
    expect([answer.status, answer.text, answer.headers]).toEqual([
      201,
      '{"done":true}\n',
      { "content-type": "application/json", "x-request-id": "mine", etag: '"1"' },
    ])
    expect(seen).toEqual([
      {
        id: "mine",
        params: { id: "a b" },
        query: { deep: true, limit: 5, tag: ["x", "y"] },
        body: { text: "hi" },
        chat: undefined,
        call: expect.any(Function),
        principal: { role: "client", permissions: undefined, name: "inside" },
        retain: expect.any(Function),
        hold: expect.any(Function),
        header: expect.any(Function),
        listener: "inside",
        listenerKind: "inference",
        startedAt: expect.any(Number),
      },
    ])
    expect(seen[0]?.startedAt).toBeGreaterThanOrEqual(before)
    expect([seen[0]?.header("x-extra"), seen[0]?.header("x-none")]).toEqual(["e", undefined])
  })

  test("becomes a call on behalf of its client", async () => {
    const calls: ReturnType<Input["call"]>[] = []
    const app = listen(
      [
        chatOperation(({ call, chat }: Input) => {
          calls.push(call(chat))
          return { outcome: { record: fakeRecord(), reply: { kind: "whole", status: 200, reply: lineReply("hi") } } }
        }),
      ],
      { grants: new Set(["m"]), upstreamTimeoutMs: 5000 },
    )
    await askJson(app, "/chat", { model: "m", text: "hello" }, { "x-request-id": "mine" })
    const [call] = calls
    expect(call).toMatchObject({
      id: "mine",
      request: lineRequest("hello"),
      dialect: "lines",
      principal: { role: "client" },
      listener: "main",
      endpoint: "/chat",
      grants: new Set(["m"]),
      upstreamTimeoutMs: 5000,
    })
    expect([call?.header("content-type"), call?.client.aborted, call?.signal.aborted]).toEqual([
      "application/json",
      false,
      false,
    ])
  })

  test("tells that its client leaves", async () => {
    for (const aware of [false, true]) {
      const leaving = new AbortController()
      const heard: string[] = []
      let leave = (): void => leaving.abort()
      const request = new Request("http://h/chat", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"text":"x"}',
        signal: leaving.signal,
      })
      if (aware) {
        const client = new ClientSignal()
        leave = () => client.abort()
        Object.assign(request, { [ownCancelSignal]: client })
      }
      const app = listen([
        chatOperation(({ call, chat }: Input) => {
          const own = call(chat)
          own.client.addEventListener("abort", () => heard.push("left"))
          leave()
          heard.push(String(own.client.aborted))
          throw new RtrError("client_closed_request", "gone")
        }),
      ])
      expect((await app.fetch(request)).status).toBe(499)
      expect(heard).toEqual(["left", "true"])
    }
  })

  test("finds its operation by method and path, and HEAD answers as GET does without a body", async () => {
    const operations = [
      fakeOperation(),
      fakeOperation({ method: "POST", handle: () => ({ status: 201, body: { posted: true } }) }),
      fakeOperation({
        id: "other.read",
        path: "/other/{id}",
        handle: () => ({ status: 204 }),
        replies: { 204: { about: "Nothing" } },
      }),
      fakeOperation({
        id: "page.read",
        path: "/page",
        replies: { 200: { about: "A page", type: "text/html" } },
        handle: () => ({ text: "<p>" }),
      }),
    ]
    const app = listen(operations)
    const answers = await Promise.all([
      ask(app, "/thing?x=1"),
      ask(app, "/thing", { method: "POST" }),
      ask(app, "/other/1"),
      ask(app, "/page"),
      ask(app, "/thing", { method: "HEAD" }),
      ask(app, "/other/1", { method: "HEAD" }),
    ])
    expect(answers.map(({ status, text, headers }) => [status, text, headers["content-type"]])).toEqual([
      [200, '{"ok":true}\n', "application/json"],
      [201, '{"posted":true}\n', "application/json"],
      [204, "", undefined],
      [200, "<p>", "text/html"],
      [200, "", "application/json"],
      [204, "", undefined],
    ])
    expect((await app.fetch(new Request("http://h/thing", { method: "HEAD" }))).body).toBe(null)
  })
})

describe("input that does not fit", () => {
  const operation = fakeOperation({
    method: "POST",
    path: "/things/{kind}",
    params: Type.Object({ kind: Type.String({ enum: ["a", "b"] }) }),
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ maximum: 9 })),
      view: Type.Optional(Type.String({ enum: ["all"] })),
    }),
    queryCodes: { view: "INVALID_VIEW", "*": "INVALID_QUERY" },
    body: Type.Object(
      { text: Type.String(), list: Type.Optional(Type.Array(Type.Number())) },
      { additionalProperties: false },
    ),
  })

  test("is refused with every problem of all parts at once", async () => {
    const { status, body } = await askJson(listen([operation]), "/things/c?limit=ten", { txt: "x", list: [1, "2"] })
    expect([status, body]).toEqual([
      400,
      {
        error: expect.objectContaining({
          code: "invalid_request",
          message:
            'Cannot read the request: path.kind must be "a" or "b", got "c" (did you mean "a"?); query.limit must be a whole number, got a string; body.text is missing; body.txt is not a known key (did you mean "text"?); body.list[1] must be a number, got a string',
        }),
      },
    ])
  })

  test("has the code of its query parameter on the management surface", async () => {
    const app = listen([{ ...operation, errors: "management" }], { kind: "management" })
    const codes = await Promise.all(
      ["/things/a?view=x", "/things/a?limit=99", "/things/c"].map(async (path) => {
        const { status, body } = await askJson(app, path, { text: "x" })
        return [status, (body as { error: { code: string } }).error.code]
      }),
    )
    expect(codes).toEqual([
      [400, "INVALID_VIEW"],
      [400, "INVALID_QUERY"],
      [400, "INVALID_INPUT"],
    ])
  })

  test("is listed up to a bound", async () => {
    const { body } = await askJson(listen([operation]), "/things/a", {
      text: "x",
      list: Array.from({ length: 90 }, () => "y"),
    })
    const { message } = (body as { error: { message: string } }).error
    expect([message.split("; ").length, message.endsWith("; and 40 more")]).toEqual([51, true])
  })

  test.each<[string, BodyInit | null, number]>([
    ["no JSON", "{", 400],
    ["nothing", "", 400],
    ["too deep", `{"text":${"[".repeat(200)}${"]".repeat(200)}}`, 400],
    ["too many values", `{"text":[${"1,".repeat(1_000_001)}1]}`, 400],
    ["a body that is too large", JSON.stringify({ text: "x".repeat(100) }), 413],
  ])("is refused as %s", async (_, text, status) => {
    const limited = { ...operation, maxBodyBytes: status === 413 ? 100 : 10_000_000 }
    expect(
      await ask(listen([limited]), "/things/a", {
        method: "POST",
        body: text,
        headers: { "content-type": "application/json" },
      }),
    ).toMatchObject({ status })
  })

  test("is refused as broken percent-encoding", async () => {
    const { status, text } = await askJson(listen([operation]), "/things/%E0%A4%A", { text: "x" })
    expect([status, text.includes("path.kind is not valid percent-encoding")]).toEqual([400, true])
  })

  test("is refused as another content type", async () => {
    const plain = { method: "POST", body: "{}", headers: { "content-type": "image/png" } }
    expect(await ask(listen([operation]), "/things/a", plain)).toMatchObject({ status: 415 })
  })
})

describe("the request id", () => {
  const idOf = async (sent?: string, app = listen([fakeOperation()])): Promise<string | undefined> =>
    (await ask(app, "/thing", sent === undefined ? {} : { headers: { "x-request-id": sent } })).headers["x-request-id"]

  test("of the client is kept when it is short and printable, also in errors", async () => {
    for (const id of ["req-1", "0af7651916cd43dd8448eb211c80319c", "a:b/c.d_e+f=g", "x".repeat(128)])
      expect([await idOf(id), await idOf(id, failing(new Error("x")))]).toEqual([id, id])
  })

  test("is replaced otherwise, and new for each request", async () => {
    const ids = await Promise.all(
      [undefined, "", "a b", "a<script>", 'a"', "é", "x".repeat(129)].map((sent) => idOf(sent)),
    )
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe("what is not there", () => {
  test("is not found", async () => {
    const app = listen([fakeOperation()])
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
      expect(await ask(app, "/nothing", { method })).toMatchObject({
        status: 404,
        body: { error: { code: "not_found", type: "not_found_error", message: `There is no ${method} /nothing here` } },
      })
    for (const path of ["/", "/thing/more", "//thing", "/THING", "/thing%2f"])
      expect([path, (await ask(app, path)).status]).toEqual([path, 404])
    const chat = listen([fakeOperation({ path: "/v1/chat/completions" })])
    for (const path of ["/chat/completions", "/v1/v1/chat/completions", "/openai/v1/chat/completions/"])
      expect((await ask(chat, path)).body).toMatchObject({
        error: { message: `There is no GET ${path} here; did you mean /v1/chat/completions?` },
      })
    expect((await ask(app, `/${"x".repeat(5000)}`)).body).toMatchObject({
      error: { message: `There is no GET /${"x".repeat(99)}… here` },
    })
    expect((await ask(fakeListener({ kind: "management" }), "/nothing")).body).toMatchObject({
      error: { code: "NOT_FOUND" },
    })
  })

  test("is told in the protocol of the client, which its path or its headers show", async () => {
    const spoken = { ...lineDialect, clientHeaders: { "line-version": /^1$/ }, idHeader: "line-id" }
    const dialects = new Map([["lines", spoken]])
    const app = listen([fakeOperation(), failingOperation, chatOperation(() => ({ body: {} }))], { dialects })
    const asks: readonly (readonly [string, string, RequestInit?])[] = [
      ["/chat/more", "There is no GET /chat/more here"],
      ["/chat", "GET is not allowed on /chat; use POST"],
      ["/nothing", "There is no GET /nothing here", { headers: { "line-version": "2" } }],
      ["/failing", "busy", { headers: { "line-version": "1" } }],
    ]
    for (const [path, problem, init] of asks) {
      const { headers, body } = await ask(app, path, init)
      expect([path, body, headers["line-id"]]).toEqual([
        path,
        { problem, code: expect.any(String), id: headers["x-request-id"] },
        headers["x-request-id"],
      ])
    }
    for (const path of ["/chatter", "/failing"])
      expect([path, (await ask(app, path)).body]).toMatchObject([path, { error: { details: {} } }])
    const keyed = listen([], { dialects, apiKeys: namedKeys("k") })
    expect(await ask(keyed, "/nothing", { headers: { "line-version": "1" } })).toMatchObject({
      status: 401,
      body: { code: "invalid_api_key" },
    })
    const management = listen([fakeOperation()], { dialects, kind: "management" })
    expect((await ask(management, "/nothing", { headers: { "line-version": "1" } })).body).toMatchObject({
      error: { code: "NOT_FOUND" },
    })
  })

  test("has other methods, which are told", async () => {
    const app = listen([
      fakeOperation(),
      fakeOperation({ method: "POST" }),
      fakeOperation({ id: "x.read", path: "/x/{id}" }),
    ])
    const { status, headers, body } = await ask(app, "/thing", { method: "DELETE" })
    expect([status, headers["allow"], body]).toEqual([
      405,
      "GET, POST",
      {
        error: expect.objectContaining({
          code: "method_not_allowed",
          message: "DELETE is not allowed on /thing; use GET, POST",
        }),
      },
    ])
    expect(await ask(app, "/x/1", { method: "PUT" })).toMatchObject({ status: 405, headers: { allow: "GET" } })
  })
})

describe("errors", () => {
  test("that know what went wrong are shown", async () => {
    const { status, headers, body } = await ask(
      failing(new RtrError("overloaded", "busy", { retryAfterSeconds: 3 })),
      "/thing",
    )
    expect([status, headers["retry-after"], body]).toEqual([
      429,
      "3",
      {
        error: {
          message: "busy",
          type: "rate_limit_error",
          code: "overloaded",
          param: null,
          details: { request_id: headers["x-request-id"] },
        },
      },
    ])
  })

  test("that are bugs leave without a word, but with the id in the log", async () => {
    for (const thrown of [new TypeError("secret at /home/file.ts"), "secret", undefined]) {
      const told: (readonly [unknown, string])[] = []
      const app = failing(thrown, { onInternalError: (error, id) => told.push([error, id]) })
      const { status, headers, text } = await ask(app, "/thing")
      expect([status, text.includes("secret"), text.includes("its log has the request id")]).toEqual([500, false, true])
      expect(told).toEqual([[thrown, headers["x-request-id"]]])
    }
  })

  test("that are not bugs do not reach the log", async () => {
    const told: unknown[] = []
    await ask(failing(new RtrError("not_found", "x"), { onInternalError: (error) => told.push(error) }), "/thing")
    expect(told).toEqual([])
  })

  test("have the form of their operation: its dialect's, or that of its surface", async () => {
    const app = listen([
      chatOperation(() => {
        throw new RtrError("model_not_found", "x")
      }),
      fakeOperation({
        errors: "management",
        handle: () => {
          throw new RtrError("invalid_request", "x")
        },
      }),
    ])
    expect(await askJson(app, "/chat", { text: "x" }, { "x-request-id": "mine" })).toMatchObject({
      status: 404,
      body: { problem: "x", code: "model_not_found", id: "mine" },
    })
    expect((await ask(app, "/thing")).body).toEqual({
      error: { code: "INVALID_INPUT", message: "x", timestamp: expect.any(String), request_id: expect.any(String) },
    })
  })
})

describe("a lease", () => {
  /** Counts leases that are taken and given back. */
  const counted = () => {
    const count = { taken: 0, ended: 0 }
    const acquire = () => {
      count.taken += 1
      return () => void (count.ended += 1)
    }
    return { count, acquire }
  }

  test("is taken at the start of a request and ended once with its reply", async () => {
    const { count, acquire } = counted()
    const seen: number[] = []
    const handle = () => {
      seen.push(count.taken - count.ended)
      return {}
    }
    const app = listen([fakeOperation({ handle })], { acquire })
    await ask(app, "/thing")
    await ask(listen([fakeOperation({ handle: () => Promise.reject(new Error("x")) })], { acquire }), "/thing")
    await ask(listen([fakeOperation()], { acquire, apiKeys: namedKeys("k") }), "/thing")
    expect([seen, count]).toEqual([[1], { taken: 3, ended: 3 }])
  })

  test("lasts as long as work that retains it, with the memory of the request", async () => {
    const { count, acquire } = counted()
    const releases: (() => void)[] = []
    const held: number[] = []
    const memory = {
      largest: 1000,
      take: (bytes: number) => void held.push(bytes),
      giveBack: (bytes: number) => void held.push(-bytes),
    }
    const handle: MountedOperation["handle"] = ({ retain, call }) => {
      releases.push(retain(), retain())
      call({} as never).hold?.(7)
      return {}
    }
    await ask(listen([fakeOperation({ handle })], { acquire, memory: memory as never }), "/thing")
    releases[0]?.()
    releases[0]?.()
    expect([count, held]).toEqual([{ taken: 1, ended: 0 }, [7]])
    releases[1]?.()
    expect([count, held]).toEqual([{ taken: 1, ended: 1 }, [7, -7]])
  })

  test("lasts until the end of a stream, and ends when the client leaves", async () => {
    const { count, acquire } = counted()
    const batches = ["a\n", "b\n"].map((text) => ({ events: [], bytes: new TextEncoder().encode(text), done: false }))
    const app = listen(
      [
        chatOperation(() => {
          const left = [...batches]
          const stream = { next: async () => left.shift(), cancel: () => {} }
          return { outcome: { record: fakeRecord(), reply: { kind: "stream", status: 200, stream, dialect: "lines" } } }
        }),
      ],
      { acquire },
    )
    const send = () =>
      app.fetch(
        new Request("http://h/chat", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"text":"x"}',
        }),
      )
    const whole = await send()
    expect(count).toEqual({ taken: 1, ended: 0 })
    expect([await whole.text(), count]).toEqual(["a\nb\n", { taken: 1, ended: 1 }])
    const reader = (await send()).body?.getReader()
    await reader?.read()
    expect(count).toEqual({ taken: 2, ended: 1 })
    await reader?.cancel()
    expect(count).toEqual({ taken: 2, ended: 2 })
  })
})

describe("memory of bodies", () => {
  const stream = (bytes: number): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(JSON.stringify("x".repeat(bytes - 2))))
        controller.close()
      },
    })
  const send = (app: ReturnType<typeof listen>, bytes: number): Promise<Response> =>
    Promise.resolve(
      app.fetch(
        new Request("http://h/thing", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: stream(bytes),
          duplex: "half",
        } as RequestInit),
      ),
    )

  const waitingOperation = (waiting: (() => void)[]): MountedOperation =>
    fakeOperation({
      method: "POST",
      body: Type.String(),
      async handle() {
        await new Promise<void>((resolve) => waiting.push(resolve))
        return {}
      },
    })

  test("is bounded for all listeners together, also over their generations, and given back with the reply", async () => {
    const memory = createHeldMemory(4000)
    const waiting: (() => void)[] = []
    const operation = waitingOperation(waiting)
    const [old, next] = [listen([operation], { memory }), listen([operation], { memory })]
    const running = [send(old, 500), send(next, 300)]
    await vi.waitFor(() => expect(waiting).toHaveLength(2))
    const refused = await send(old, 500)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    for (const end of waiting.splice(0)) end()
    await Promise.all(running)
    const later = send(next, 500)
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    waiting[0]?.()
    expect((await later).status).toBe(200)
  })

  test("is shared by clients, which are known by their keys, or else by their addresses", async () => {
    const from = (client: string) => (request: Request) => {
      request.headers.set("api-key", client)
      Object.assign(request, { [ownClientAddress]: client })
      return request
    }
    for (const apiKeys of [[], ["a", "b"]]) {
      const waiting: (() => void)[] = []
      const app = listen([waitingOperation(waiting)], {
        memory: createHeldMemory(8000),
        apiKeys: namedKeys(...apiKeys),
      })
      const sendAs = (client: string, bytes: number) =>
        send({ fetch: (request) => app.fetch(from(client)(request)) }, bytes)
      const running = [sendAs("a", 900), sendAs("a", 900)]
      await vi.waitFor(() => expect(waiting).toHaveLength(2))
      const refused = await sendAs("a", 300)
      expect([refused.status, refused.headers.get("retry-after"), await refused.text()]).toEqual([
        429,
        "1",
        expect.stringContaining("This client holds too many large requests"),
      ])
      running.push(sendAs("b", 300))
      await vi.waitFor(() => expect(waiting).toHaveLength(3))
      for (const end of waiting.splice(0)) end()
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
    }
  })

  test("that one request may never have is too much for the process and not for the moment", async () => {
    const app = listen([waitingOperation([])], { memory: createHeldMemory(4 * 2 ** 20) })
    const refused = await send(app, 2 ** 21)
    expect([refused.status, refused.headers.get("retry-after"), await refused.text()]).toEqual([
      413,
      null,
      expect.stringContaining("takes more than the 3 MiB of memory that one may have"),
    ])
  })

  test("has room for a few of the largest requests", () => expect(maxHeldBytes).toBe(256 * 1024 * 1024))
})

test("two operations of one method and path, and an unknown dialect, are refused", () => {
  expect(() => listen([fakeOperation(), fakeOperation({ id: "again.read" })])).toThrow(
    "Cannot mount operation again.read: thing.get serves GET /thing already",
  )
  expect(() => listen([fakeOperation({ dialect: "nobody" })])).toThrow('there is no dialect "nobody"')
})

describe("requests without a record", () => {
  const told = (options: Parameters<typeof listen>[1] = {}) => {
    const requests: UnroutedRequest[] = []
    const app = listen(
      [fakeOperation({ method: "POST", body: Type.Object({ a: Type.Number() }) }), chatOperation(fail)],
      {
        ...options,
        onUnrouted: (request) => requests.push(request),
      },
    )
    return { app, requests }
  }
  const fail = (): never => {
    throw new RtrError("overloaded", "x")
  }

  test("are told of, whatever refused them, and nothing of theirs with them", async () => {
    const { app, requests } = told({ apiKeys: namedKeys("k") })
    const headers = { "api-key": "k", "x-request-id": "mine" }
    await askJson(app, "/thing", { a: 1 }, headers)
    await askJson(app, "/thing", { a: 1 }, { "api-key": "CANARY" })
    await askJson(app, "/thing", "{CANARY", headers)
    await askJson(app, "/CANARY", {}, headers)
    await ask(app, "/thing", { headers })
    await askJson(app, "/chat", { text: "CANARY" }, headers)
    expect(requests.map(({ path, key, status, error }) => [path, key, status, error])).toEqual([
      ["/thing", "key-1", 200, undefined],
      ["/thing", undefined, 401, "invalid_api_key"],
      ["/thing", "key-1", 400, "invalid_request"],
      [undefined, "key-1", 404, "not_found"],
      [undefined, "key-1", 405, "method_not_allowed"],
      ["/chat", "key-1", 429, "overloaded"],
    ])
    expect(requests[0]).toMatchObject({ id: "mine", listener: "main", kind: "inference", method: "POST", open: false })
    expect(JSON.stringify(requests)).not.toContain("CANARY")
  })

  test("have their replies whatever the listener throws", async () => {
    const thrown = new Error("no disk")
    const onInternalError = vi.fn<(error: unknown, requestId: string) => void>()
    const app = listen([fakeOperation()], {
      onInternalError,
      onUnrouted: () => {
        throw thrown
      },
    })
    const replies = [await ask(app, "/thing", { headers: { "x-request-id": "a" } }), await ask(app, "/other")]
    expect(replies.map(({ status }) => status)).toEqual([200, 404])
    expect(onInternalError.mock.calls).toEqual([
      [thrown, "a"],
      [thrown, expect.any(String)],
    ])
  })

  test("are not told of when the record of their call tells", async () => {
    const requests: UnroutedRequest[] = []
    const { ask: chat, records } = await watchedKernel({ onUnrouted: (request) => requests.push(request) })
    expect([(await chat("hi", { model: "nope" })).status, records.length, requests]).toEqual([404, 1, []])
  })
})
