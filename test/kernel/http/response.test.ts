import { expect, test } from "vitest"
import { streamResponse, textResponse } from "../../../ts/kernel/http/response.ts"

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

test("a source is pulled as it is read, and told when its reader leaves", async () => {
  const pieces = ["a", "b"]
  const cancelled: unknown[] = []
  const source = {
    pull: () => {
      const piece = pieces.shift()
      return piece === undefined ? undefined : new TextEncoder().encode(piece)
    },
    cancel: (reason: unknown) => void cancelled.push(reason),
  }
  const response = streamResponse(source, 201, { a: "1" })
  const reader = response.body?.getReader()
  await reader?.read()
  expect([response.status, response.headers.get("a"), pieces]).toEqual([201, "1", ["b"]])
  await reader?.cancel("left")
  expect(cancelled).toEqual(["left"])
})
