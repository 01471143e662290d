import type { Backend, ChatRequest } from "rtr"
import { backend } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { chatCompletionsProvider } from "../../../ts/plugins/_shared/chat-completions-provider.ts"

const family = {
  about: "A family",
  authHeader: "x-key",
  authPrefix: "Key ",
  chatPath: "/say",
  versionParameter: "v",
}

function requestTo(
  changes: Partial<Backend>,
  request: Partial<ChatRequest> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  return chatCompletionsProvider(family)
    .setup(backend({ baseUrl: "https://host.example/base", ...changes }))
    .toRequest({
      request: { model: "MoM", messages: [], ...request },
      upstreamModel: "m",
      headers,
      reasoning: undefined,
    })
}

describe("the address", () => {
  test.each<[Partial<Backend>, string]>([
    [{}, "https://host.example/base/say"],
    [{ chatPath: "/other" }, "https://host.example/other"],
    [{ chatPath: "/other/path?x=1" }, "https://host.example/other/path?x=1"],
    [{ apiVersion: "1" }, "https://host.example/base/say?v=1"],
    [{ chatPath: "/other?x=1", apiVersion: "1" }, "https://host.example/other?x=1&v=1"],
    [{ baseUrl: "https://host.example:8443" }, "https://host.example:8443/say"],
    [{ baseUrl: "http://[::1]:8000/v1" }, "http://[::1]:8000/v1/say"],
  ])("of %j is %s", (changes, url) => expect(requestTo(changes).url).toBe(url))

  test("stays on the host that was configured, whatever the path looks like", () => {
    expect(new URL(requestTo({ chatPath: "//evil.example/x" }).url).host).toBe("host.example")
  })
})

describe("the key", () => {
  test.each<[Partial<Backend>, Readonly<Record<string, string>>]>([
    [{ apiKey: undefined }, {}],
    [{}, { "x-key": "Key secret-key" }],
    [{ authHeader: "Authorization" }, { authorization: "Key secret-key" }],
    [{ authPrefix: "Bearer" }, { "x-key": "Bearer secret-key" }],
    [{ authPrefix: "Bearer " }, { "x-key": "Bearer secret-key" }],
    [{ authPrefix: "" }, { "x-key": "secret-key" }],
    [{ authPrefix: undefined }, { "x-key": "Key secret-key" }],
  ])("of %j is sent as %j", (changes, headers) => {
    const { "content-type": _, accept: __, ...sent } = requestTo(changes).headers
    expect(sent).toEqual(headers)
  })
})

describe("headers", () => {
  test("of the backend go over those of plugins, and the key over both", () => {
    const { headers } = requestTo(
      { extraHeaders: { "X-Team": "backend", "X-Key": "none" } },
      {},
      { "x-team": "plugin", "x-own": "1", "x-key": "stolen", "content-type": "text/plain" },
    )
    expect(headers).toEqual({
      "x-team": "backend",
      "x-own": "1",
      "x-key": "Key secret-key",
      "content-type": "application/json",
      accept: "application/json",
    })
  })

  test("ask for what the client asked for", () => {
    expect(
      [true, false, undefined].map((stream) => requestTo({}, stream === undefined ? {} : { stream }).headers["accept"]),
    ).toEqual(["text/event-stream", "application/json", "application/json"])
  })
})

test("the body is the request with the backend's model", () => {
  const request = { messages: [{ role: "user", content: "é" }], x_own: [1, { a: null }], temperature: 0 }
  expect(JSON.parse(requestTo({}, request).body ?? "")).toEqual({ ...request, model: "m" })
})
