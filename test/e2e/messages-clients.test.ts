// The vendors' own clients and parsers judge the Messages dialect, on both of its sides.

import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from "@anthropic-ai/sdk"
import OpenAI, { RateLimitError as OpenAiRateLimitError } from "openai"
import { expect, test } from "vitest"
import { dataEvent, namedEvent, type TypedEvent } from "../fakes/event-stream.ts"
import { sendEvents, sendJson } from "./_backend-answers.ts"
import { type BackendHandler, startRouter, startTestBackend } from "./_processes.ts"

const weather = {
  name: "weather",
  description: "tells it",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
}

// ── Anthropic's client, a chat-completions backend ──

const chunk = (delta: object, more: object = {}, top: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 5,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
  ...top,
})
const call = (index: number, fields: object): object => ({ tool_calls: [{ index, ...fields }] })

const chatBackend: BackendHandler = (body, response) => {
  const text = JSON.stringify(body["messages"])
  if (text.includes("too many"))
    return sendJson(response, { error: { message: "slow down", type: "x", code: "y" } }, 429, { "retry-after": "1" })
  const hasTools = Array.isArray(body["tools"]) && !text.includes("sunny")
  if (body["stream"] !== true)
    return sendJson(response, {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 5,
      model: "m",
      choices: [
        {
          index: 0,
          message: hasTools
            ? {
                role: "assistant",
                content: null,
                reasoning_content: "hm",
                tool_calls: [
                  { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
                  { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
                ],
              }
            : { role: "assistant", content: "It is sunny." },
          finish_reason: hasTools ? "tool_calls" : "stop",
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: { cached_tokens: 4 } },
    })
  if (text.includes("break"))
    return sendEvents(
      response,
      [chunk({ content: "par" }), { error: { message: "it broke", type: "server_error" } }].map(dataEvent),
    )
  const ending = [
    chunk({}, { finish_reason: hasTools ? "tool_calls" : "stop" }),
    { id: "chatcmpl-1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } },
    "[DONE]",
  ]
  if (!hasTools)
    return sendEvents(
      response,
      [chunk({ role: "assistant", content: "It " }), chunk({ content: "is." }), ...ending].map(dataEvent),
    )
  const start = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: "" } })
  const pieces = [
    chunk({ role: "assistant", reasoning_content: "hm" }),
    chunk({ content: "I ask." }),
    // The second call begins before the first one is whole.
    chunk(call(0, start("call_1"))),
    chunk(call(0, { function: { arguments: '{"city":' } })),
    chunk(call(1, start("call_2"))),
    chunk(call(1, { function: { arguments: '{"city":"Oslo"}' } })),
    chunk(call(0, { function: { arguments: '"Rome"}' } })),
  ]
  return sendEvents(response, [...pieces, ...ending].map(dataEvent))
}

const chatRouter = async (listener: object = {}) => {
  const backend = await startTestBackend(chatBackend)
  const router = await startRouter({
    providers: {
      defaults: { model: "small" },
      models: [{ name: "small", backend_refs: [{ endpoint: backend.endpoint }] }],
    },
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, ...listener }],
  })
  const client = (apiKey = "unused"): Anthropic => new Anthropic({ baseURL: router.url, apiKey, maxRetries: 0 })
  return { backend, router, client }
}

