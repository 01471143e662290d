import { describe, expect, test } from "vitest"
import { createFetchTransport } from "../../../ts/kernel/runtime/fetch-transport.ts"
import { transportContract } from "../../contracts/transport.ts"

describe("contract", () => {
  // `fetch` does not tell an answer that is not HTTP from a connection that broke.
  transportContract(() => createFetchTransport(), "upstream_unavailable")
})

const request = {
  method: "POST",
  url: "http://h/",
  headers: { a: "1" },
  body: "{}",
  headersTimeoutMs: 1000,
  bodyTimeoutMs: 1000,
} as const

test("Unix sockets are refused", async () => {
  await expect(createFetchTransport().request({ ...request, socketPath: "/run/x.sock" })).rejects.toMatchObject({
    code: "upstream_unavailable",
    message: "this host cannot connect to Unix sockets",
  })
})

test("the host's fetch can be passed in", async () => {
  const seen: unknown[] = []
  const transport = createFetchTransport(async (url, init) => {
    seen.push([url, init])
    return new Response("hello", { status: 201 })
  })
  const response = await transport.request(request)
  expect([response.status, await response.text(10)]).toEqual([201, "hello"])
  expect(seen).toEqual([
    [
      "http://h/",
      { method: "POST", headers: { a: "1" }, body: "{}", redirect: "manual", signal: expect.any(AbortSignal) },
    ],
  ])
})
