// The check of every response against /openapi.json, which the other end-to-end tests run under: what it reaches, and that it can fail.

import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { Validator } from "@seriousme/openapi-schema-validator"
import type { OpenApiDocument } from "rtr"
import { expect, test } from "vitest"
import { createResponseCheck, type GivenResponse } from "../fakes/openapi.ts"
import { knowListener, takeProblems } from "./_described-responses.ts"
import { providersOn, startRouter, startTestBackend, userMessage } from "./_processes.ts"

/** What a page gets whose own name points at this machine. */
async function getAs(host: string, url: string): Promise<GivenResponse> {
  const [response] = (await once(get(url, { headers: { host } }), "response")) as [IncomingMessage]
  const type = response.headers["content-type"] ?? ""
  return { status: response.statusCode ?? 0, headers: { "content-type": type }, text: await text(response) }
}

async function documentAt(management: string): Promise<OpenApiDocument> {
  return (await (await fetch(`${management}/openapi.json`)).json()) as OpenApiDocument
}

test("the document is valid OpenAPI 3, and whatever a listener answers is in it", async () => {
  const failing = await startTestBackend((body, response) => {
    const status = Number(body["model"])
    response.writeHead(status, { "content-type": "application/json" })
    response.end(status === 503 ? "busy" : '{"error":{"message":"no","type":"t","code":null},"more":1}')
  })
  const polite = await startTestBackend()
  const statuses = ["400", "401", "418", "429", "500", "503"]
  const refused = providersOn(failing.endpoint, ...statuses) as { models: readonly object[] }
  const served = providersOn(polite.endpoint, "small") as { models: readonly object[] }
  const router = await startRouter({
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: ["key"] }],
    providers: { defaults: { model: "small" }, models: [...served.models, ...refused.models] },
  })
  const validation = await new Validator().validate((await documentAt(router.management)) as never)
  expect(validation).toMatchObject({ valid: true })

  const key = { authorization: "Bearer key" }
  const chat = `${router.url}/v1/chat/completions`
  const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...key, ...headers },
  })
  const good = JSON.stringify(userMessage("hi"))
  const asked: readonly (readonly [url: string, init: RequestInit, status: number])[] = [
    [chat, post(good), 200],
    [chat, post(JSON.stringify(userMessage("hi", { stream: true }))), 200],
    [chat, post("{"), 400],
    [chat, post("{}"), 400],
    [chat, post(JSON.stringify({ model: "nobody", messages: [{ role: "user", content: "x" }] })), 404],
    [chat, post(good, { authorization: "Bearer wrong" }), 401],
    [chat, { method: "GET", headers: key }, 405],
    [chat, { method: "OPTIONS" }, 401],
    [`${router.url}/api/v1/status`, { headers: key }, 404],
    [`${router.url}/nowhere`, {}, 401],
    [`${router.url}/v1/models`, { headers: key }, 200],
    [`${router.url}/v1/models`, { headers: key, method: "HEAD" }, 200],
    [`${router.url}/%zz`, { headers: key }, 404],
    [`${router.url}/ready`, {}, 200],
    ...statuses.map((status) => {
      const request = post(JSON.stringify({ ...userMessage("hi"), model: status }))
      // The backend's 401 is about the router's key and not about the client's.
      return [chat, request, status === "401" ? 502 : Number(status)] as const
    }),
    [`${router.management}/nowhere`, {}, 404],
    [`${router.management}/v1/chat/completions`, post(good), 404],
    [`${router.management}/api/v1/status`, { method: "POST" }, 405],
    [`${router.management}/openapi.json?path=/nowhere`, {}, 404],
    [`${router.management}/api/v1/routing/preview`, post("{}"), 400],
    [`${router.management}/api/v1/routing/preview`, post(JSON.stringify({ text: "x".repeat(20_000_000) })), 413],
    [`${router.management}/docs`, {}, 200],
    [`${router.metrics}/metrics`, {}, 200],
    [`${router.metrics}/nowhere`, {}, 404],
  ]
  const found: string[] = []
  for (const [url, init] of asked) {
    const response = await fetch(url, init)
    await response.text()
    found.push(`${init.method ?? "GET"} ${url}: ${response.status}`)
  }
  expect(found).toEqual(asked.map(([url, { method = "GET" }, status]) => `${method} ${url}: ${status}`))
  expect(takeProblems()).toEqual([])

  // fetch sends no other host than the one it connects to.
  const check = createResponseCheck(await documentAt(router.management))
  for (const [listener, path] of [
    ["management", "/api/v1/status"],
    ["management", "/nowhere"],
    ["metrics", "/metrics"],
  ] as const) {
    const response = await getAs("evil.example", `${router[listener]}${path}`)
    expect(response.status).toBe(421)
    expect(check("GET", path, { ...response, listener })).toEqual([])
  }
}, 60_000)

test("a document that says something else than the listeners do is found out", async () => {
  const polite = await startTestBackend()
  const router = await startRouter({ providers: providersOn(polite.endpoint, "small") })
  const document = await documentAt(router.management)
  const change = (path: string, method: string, responses: object): void => {
    Object.assign(document.paths[path]?.[method] as object, { responses })
  }
  const json = (schema: object): object => ({ "application/json": { schema } })
  change("/health", "get", { 200: { description: "", content: json({ type: "object", required: ["uptime"] }) } })
  change("/ready", "get", { 204: { description: "" } })
  change("/v1/models", "get", { 200: { description: "", content: { "text/plain": { schema: { type: "string" } } } } })
  const noEvent = { "x-rtr-event": { type: "object", required: ["nothing"] }, schema: { type: "string" } }
  change("/v1/chat/completions", "post", {
    200: { description: "", content: { "text/event-stream": noEvent } },
  })
  // Stands before the router with the document that is wrong.
  const front = await startTestBackend(async (body, response) => {
    const { url = "", method } = response.req
    const sent = method === "POST" ? JSON.stringify(body) : null
    const headers = { "content-type": "application/json" }
    const target = url.startsWith("/v1/chat") ? router.url : router.management
    const answer = await fetch(`${target}${url}`, { method: method ?? "GET", headers, body: sent })
    const said = url === "/openapi.json" ? JSON.stringify(document) : await answer.text()
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
    response.end(said)
  })
  const known = { management: front.url, waiting: [] }
  knowListener(front.url, "management", known)
  const problemsOf = async (path: string, init?: RequestInit): Promise<readonly string[]> => {
    await (await fetch(`${front.url}${path}`, init)).text()
    return [...new Set(takeProblems())]
  }
  expect(await problemsOf("/health")).toEqual(["GET /health 200: body must have required property 'uptime'"])
  expect(await problemsOf("/ready")).toEqual(["GET /ready 200: the status is not described; there are 204"])
  expect(await problemsOf("/v1/models")).toEqual([
    'GET /v1/models 200: the content type "application/json" is not described; there are text/plain',
  ])
  expect(await problemsOf("/api/v1/status")).toEqual([])

  knowListener(front.url, "test", known)
  const headers = { "content-type": "application/json" }
  const stream = { method: "POST", headers, body: JSON.stringify(userMessage("hi", { stream: true })) }
  const problem = "POST /v1/chat/completions 200 event: body must have required property 'nothing'"
  expect(await problemsOf("/v1/chat/completions", stream)).toEqual([problem])
  // A client may leave before the end, as many do after the end mark.
  const left = (await fetch(`${front.url}/v1/chat/completions`, stream)).body?.getReader()
  await left?.read()
  await left?.cancel()
  expect(new Set(takeProblems())).toEqual(new Set([problem]))
}, 30_000)
