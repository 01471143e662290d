import type { Backend, ProviderModule, WireObject } from "rtr"
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
  { body = { model: "m", messages: [] }, stream = false }: { body?: WireObject; stream?: boolean } = {},
  headers: Readonly<Record<string, string>> = {},
) {
  return chatCompletionsProvider(family)
    .setup(backend({ baseUrl: "https://host.example/base", ...changes }))
    .toRequest({ body, stream, headers })
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
    expect([true, false].map((stream) => requestTo({}, { stream }).headers["accept"])).toEqual([
      "text/event-stream",
      "application/json",
    ])
  })
})

test("the body is the dialect's", () => {
  const body = { model: "m", messages: [{ role: "user", content: "é" }], x_own: [1, { a: null }], temperature: 0 }
  expect(JSON.parse(requestTo({}, { body }).body ?? "")).toEqual(body)
})

test("models are told to reason in the family's own way", async () => {
  const choice = { enabled: true, effort: "high", family: { type: "reasoning_effort", parameter: "p" } } as const
  const told = async (way?: "effort") => {
    const module = chatCompletionsProvider({ ...family, ...(way !== undefined && { reasoning: way }) })
    return (await module.reasoning?.())?.("https://host.example").write({}, choice)
  }
  expect(await told()).toEqual({ chat_template_kwargs: { p: "high" } })
  expect(await told("effort")).toEqual({ p: "high" })
})

const families: readonly (readonly [string, string, Partial<Backend>, string, Readonly<Record<string, string>>])[] = [
  ["openai", "https://api.openai.com/v1", {}, "/chat/completions", bearer()],
  ["vllm", "http://127.0.0.1:8000/v1", {}, "/chat/completions", bearer()],
  ["bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", {}, "/chat/completions", bearer()],
  ["gemini", "https://generativelanguage.googleapis.com/v1beta/openai", {}, "/chat/completions", bearer()],
  ["minimax", "https://api.minimax.io", {}, "/v1/chat/completions", bearer()],
  ["vertex-ai", "https://aiplatform.googleapis.com/v1/projects/p/endpoints/openapi", {}, "/chat/completions", bearer()],
  [
    "azure-openai",
    "https://x.openai.azure.com/openai/deployments/gpt",
    {},
    "/chat/completions",
    { "api-key": "secret" },
  ],
  [
    "azure-openai",
    "https://x.openai.azure.com/openai/deployments/gpt",
    { apiVersion: "a b&c" },
    "/chat/completions?api-version=a+b%26c",
    { "api-key": "secret" },
  ],
  // An API version has no place elsewhere.
  ["openai", "https://api.openai.com/v1", { apiVersion: "2024-10-21" }, "/chat/completions", bearer()],
]

function bearer(): Readonly<Record<string, string>> {
  return { authorization: "Bearer secret" }
}

test("path and key are those of each family", async () => {
  const requests = await Promise.all(
    families.map(async ([id, baseUrl, changes]) => {
      const { default: provider } = (await import(`../../../ts/plugins/providers/${id}.ts`)) as {
        default: ProviderModule
      }
      return provider
        .setup(backend({ baseUrl, apiKey: "secret", ...changes }))
        .toRequest({ body: { model: "m" }, stream: false, headers: {} })
    }),
  )
  expect(requests).toEqual(
    families.map(([, baseUrl, , path, key]) => ({
      method: "POST",
      url: `${baseUrl}${path}`,
      headers: { "content-type": "application/json", accept: "application/json", ...key },
      body: '{"model":"m"}',
    })),
  )
})
