import { readFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { expect, test } from "vitest"
import {
  besideRequests,
  providersOn,
  startRouter,
  startTestBackend,
  type TestRouter,
  userMessage,
} from "./_processes.ts"

const keys = ["right-key", "other-key"]

async function setUp(listener: object = {}): Promise<TestRouter> {
  const backend = await startTestBackend()
  return startRouter({
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, ...listener }],
    providers: providersOn(backend.endpoint, "small", "large"),
  })
}

async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details: { request_id: string } }
  }
  expect(error.details.request_id).toBe(response.headers.get("x-request-id"))
  return { status: response.status, code: error.code, message: error.message }
}

const residentMegabytes = (router: TestRouter): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${router.child.pid}/status`, "utf8"))?.[1]) / 1024

test("each kind of malformed request has its own precise answer", async () => {
  const router = await setUp()
  const deep = `{"model":"MoM","messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  const cases: readonly (readonly [body: unknown, message: RegExp])[] = [
    ["", /not valid JSON/],
    ["{broken", /not valid JSON/],
    ["[]", /must be a JSON object/],
    ["null", /must be a JSON object/],
    [{ messages: [] }, /"model" is missing/],
    [{ model: 7, messages: [] }, /"model" must be a non-empty string/],
    [{ model: "MoM" }, /"messages" is missing/],
    [{ model: "MoM", messages: "hi" }, /"messages" must be a list/],
    [{ model: "MoM", messages: [] }, /"messages" must not be empty/],
    [{ model: "MoM", messages: ["hi"] }, /messages\[0\] must be an object/],
    [{ model: "MoM", messages: [{ content: "hi" }] }, /messages\[0\]\.role must be a non-empty string/],
    [{ model: "MoM", messages: [{ role: "user", content: 5 }] }, /messages\[0\]\.content must be a string or a list/],
    [
      { model: "MoM", messages: [{ role: "user", content: [{ type: "text" }] }] },
      /messages\[0\]\.content\[0\]\.text must be a string/,
    ],
    [userMessage("hi", { stream: "yes" }), /"stream" must be true or false/],
    ['{"model":"MoM","messages":[{"role":"user","content":"\\ud800"}]}', /lone surrogate/],
    [userMessage("a\0b"), /NUL/],
    [deep, /nested deeper than/],
  ]
  for (const [body, message] of cases) {
    const error = await errorOf(await router.ask(body))
    expect(error).toEqual({ status: 400, code: "invalid_request", message: expect.stringMatching(message) as unknown })
  }
  expect((await router.ask(userMessage("still alive"))).status).toBe(200)
  expect(besideRequests(router.stderr())).toEqual([])
})

test("an error never quotes the request", async () => {
  const router = await setUp()
  const text = await (await router.ask('{"model":"MoM","messages":[{"role":"user","content":"my secret diary"')).text()
  expect(text).not.toMatch(/diary/)
})

test("wrong models, methods, paths and content types are told apart", async () => {
  const router = await setUp()
  expect(await errorOf(await router.ask({ ...userMessage("hi"), model: "nope" }))).toMatchObject({
    status: 404,
    code: "model_not_found",
  })
  expect(await errorOf(await router.ask(userMessage("hi"), { "content-type": "image/png" }))).toMatchObject({
    status: 415,
    code: "unsupported_media_type",
  })
  expect(await errorOf(await fetch(`${router.url}/v1/chat/completions`))).toMatchObject({
    status: 405,
    code: "method_not_allowed",
  })
  expect(await errorOf(await fetch(`${router.url}/v1/nothing`))).toMatchObject({ status: 404, code: "not_found" })
})

test("keys and model grants of a listener are enforced", async () => {
  const router = await setUp({ api_keys: keys, models: ["small", "MoM"] })
  const body = { ...userMessage("hi"), model: "small" }
  for (const headers of [
    {},
    { authorization: "Bearer wrong" },
    { authorization: "right-key" },
    { "api-key": "right-ke" },
    { authorization: "Bearer right-key2" },
  ]) {
    expect(await errorOf(await router.ask(body, headers as unknown as Record<string, string>))).toMatchObject({
      status: 401,
      code: "invalid_api_key",
    })
  }
  for (const headers of [
    { authorization: "Bearer right-key" },
    { authorization: "bearer other-key" },
    { "api-key": "other-key" },
  ]) {
    expect((await router.ask(body, headers as unknown as Record<string, string>)).status).toBe(200)
  }
  const key = { authorization: "Bearer right-key" }
  expect(await errorOf(await router.ask({ ...body, model: "large" }, key))).toMatchObject({
    status: 403,
    code: "model_not_allowed",
  })
  expect((await router.ask({ ...body, model: "auto" }, key)).status).toBe(200)
  const list = (await (await fetch(`${router.url}/v1/models`, { headers: key })).json()) as { data: { id: string }[] }
  expect(list.data.map(({ id }) => id)).toEqual(["MoM", "small"])
  expect((await fetch(`${router.url}/health`)).status).toBe(200)
})

