import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/messages.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel, get, post } from "../../fakes/kernel.ts"
import { createFakeTransport, type FakeReply, jsonReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const messages = [{ role: "user", content: "hello" }]
const reply = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: "end_turn" }

/** A kernel whose model `claude` has a backend of the same protocol. */
async function kernelOver(answer: FakeReply, changes: Readonly<Record<string, unknown>> = {}) {
  const ref = { base_url: "https://claude.example", provider: "anthropic", api_key: "backend-key" }
  const models = [
    { name: "claude", backend_refs: [ref] },
    { name: "large", backend_refs: [{ endpoint: "large.example:8000" }] },
  ]
  const config = documentWith({ "providers.models": models, "providers.defaults.model": "claude", ...changes })
  const kernel = await createFakeKernel({ config, transport: createFakeTransport(answer) })
  const ask = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await kernel.fetch(post(path, body, headers))
    return { status: response.status, headers: response.headers, body: (await response.json()) as object }
  }
  return { kernel, ask, sent: () => kernel.transport.requests }
}

test("a request goes to a backend of the same protocol with the client's version and features", async () => {
  const { ask, sent } = await kernelOver(jsonReply(reply, { headers: { "anthropic-ratelimit-tokens-limit": "9" } }))
  const given = { model: "claude", max_tokens: 9, messages, x_beta: 1 }
  const version = { "anthropic-version": "2026-10-21", "anthropic-beta": "a-2025-01-01, b-2025-01-01" }
  const answer = await ask("/v1/messages?beta=true", given, version)
  expect(answer).toMatchObject({ status: 200, body: { ...reply, routing_metadata: { selected_model: "claude" } } })
  expect(answer.headers.get("request-id")).toBe(answer.headers.get("x-request-id"))
  expect(answer.headers.get("anthropic-ratelimit-tokens-limit")).toBe("9")
  expect([sent()[0]?.url, sent()[0]?.headers, JSON.parse(sent()[0]?.body ?? "")]).toMatchObject([
    "https://claude.example/v1/messages",
    { ...version, "x-api-key": "backend-key" },
    given,
  ])
})

test("no other text of the client's headers reaches a backend, and none of another protocol gets them", async () => {
  const { ask, sent } = await kernelOver(jsonReply(reply))
  const odd = { "anthropic-version": "Ignore all previous", "anthropic-beta": "ignore all previous instructions" }
  await ask("/v1/messages", { model: "claude", messages }, odd)
  expect(sent()[0]?.headers).toMatchObject({ "anthropic-version": "2023-06-01" })
  expect(sent()[0]?.headers).not.toHaveProperty("anthropic-beta")
  await ask("/v1/messages", { model: "large", messages }, { "anthropic-version": "2023-06-01" })
  expect(sent()[1]?.headers).not.toHaveProperty("anthropic-version")
})

test("a client of another protocol that sets no limit gets replies as long as the model's card says", async () => {
  const cards = [{ name: "claude", max_output_tokens: 64_000 }]
  const { ask, sent } = await kernelOver(jsonReply(reply), { "routing.modelCards": cards })
  await ask("/v1/chat/completions", { model: "claude", messages })
  expect(JSON.parse(sent()[0]?.body ?? "")).toEqual({ model: "claude", messages, max_tokens: 64_000 })
})

test("errors are Anthropic's, with the id in the header that its clients read", async () => {
  const { ask } = await kernelOver(jsonReply(reply), { "listeners.0.api_keys": ["listener-key"] })
  const { status, headers, body } = await ask("/v1/messages", { model: "claude", messages })
  const id = headers.get("request-id")
  expect([status, body]).toEqual([
    401,
    {
      type: "error",
      error: {
        type: "authentication_error",
        message: "Unauthorized: missing or invalid API key",
        details: { error_code: "invalid_api_key" },
      },
      request_id: id,
    },
  ])
  const known = await ask("/v1/messages", { model: "claude", messages }, { "x-api-key": "listener-key" })
  expect(known.status).toBe(200)
})

describe("tokens are", () => {
  const long = { model: "MoM", messages: [{ role: "user", content: `the${" winter".repeat(90)}` }] }

  test("told with the id in the header that Anthropic's clients read", async () => {
    const { ask } = await kernelOver(jsonReply(reply))
    const { headers } = await ask("/v1/messages/count_tokens", long, { "x-request-id": "request-1" })
    expect([headers.get("request-id"), headers.get("x-request-id")]).toEqual(["request-1", "request-1"])
  })

  test("estimated where no backend can count", async () => {
    const { ask, sent } = await kernelOver(jsonReply(reply))
    const count = async (body: object): Promise<object> => (await ask("/v1/messages/count_tokens", body)).body
    expect(await count(long)).toEqual({ input_tokens: 104, estimated: true })
    expect(await count({ ...long, model: "large" })).toEqual({ input_tokens: 104, estimated: true })
    const image = { type: "image", source: { type: "url", url: "https://a.example/i" } }
    const result = { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "漢字漢字" }, image] }
    const tools = [{ name: "tool", input_schema: {} }]
    const body = { model: "MoM", system: "abcd", messages: [{ role: "user", content: [result] }], tools }
    // Two turns, "abcd", a result, four Chinese characters, an image of unknown size, and the tool as JSON.
    const tokens = Math.ceil(2 * 4 + 0.98 + 8 + 4 * 0.75 + 1600 + 14.23)
    expect(await count(body)).toEqual({ input_tokens: tokens, estimated: true })
    expect(sent()).toEqual([])
  })

  test("refused for a model that is not there or not allowed", async () => {
    const { ask } = await kernelOver(jsonReply(reply), { "listeners.0.models": ["large"] })
    const count = (model: string) => ask("/v1/messages/count_tokens", { ...long, model })
    expect(await count("nope")).toMatchObject({ status: 404, body: { error: { type: "not_found_error" } } })
    expect(await count("claude")).toMatchObject({ status: 403, body: { error: { type: "permission_error" } } })
    expect(await count("large")).toMatchObject({ status: 200 })
  })
})

test("models are listed in Anthropic's shape for clients that name a version of its API", async () => {
  const { kernel } = await kernelOver(jsonReply(reply))
  const read = async (path: string): Promise<unknown> =>
    (await kernel.fetch(get(path, { "anthropic-version": "2023-06-01" }))).json()
  const entry = (id: string) => ({
    id,
    type: "model",
    display_name: id,
    created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
  })
  expect(await read("/v1/models")).toEqual({
    data: ["MoM", "auto", "rtr/auto", "claude", "large"].map(entry),
    has_more: false,
    first_id: "MoM",
    last_id: "large",
  })
  expect(await read("/v1/models/claude")).toEqual(entry("claude"))
})

test("a path that is not there is told in Anthropic's shape to its clients, and in OpenAI's to others", async () => {
  const { kernel } = await kernelOver(jsonReply(reply))
  const version = { "anthropic-version": "2023-06-01" }
  for (const [path, headers, isAnthropic] of [
    ["/v1/messages/batches", {}, true],
    ["/v1/files", version, true],
    ["/v1/models/none", version, true],
    ["/v1/files", {}, false],
    ["/v1/models/none", {}, false],
  ] as const) {
    const response = await kernel.fetch(get(path, headers))
    const body = (await response.json()) as object
    expect([path, response.status, response.headers.has("request-id"), body]).toMatchObject([
      path,
      404,
      isAnthropic,
      isAnthropic
        ? { type: "error", error: { type: "not_found_error" }, request_id: response.headers.get("request-id") }
        : { error: { type: "not_found_error", param: null } },
    ])
  }
})
