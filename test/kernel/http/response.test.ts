import { expect, test } from "vitest"
import { jsonResponse, textResponse } from "../../../ts/kernel/http/response.ts"

test("a text is sent with its status and headers", async () => {
  const response = textResponse("hello", 201, { "content-type": "text/plain", a: "1" })
  expect([
    response.status,
    response.headers.get("content-type"),
    response.headers.get("a"),
    await response.text(),
  ]).toEqual([201, "text/plain", "1", "hello"])
})

test("a stream is sent piece by piece", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of ["a", "b"]) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })
  expect(await textResponse(body, 200, {}).text()).toBe("ab")
})

test("JSON ends with a line break and carries the request id", async () => {
  const response = jsonResponse({ a: [1] }, 503, "req-1")
  expect([response.status, Object.fromEntries(response.headers), await response.text()]).toEqual([
    503,
    { "content-type": "application/json", "x-request-id": "req-1" },
    '{"a":[1]}\n',
  ])
})
