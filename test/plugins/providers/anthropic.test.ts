import { backend, providerContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import provider from "../../../ts/plugins/providers/anthropic.ts"

describe("contract", () => {
  for (const { name, run } of providerContract(provider)) test(name, run)
})

const body = { model: "m", max_tokens: 4096, temperature: 0.5, messages: [{ role: "user", content: "hi" }] }
const request = (changes: object = {}, input: object = {}) =>
  provider.setup(backend(changes)).toRequest({ body, stream: false, headers: {}, ...input } as never)

test("has the key in its own header, and a version unless the client names one", () => {
  expect(request().headers).toMatchObject({ "x-api-key": "secret-key", "anthropic-version": "2023-06-01" })
  expect(request().headers).not.toHaveProperty("authorization")
  expect(request({}, { headers: { "anthropic-version": "2026-10-21" } }).headers).toMatchObject({
    "anthropic-version": "2026-10-21",
  })
  expect(request({ extraHeaders: { "Anthropic-Version": "2025-01-01" } }).headers).toMatchObject({
    "anthropic-version": "2025-01-01",
  })
  expect(request({ authHeader: "authorization", authPrefix: "Bearer" }).headers).toMatchObject({
    authorization: "Bearer secret-key",
  })
})

test("adds the path to a base URL with and without its version", () => {
  expect(request().url).toBe("https://host.example/base/v1/messages")
  expect(request({ baseUrl: "http://127.0.0.1:80/v1" }).url).toBe("http://127.0.0.1/v1/messages")
  expect(request({ chatPath: "/own" }).url).toBe("https://host.example/own")
})

test("its models are told to reason with a budget", async () => {
  const host = (await provider.reasoning?.())?.("https://api.anthropic.com")
  const thinking = { type: "enabled", budget_tokens: 2048 }
  expect(host?.write(body, { enabled: true, effort: "low", family: undefined })).toMatchObject({ thinking })
})