test("Anthropic's client chats with a chat-completions backend: tools, results and images", async () => {
  const { backend, client } = await chatRouter()
  const anthropic = client()
  const question: Anthropic.MessageParam = {
    role: "user",
    content: [
      { type: "text", text: "And here?", cache_control: { type: "ephemeral" } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
    ],
  }
  const asked = { model: "MoM", max_tokens: 100, system: "Be short.", tools: [weather] }
  const first = await anthropic.messages.create({ ...asked, messages: [question] })
  expect(first).toMatchObject({
    type: "message",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "tool_use", id: "call_1", name: "weather", input: { city: "Rome" } },
      { type: "tool_use", id: "call_2", name: "weather", input: { city: "Oslo" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 4 },
  })
  expect(first._request_id).toMatch(/^[\w-]{36}$/)
  const answer = await anthropic.messages.create({
    ...asked,
    messages: [
      question,
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "sunny" }] },
          { type: "tool_result", tool_use_id: "call_2", content: "it failed", is_error: true },
          { type: "text", text: "So?" },
        ],
      },
    ],
    thinking: { type: "enabled", budget_tokens: 2000 },
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  })
  expect(answer).toMatchObject({ content: [{ type: "text", text: "It is sunny." }], stop_reason: "end_turn" })
  const calls = ["Rome", "Oslo"].map((city, index) => ({
    id: `call_${index + 1}`,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
  }))
  expect(backend.requests.at(-1)?.body).toEqual({
    model: "small",
    messages: [
      { role: "system", content: "Be short." },
      {
        role: "user",
        content: [
          { type: "text", text: "And here?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        ],
      },
      { role: "assistant", reasoning_content: "hm", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
      { role: "tool", tool_call_id: "call_2", content: "it failed" },
      { role: "user", content: "So?" },
    ],
    tools: [
      { type: "function", function: { name: "weather", description: "tells it", parameters: weather.input_schema } },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    max_completion_tokens: 100,
    reasoning_effort: "low",
  })
})

test("Anthropic's client streams from a chat-completions backend, with parallel calls", async () => {
  const { client } = await chatRouter()
  const messages = [{ role: "user" as const, content: "weather?" }]
  const tools = await client()
    .messages.stream({ model: "MoM", max_tokens: 100, messages, tools: [weather] })
    .finalMessage()
  expect(tools).toMatchObject({
    id: "msg_1",
    content: [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "I ask." },
      { type: "tool_use", id: "call_1", input: { city: "Rome" } },
      { type: "tool_use", id: "call_2", input: { city: "Oslo" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 9, output_tokens: 3 },
  })
  const types: string[] = []
  for await (const event of await client().messages.create({ model: "MoM", max_tokens: 9, messages, stream: true }))
    types.push(event.type)
  expect(types).toEqual([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ])
})

test("errors are the typed exceptions of Anthropic's client", async () => {
  const { client } = await chatRouter({ api_keys: ["listener-key"] })
  const ask = (model: string, content: string, key = "listener-key"): Promise<unknown> =>
    client(key)
      .messages.create({ model, max_tokens: 9, messages: [{ role: "user", content }] })
      .catch((caught: unknown) => caught)
  const known = [
    [await ask("MoM", "hi", "wrong"), AuthenticationError, 401, "authentication_error", "invalid_api_key"],
    [await ask("nope", "hi"), NotFoundError, 404, "not_found_error", "model_not_found"],
    [await ask("MoM", "\0"), BadRequestError, 400, "invalid_request_error", "invalid_request"],
    [await ask("MoM", "too many"), RateLimitError, 429, "rate_limit_error", "y"],
  ] as const
  for (const [error, kind, status, type, errorCode] of known) {
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ status, type, errorCode })
    expect((error as APIError).requestID).toMatch(/^[\w-]{36}$/)
  }
  const broken = client("listener-key").messages.stream({
    model: "MoM",
    max_tokens: 9,
    messages: [{ role: "user", content: "break" }],
  })
  let text = ""
  broken.on("text", (piece) => (text += piece))
  const error = await broken.finalMessage().catch((caught: unknown) => caught)
  expect(text).toBe("par")
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ type: "api_error", message: expect.stringContaining("it broke") })
})

// ── OpenAI's client, a Messages backend ──

const message = (content: readonly object[], stop: string, usage: object): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage,
})

const messagesBackend: BackendHandler = (body, response) => {
  const text = JSON.stringify(body["messages"])
  if (text.includes("too many"))
    return sendJson(response, { type: "error", error: { type: "rate_limit_error", message: "slow down" } }, 429, {
      "retry-after": "1",
    })
  const hasTools = Array.isArray(body["tools"]) && !text.includes("tool_result")
  const content = hasTools
    ? [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Rome" } },
        { type: "tool_use", id: "toolu_2", name: "weather", input: { city: "Oslo" } },
      ]
    : [{ type: "text", text: "It is sunny.", citations: null }]
  const stop = hasTools ? "tool_use" : "end_turn"
  const usage = { input_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 1, output_tokens: 1 }
  if (body["stream"] !== true) return sendJson(response, message(content, stop, { ...usage, output_tokens: 7 }))
  const events: readonly TypedEvent[] = [
    { type: "message_start", message: message([], stop, usage) },
    { type: "ping" },
    ...content.flatMap((block, index) => {
      const parts: readonly [object, ...object[]] =
        block.type === "thinking"
          ? [
              { type: "thinking", thinking: "", signature: "" },
              { type: "thinking_delta", thinking: "hm" },
              { type: "signature_delta", signature: "sig" },
            ]
          : block.type === "text"
            ? [
                { type: "text", text: "" },
                { type: "text_delta", text: "It is " },
                { type: "text_delta", text: "sunny." },
              ]
            : [
                { ...block, input: {} },
                { type: "input_json_delta", partial_json: "" },
                { type: "input_json_delta", partial_json: JSON.stringify((block as { input: object }).input) },
              ]
      const [start, ...deltas] = parts
      return [
        { type: "content_block_start", index, content_block: start },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]
    }),
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ]
  return sendEvents(response, events.map(namedEvent))
}

