import { expect, test } from "vitest"
import { responseParts, streamResponse, textResponse } from "../../../ts/kernel/http/response.ts"
import type { ByteSource } from "../../../ts/kernel/types/byte-source.ts"

test("a text is sent with its status and headers", async () => {
  const response = textResponse("hello", 201, { "content-type": "text/plain", a: "1" })
  expect([
    response.status,
    response.headers.get("content-type"),
    response.headers.get("a"),
    await response.text(),
  ]).toEqual([201, "text/plain", "1", "hello"])
})

const sourceOf = (pieces: string[], cancelled: unknown[] = []): ByteSource => ({
  pull: () => {
    const piece = pieces.shift()
    return piece === undefined ? undefined : new TextEncoder().encode(piece)
  },
  cancel: (reason) => void cancelled.push(reason),
})

test("a stream is sent piece by piece, and cancelled by its reader", async () => {
  expect(await streamResponse(sourceOf(["a", "b"]), 200, {}).text()).toBe("ab")
  const cancelled: unknown[] = []
  const reader = streamResponse(sourceOf(["a", "b"], cancelled), 200, {}).body?.getReader()
  expect((await reader?.read())?.value).toEqual(Uint8Array.of(97))
  await reader?.cancel("enough")
  expect(cancelled).toEqual(["enough"])
})

test("a response is a web response to whoever asks", async () => {
  const response = textResponse("{}", 404, { "content-type": "application/json" })
  expect([response instanceof Response, response.ok, response.status, response.bodyUsed]).toEqual([
    true,
    false,
    404,
    false,
  ])
  const copy = response.clone()
  expect([await copy.json(), await response.text(), response.bodyUsed]).toEqual([{}, "{}", true])
})

test("a server takes it apart until somebody uses it as a web object", () => {
  const response = textResponse("hello", 201, { a: "1" })
  expect([response.status, responseParts(response)]).toEqual([
    201,
    { status: 201, headers: { a: "1" }, content: "hello" },
  ])
  response.headers.set("a", "2")
  expect([responseParts(response), responseParts(new Response())]).toEqual([undefined, undefined])
})

test("a long text is sent in pieces that are whole characters, and then nothing of it is held", async () => {
  const text = `a${"👩é漢".repeat(30_000)}`
  let sent = 0
  const response = textResponse(text, 200, {}, () => (sent += 1))
  expect([sent, await response.text(), sent]).toEqual([0, text, 1])
  const left = textResponse(text, 200, {}, () => (sent += 1))
  await left.body?.cancel()
  expect(sent).toBe(2)
  expect([textResponse("short", 200, {}, () => (sent += 1)).status, sent]).toEqual([200, 3])
})
