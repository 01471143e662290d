import { describe, expect, test } from "vitest"
import { withCors } from "../../../ts/kernel/http/cors.ts"
import { ask, fakeListener, namedKeys } from "../../fakes/listener.ts"

const page = "https://chat.example.com"
const app = (...origins: string[]) => withCors(fakeListener({ apiKeys: namedKeys("k") }), new Set(origins))
const key = { "api-key": "k" }
const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
}
const corsOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name === "vary" || name.startsWith("access-control-")))

describe("a page of a listed origin", () => {
  test("may read the answer and the headers about it", async () => {
    const { status, body, headers } = await ask(app(page), "/thing", { headers: { origin: page, ...key } })
    expect([status, body, corsOf(headers)]).toEqual([
      200,
      { ok: true },
      { vary: "origin", "access-control-allow-origin": page, "access-control-expose-headers": "x-request-id" },
    ])
  })

  test("may read an error as well", async () => {
    const { status, headers } = await ask(app(page), "/thing", { headers: { origin: page } })
    expect([status, headers["access-control-allow-origin"]]).toEqual([401, page])
  })

  test("is answered before it sends its request, without a key", async () => {
    const { status, text, headers } = await ask(app("https://other.example", page), "/thing", {
      method: "OPTIONS",
      headers: { origin: page, ...preflight },
    })
    expect([status, text, corsOf(headers)]).toEqual([
      204,
      "",
      {
        vary: "origin",
        "access-control-allow-origin": page,
        "access-control-allow-methods": "GET, HEAD, POST, DELETE",
        "access-control-allow-headers": "authorization,content-type",
        "access-control-max-age": "600",
      },
    ])
  })
})

test("a page of another origin is told nothing", async () => {
  for (const origin of ["https://evil.example", `${page}.evil.example`, "http://chat.example.com", "null"]) {
    const whole = await ask(app(page), "/thing", { headers: { origin, ...key } })
    expect([whole.status, corsOf(whole.headers)]).toEqual([200, { vary: "origin" }])
    const asked = await ask(app(page), "/thing", { method: "OPTIONS", headers: { origin, ...preflight } })
    expect([asked.status, corsOf(asked.headers)]).toEqual([401, { vary: "origin" }])
  }
})

test("a program, which has no origin, sees no difference but for caches", async () => {
  const { status, headers } = await ask(app(page), "/thing", { headers: key })
  expect([status, corsOf(headers)]).toEqual([200, { vary: "origin" }])
})

test("every origin may be let in, never with cookies", async () => {
  const { headers } = await ask(app("*"), "/thing", { headers: { origin: page, ...key } })
  expect(corsOf(headers)).toEqual({
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "x-request-id",
  })
})

test("responses of the web get the headers, too", async () => {
  const response = new Response("hi", { status: 201, headers: { "x-rtr-model": "m", "content-type": "text/plain" } })
  const { status, text, headers } = await ask(withCors({ fetch: () => response }, new Set(["*"])), "/", {
    headers: { origin: page },
  })
  expect([status, text, headers]).toEqual([
    201,
    "hi",
    {
      "content-type": "text/plain",
      "x-rtr-model": "m",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "x-rtr-model",
    },
  ])
})