const messagesRouter = async () => {
  const backend = await startTestBackend((body, response, socket) =>
    backend.requests.at(-1)?.path === "/v1/messages/count_tokens"
      ? sendJson(response, { input_tokens: 42 })
      : messagesBackend(body, response, socket),
  )
  const ref = { base_url: backend.url, provider: "anthropic", api_key: "backend-key" }
  const router = await startRouter({
    providers: { defaults: { model: "claude" }, models: [{ name: "claude", backend_refs: [ref] }] },
  })
  return {
    backend,
    openai: new OpenAI({ baseURL: `${router.url}/v1`, apiKey: "unused", maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: router.url, apiKey: "unused", maxRetries: 0 }),
  }
}

const functionTool = {
  type: "function" as const,
  function: { name: "weather", description: "tells it", parameters: weather.input_schema },
}

test("OpenAI's client chats with a Messages backend: tools, results, images and limits", async () => {
  const { backend, openai } = await messagesRouter()
  const question: OpenAI.ChatCompletionMessageParam = {
    role: "user",
    content: [
      { type: "text", text: "weather?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
    ],
  }
  const system = { role: "system" as const, content: "Be short." }
  const { data, response } = await openai.chat.completions
    .create({ model: "MoM", messages: [system, question], tools: [functionTool], tool_choice: "required", user: "u" })
    .withResponse()
  const calls = ["Rome", "Oslo"].map((city, index) => ({
    id: `toolu_${index + 1}`,
    type: "function" as const,
    function: { name: "weather", arguments: JSON.stringify({ city }) },
  }))
  expect(data).toMatchObject({
    id: "msg_1",
    object: "chat.completion",
    choices: [
      { message: { role: "assistant", reasoning_content: "hm", tool_calls: calls }, finish_reason: "tool_calls" },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } },
  })
  expect(Math.abs(data.created - Date.now() / 1000)).toBeLessThan(600)
  expect(response.headers.get("x-selected-model")).toBe("claude")
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } }
  const asked = { role: "user", content: [{ type: "text", text: "weather?" }, image] }
  const { body, path, headers } = backend.requests.at(-1) ?? { body: {}, path: "", headers: {} }
  expect([path, headers["x-api-key"], headers["anthropic-version"], headers.authorization]).toEqual([
    "/v1/messages",
    "backend-key",
    "2023-06-01",
    undefined,
  ])
  expect(body).toEqual({
    model: "claude",
    system: "Be short.",
    messages: [asked],
    tools: [weather],
    tool_choice: { type: "any" },
    max_tokens: 32_000,
    metadata: { user_id: "u" },
  })
  const answer = await openai.chat.completions.create({
    model: "MoM",
    messages: [
      question,
      { role: "assistant", content: null, tool_calls: calls },
      { role: "tool", tool_call_id: "toolu_1", content: "sunny" },
      { role: "tool", tool_call_id: "toolu_2", content: "cold" },
    ],
    tools: [functionTool],
    max_completion_tokens: 50,
    stop: "X",
    temperature: 1.5,
  })
  expect(answer.choices[0]).toMatchObject({ message: { content: "It is sunny." }, finish_reason: "stop" })
  expect(backend.requests.at(-1)?.body).toEqual({
    model: "claude",
    messages: [
      asked,
      {
        role: "assistant",
        content: ["Rome", "Oslo"].map((city, index) => ({
          type: "tool_use",
          id: `toolu_${index + 1}`,
          name: "weather",
          input: { city },
        })),
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "sunny" },
          { type: "tool_result", tool_use_id: "toolu_2", content: "cold" },
        ],
      },
    ],
    tools: [weather],
    max_tokens: 50,
    stop_sequences: ["X"],
    temperature: 1,
  })
})

test("OpenAI's client streams from a Messages backend and gets its errors", async () => {
  const { openai } = await messagesRouter()
  const messages = [{ role: "user" as const, content: "weather?" }]
  const runner = openai.chat.completions.stream({
    model: "MoM",
    messages,
    tools: [functionTool],
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await runner.finalChatCompletion()
  expect(choices[0]).toMatchObject({
    message: {
      tool_calls: [
        { id: "toolu_1", function: { name: "weather", arguments: '{"city":"Rome"}' } },
        { id: "toolu_2", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
      ],
    },
    finish_reason: "tool_calls",
  })
  expect(usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 7, total_tokens: 16 })
  let text = ""
  for await (const piece of await openai.chat.completions.create({ model: "MoM", messages, stream: true }))
    text += piece.choices[0]?.delta.content ?? ""
  expect(text).toBe("It is sunny.")
  const limited = await openai.chat.completions
    .create({ model: "MoM", messages: [{ role: "user", content: "too many" }] })
    .catch((caught: unknown) => caught)
  expect(limited).toBeInstanceOf(OpenAiRateLimitError)
  expect(limited).toMatchObject({ status: 429, type: "rate_limit_error" })
  const refused = await openai.chat.completions
    .create({ model: "MoM", messages, n: 2 })
    .catch((caught: unknown) => caught)
  expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("n is more than 1") })
})

