import { describe, expect, test, vi } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type AppOptions, createListenerApp, maxHeldBytes, type MountedOperation } from "../../../ts/kernel/http/app.ts"
import { jsonResponse } from "../../../ts/kernel/http/response.ts"
import type { RouteRequest } from "../../../ts/kernel/types/module.ts"

const operation = (changes: Partial<MountedOperation> = {}): MountedOperation => ({
  method: "GET",
  path: "/thing",
  about: "answers",
  handle: ({ id }) => jsonResponse({ ok: true }, 200, id),
  ...changes,
})

/** One response, taken apart. */
async function ask(options: Partial<AppOptions>, path: string, init: RequestInit = {}) {
  const app = createListenerApp({
    listener: "main",
    surface: "inference",
    apiKeys: [],
    operations: [operation()],
    ...options,
  })
  const response = await app.fetch(new Request(`http://h${path}`, init))
  const text = await response.text()
  return {
    status: response.status,
    id: response.headers.get("x-request-id"),
    headers: response.headers,
    body: text === "" ? undefined : (JSON.parse(text) as { error?: { message: string; code: string } }),
  }
}

const failing = (error: unknown): Partial<AppOptions> => ({
  operations: [
    operation({
      handle: async () => {
        throw error
      },
    }),
  ],
})

describe("a request", () => {
  test("reaches its operation with id, time and listener", async () => {
    const seen: RouteRequest[] = []
    const handle = (from: RouteRequest): Response => {
      seen.push(from)
      return jsonResponse({}, 200, from.id)
    }
    const before = performance.now()
    await ask({ operations: [operation({ handle })], listener: "inside" }, "/thing?x=1", {
      headers: { "x-request-id": "mine" },
    })
    expect(seen).toEqual([
      {
        id: "mine",
        listener: "inside",
        startedAt: expect.any(Number),
        request: expect.objectContaining({ url: "http://h/thing?x=1" }),
        hold: expect.any(Function),
        keep: expect.any(Function),
      },
    ])
    expect(seen[0]?.startedAt).toBeGreaterThanOrEqual(before)
  })

  test("may hold bytes until it is answered, as long as all of them together fit", async () => {
    const answered: (() => void)[] = []
    const app = createListenerApp({
      listener: "main",
      surface: "inference",
      apiKeys: [],
      operations: [
        operation({
          async handle({ id, hold }) {
            hold(maxHeldBytes / 2)
            await new Promise<void>((resolve) => answered.push(resolve))
            return jsonResponse({}, 200, id)
          },
        }),
      ],
    })
    const send = async (): Promise<Response> => app.fetch(new Request("http://h/thing"))
    const running = [send(), send()]
    await vi.waitFor(() => expect(answered).toHaveLength(2))
    const refused = await send()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
    answered.forEach((resolve) => resolve())
    await Promise.all(running)
    const later = send()
    await vi.waitFor(() => expect(answered).toHaveLength(3))
    answered[2]?.()
    expect((await later).status).toBe(200)
  })

  test("may keep what it holds beyond its reply", async () => {
    let release = (): void => {}
    const operations = [
      operation({
        handle({ id, hold, keep }) {
          hold(maxHeldBytes)
          release = keep()
          return jsonResponse({}, 200, id)
        },
      }),
    ]
    const app = createListenerApp({ listener: "main", surface: "inference", apiKeys: [], operations })
    const statuses: number[] = []
    for (const between of [() => {}, () => release(), () => {}]) {
      statuses.push((await app.fetch(new Request("http://h/thing"))).status)
      between()
    }
    expect(statuses).toEqual([200, 429, 200])
  })

  test("finds its operation by method and path", async () => {
    const operations = [
      operation(),
      operation({ method: "POST", handle: ({ id }) => jsonResponse({ posted: true }, 201, id) }),
      operation({ path: "/other", handle: ({ id }) => jsonResponse({ other: true }, 200, id) }),
    ]
    expect(await ask({ operations }, "/thing")).toMatchObject({ status: 200, body: { ok: true } })
    expect(await ask({ operations }, "/thing", { method: "POST" })).toMatchObject({
      status: 201,
      body: { posted: true },
    })
    expect(await ask({ operations }, "/other")).toMatchObject({ status: 200, body: { other: true } })
  })
})

describe("the request id", () => {
  test.each(["req-1", "0af7651916cd43dd8448eb211c80319c", "a:b/c.d_e+f=g", "x".repeat(128)])(
    "%s of the client is kept",
    async (id) => {
      expect((await ask({}, "/thing", { headers: { "x-request-id": id } })).id).toBe(id)
      expect((await ask(failing(new Error("x")), "/thing", { headers: { "x-request-id": id } })).id).toBe(id)
    },
  )

  test.each(["", "a b", "a<script>", 'a"', "é", "x".repeat(129)])("%j of the client is replaced", async (id) => {
    const { id: own } = await ask({}, "/thing", { headers: { "x-request-id": id } })
    expect(own).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  })

  test("is new for each request", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await ask({}, "/thing")).id))
    expect(new Set(ids).size).toBe(20)
  })
})