test("a body of 100 MB is refused, declared or not, and memory stays bounded", async () => {
  const router = await setUp()
  const before = residentMegabytes(router)
  expect(await sendEndlessly(router.url, { "content-length": String(100_000_000) })).toBe(413)
  for (let round = 0; round < 5; round++)
    expect(await sendEndlessly(router.url, { "transfer-encoding": "chunked" })).toBe(413)
  expect((await router.ask(userMessage("still alive"))).status).toBe(200)
  expect(residentMegabytes(router) - before).toBeLessThan(400)
})

test("bodies of very many values do not end a small process, and it is small again afterwards", async () => {
  const backend = await startTestBackend()
  const router = await startRouter(
    { providers: providersOn(backend.endpoint, "small", "large") },
    { NODE_OPTIONS: "--max-old-space-size=256" },
  )
  for (let round = 0; round < 50; round++) await (await router.ask(userMessage("hi"))).text()
  const before = residentMegabytes(router)
  const { messages } = userMessage("hi there you") as { messages: readonly object[] }
  const [message] = messages
  const statusesOf = async (count: number, body: object): Promise<ReadonlySet<number>> => {
    const text = JSON.stringify(body)
    const sent = Array.from({ length: count }, async () => {
      const response = await router.ask(text)
      await response.text()
      return response.status
    })
    return new Set(await Promise.all(sent))
  }
  const objects = (count: number): object => ({ ...userMessage("hi"), x: Array.from({ length: count }, () => ({})) })
  const conversation = (count: number): object => ({
    model: "MoM",
    messages: Array.from({ length: count }, () => message),
  })
  expect(await statusesOf(2, conversation(150_000))).toEqual(new Set([400]))
  // Twenty at the same time may be told to wait before their values are counted; none of them is served.
  const ofMany = await statusesOf(20, objects(480_000))
  expect([400, 429]).toEqual(expect.arrayContaining([...ofMany]))
  expect(ofMany).toContain(400)
  for (const body of [objects(70_000), conversation(25_000)])
    expect([200, 429, 503]).toEqual(expect.arrayContaining([...(await statusesOf(20, body))]))
  expect((await router.ask(userMessage("still alive"))).status).toBe(200)
  await expect.poll(() => residentMegabytes(router) / before, { timeout: 60_000, interval: 1000 }).toBeLessThan(1.25)
  expect(besideRequests(router.stderr())).toEqual([])
}, 120_000)

test("a quarter of a megabyte of text in one message is routed", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small", "coder"),
    routing: {
      signals: {
        keywords: [
          { name: "code", operator: "OR", keywords: ["needle"] },
          { name: "pattern", operator: "OR", method: "regex", keywords: ["need(le)+"] },
        ],
        language: [{ name: "en" }],
        structure: [
          { name: "long", feature: { type: "count", source: { type: "text_bytes" } }, predicate: { gte: 240_000 } },
        ],
        context: [{ name: "large", min_tokens: "40K" }],
      },
      decisions: [
        {
          name: "everything",
          rules: {
            operator: "AND",
            conditions: [
              ["keyword", "code"],
              ["keyword", "pattern"],
              ["language", "en"],
              ["structure", "long"],
              ["context", "large"],
            ].map(([type, name]) => ({ type, name })),
          },
          modelRefs: [{ model: "coder" }],
        },
      ],
    },
  })
  const response = await router.ask(userMessage(`${"some plain english words ".repeat(10_000)} needle`))
  expect([response.status, response.headers.get("x-rtr-selected-decision")]).toEqual([200, "everything"])
  // Nobody reads a megabyte for words, but it is served.
  const long = await router.ask(userMessage(`${"some plain english words ".repeat(42_000)} needle`))
  expect([long.status, await long.json()]).toMatchObject([200, { choices: [{ message: { content: "hello" } }] }])
})

/** Sends 100 MB as fast as the router takes them; resolves with the status of the answer. */
function sendEndlessly(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    })
    request.on("response", (response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    request.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? undefined : reject(error),
    )
    const piece = Buffer.alloc(1_000_000, "x")
    let left = 100
    const send = (): void => {
      while (left-- > 0 && !request.destroyed) {
        if (!request.write(piece)) {
          request.once("drain", send)
          return
        }
      }
      if (!request.destroyed) request.end()
    }
    send()
  })
}
