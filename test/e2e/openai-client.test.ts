import OpenAI, { NotFoundError } from "openai"
import { expect, test } from "vitest"
import { providersOn, startRouter, startTestBackend } from "./_processes.ts"

const routing = {
  signals: { keywords: [{ name: "code", operator: "OR", keywords: ["python"] }] },
  decisions: [{ name: "coding", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "coder" }] }],
}

async function setUp(): Promise<{ client: OpenAI; backend: Awaited<ReturnType<typeof startTestBackend>> }> {
  const backend = await startTestBackend()
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small", "coder"), routing })
  return { client: new OpenAI({ baseURL: `${router.url}/v1`, apiKey: "unused" }), backend }
}

test("the openai client chats, whole and streamed, with automatic and explicit models", async () => {
  const { client, backend } = await setUp()
  const messages = [{ role: "user" as const, content: "Write python" }]
  for (const [model, upstream] of [
    ["MoM", "coder"],
    ["auto", "coder"],
    ["rtr/auto", "coder"],
    ["small", "small"],
  ] as const) {
    const { data, response } = await client.chat.completions.create({ model, messages }).withResponse()
    expect(data.choices[0]?.message.content).toBe("hello")
    expect(response.headers.get("x-selected-model")).toBe(upstream)
    expect(backend.requests.at(-1)?.body["model"]).toBe(upstream)

    const stream = await client.chat.completions.create({ model, messages, stream: true })
    let text = ""
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ""
    expect(text).toBe("one two three four")
    expect(backend.requests.at(-1)?.body["model"]).toBe(upstream)
  }
})

test("tools, images and unknown fields reach the backend as they were sent", async () => {
  const { client, backend } = await setUp()
  const body = {
    model: "small",
    messages: [
      {
        role: "user" as const,
        content: [
          { type: "text" as const, text: "What is this?" },
          { type: "image_url" as const, image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      {
        role: "assistant" as const,
        content: null,
        tool_calls: [{ id: "call_1", type: "function" as const, function: { name: "look", arguments: '{"x":1}' } }],
      },
      { role: "tool" as const, tool_call_id: "call_1", content: "a cat" },
    ],
    tools: [
      {
        type: "function" as const,
        function: { name: "look", parameters: { type: "object", properties: { x: { type: "number" } } } },
      },
    ],
    tool_choice: "auto" as const,
    parallel_tool_calls: false,
    vendor_extension: { deep: [1, "two", null] },
  }
  const { response } = await client.chat.completions.create(body).withResponse()
  expect(backend.requests.at(-1)?.body).toEqual(body)
  expect(response.headers.get("x-tools-selected")).toBe("1")
})

test("the model list has automatic names and configured models", async () => {
  const { client } = await setUp()
  const names: string[] = []
  for await (const model of client.models.list()) names.push(model.id)
  expect(names).toEqual(["MoM", "auto", "rtr/auto", "small", "coder"])
})

test("an unknown model is the client's own error class, with the request id", async () => {
  const { client } = await setUp()
  const error = await client.chat.completions
    .create({ model: "gpt-nope", messages: [{ role: "user", content: "hi" }] })
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NotFoundError)
  expect(error).toMatchObject({ status: 404, code: "model_not_found", type: "not_found_error" })
  expect((error as NotFoundError).requestID).toMatch(/^[\w-]{36}$/)
})