test("clients read which of their fields a backend of another protocol did not get", async () => {
  const { backend, openai, anthropic } = await messagesRouter()
  const messages = [{ role: "user" as const, content: "hi" }]
  const asked = { model: "MoM", messages, seed: 7, service_tier: "flex" as const, user: "someone", temperature: 0.5 }
  const whole = await openai.chat.completions.create(asked).withResponse()
  const options = { include_usage: true }
  const stream = await openai.chat.completions
    .create({ ...asked, stream: true, stream_options: options })
    .withResponse()
  let tokens = 0
  for await (const { usage } of stream.data) tokens = usage?.total_tokens ?? tokens
  const kept = await openai.chat.completions.create({ model: "MoM", messages, temperature: 0.5 }).withResponse()
  const own = await anthropic.messages
    .create({ model: "MoM", max_tokens: 9, messages, service_tier: "auto" })
    .withResponse()
  const { backend: chatBack, client } = await chatRouter()
  const other = await client()
    .messages.create({ model: "MoM", max_tokens: 9, messages, service_tier: "auto", thinking: { type: "adaptive" } })
    .withResponse()
  expect([whole, stream, kept, own, other].map(({ response }) => response.headers.get("x-rtr-dropped-fields"))).toEqual(
    ["seed, service_tier", "seed, service_tier", null, null, "service_tier, thinking"],
  )
  expect(tokens).toBeGreaterThan(0)
  expect(backend.requests[0]?.body).toMatchObject({ metadata: { user_id: "someone" }, temperature: 0.5 })
  expect(backend.requests[0]?.body).not.toHaveProperty("seed")
  expect(chatBack.requests[0]?.body).not.toHaveProperty("service_tier")
})

test("Anthropic's client and a Messages backend lose nothing between them", async () => {
  const { backend, anthropic } = await messagesRouter()
  const body = {
    model: "claude",
    max_tokens: 100,
    system: [{ type: "text" as const, text: "Be short.", cache_control: { type: "ephemeral" as const } }],
    messages: [{ role: "user" as const, content: "hi" }],
    context_management: { edits: [{ type: "clear_tool_uses_20250919" as const }] },
    betas: ["context-management-2025-06-27", "other-beta-2025-01-01"],
  }
  const reply = await anthropic.beta.messages.create(body)
  expect(reply).toMatchObject({ content: [{ type: "text", text: "It is sunny.", citations: null }] })
  const { body: sent, path, headers } = backend.requests.at(-1) ?? { body: {}, path: "", headers: {} }
  const { betas: _, ...rest } = body
  expect(sent).toEqual(rest)
  expect(path).toBe("/v1/messages")
  expect(headers["anthropic-beta"]).toBe("context-management-2025-06-27,other-beta-2025-01-01")
  expect(headers["anthropic-version"]).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  const thought = await anthropic.messages
    .stream({ model: "MoM", max_tokens: 100, messages: body.messages, tools: [weather] })
    .finalMessage()
  expect(thought.content[0]).toEqual({ type: "thinking", thinking: "hm", signature: "sig" })
})

test("tokens are counted by a backend that can, and models listed as Anthropic's client reads them", async () => {
  const { backend, anthropic } = await messagesRouter()
  const messages = [{ role: "user" as const, content: "hi" }]
  expect(await anthropic.messages.countTokens({ model: "claude", messages })).toEqual({ input_tokens: 42 })
  expect(backend.requests.at(-1)).toMatchObject({
    body: { model: "claude", messages },
    headers: { "x-api-key": "backend-key" },
  })
  expect(await anthropic.messages.countTokens({ model: "MoM", messages })).toEqual({ input_tokens: 5, estimated: true })
  const models: string[] = []
  for await (const { id, type } of anthropic.models.list()) models.push(`${type} ${id}`)
  expect(models).toEqual(["model MoM", "model auto", "model rtr/auto", "model claude"])
  expect(await anthropic.models.retrieve("claude")).toMatchObject({ id: "claude", display_name: "claude" })
})