describe("a path that is not there", () => {
  test.each(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("is not found with %s", async (method) => {
    expect(await ask({}, "/nothing", { method })).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", type: "not_found_error", message: `There is no ${method} /nothing here` } },
    })
  })

  test.each(["/", "/thing/more", "//thing", "/THING", "/thing%2f"])("%s is not /thing", async (path) => {
    expect((await ask({}, path)).status).toBe(404)
  })

  test("is cut when it is long", async () => {
    const { body } = await ask({}, `/${"x".repeat(5000)}`)
    expect(body?.error?.message).toBe(`There is no GET /${"x".repeat(99)}… here`)
  })
})

describe("a method that is not there", () => {
  test("is told with those that are", async () => {
    const operations = [operation(), operation({ method: "POST" })]
    const { status, headers, body } = await ask({ operations }, "/thing", { method: "DELETE" })
    expect([status, body?.error?.code, body?.error?.message]).toEqual([
      405,
      "method_not_allowed",
      "DELETE is not allowed on /thing; use GET, POST",
    ])
    expect(headers.get("allow")).toBe("GET, POST")
  })
})

describe("keys", () => {
  const keyed = { apiKeys: ["secret"] }
  const refused = {
    status: 401,
    body: {
      error: {
        message: "Unauthorized: missing or invalid API key",
        type: "authentication_error",
        code: "invalid_api_key",
        param: null,
        details: { request_id: expect.any(String) },
      },
    },
  }

  test("are asked for before anything else is said", async () => {
    for (const [path, method] of [
      ["/thing", "GET"],
      ["/thing", "DELETE"],
      ["/nothing", "GET"],
    ] as const)
      expect(await ask(keyed, path, { method })).toMatchObject(refused)
    expect((await ask(keyed, "/thing")).headers.get("www-authenticate")).toBe("Bearer")
  })

  test("let the request through", async () => {
    expect(await ask(keyed, "/thing", { headers: { authorization: "Bearer secret" } })).toMatchObject({ status: 200 })
  })

  test.each(["/health", "/ready"])("are not asked for on %s", async (path) => {
    const options = { ...keyed, operations: [operation({ path })] }
    expect(await ask(options, path)).toMatchObject({ status: 200 })
    expect(await ask(options, `${path}/more`)).toMatchObject({ status: 401 })
  })
})

describe("errors", () => {
  test("that know what went wrong are shown", async () => {
    expect(await ask(failing(new RtrError("overloaded", "busy", { retryAfterSeconds: 3 })), "/thing")).toMatchObject({
      status: 429,
      body: {
        error: {
          message: "busy",
          type: "rate_limit_error",
          code: "overloaded",
          param: null,
          details: { request_id: expect.any(String) },
        },
      },
    })
  })

  test.each<[string, () => Promise<Response> | Response]>([
    ["rejected", () => Promise.reject(new TypeError("secret at /home/file.ts"))],
    [
      "thrown",
      () => {
        throw new TypeError("secret at /home/file.ts")
      },
    ],
    [
      "thrown as a text",
      () => {
        throw "secret"
      },
    ],
    ["rejected as nothing", () => Promise.reject(undefined)],
  ])("that are bugs are %s and leave without a word, but with the id in the log", async (_, handle) => {
    const told: (readonly [unknown, string])[] = []
    const onInternalError = (error: unknown, requestId: string): void => void told.push([error, requestId])
    const { status, id, body } = await ask({ operations: [operation({ handle })], onInternalError }, "/thing")
    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toContain("secret")
    expect(body).toEqual({
      error: {
        message: "Something went wrong inside the router; its log has the request id",
        type: "server_error",
        code: "internal_error",
        param: null,
        details: { request_id: id },
      },
    })
    expect(told).toHaveLength(1)
    expect(told[0]?.[1]).toBe(id)
  })

  test("that are not bugs do not reach the log", async () => {
    const told: unknown[] = []
    await ask({ ...failing(new RtrError("not_found", "x")), onInternalError: (error) => told.push(error) }, "/thing")
    expect(told).toEqual([])
  })

  test("of the management surface have its form", async () => {
    expect(
      (await ask({ ...failing(new RtrError("invalid_request", "x")), surface: "management" }, "/thing")).body,
    ).toEqual({
      error: { code: "INVALID_INPUT", message: "x", timestamp: expect.any(String), request_id: expect.any(String) },
    })
  })
})
