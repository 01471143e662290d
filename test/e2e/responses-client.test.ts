import OpenAI, { APIError, BadRequestError, NotFoundError, RateLimitError } from "openai"
import { expect, test } from "vitest"
import { dataEvent, namedEvent, type TypedEvent } from "../fakes/event-stream.ts"
import { sendEvents, sendJson } from "./_backend-answers.ts"
import { type BackendHandler, chunkOf, replyOf, startRouter, startTestBackend, waitFor } from "./_processes.ts"

/** A router before one backend, and the vendor's client before the router. */
async function setUp(handler: BackendHandler, model: object = {}) {
  const backend = await startTestBackend(handler)
  const router = await startRouter({
    providers: {
      defaults: { model: "small" },
      models: [
        {
          name: "small",
          ...model,
          backend_refs: [{ base_url: `${backend.url}/v1`, provider: "openai", api_key: "secret-key" }],
        },
      ],
    },
  })
  return { backend, router, client: new OpenAI({ baseURL: `${router.url}/v1`, apiKey: "unused", maxRetries: 0 }) }
}

const weather = {
  type: "function" as const,
  name: "weather",
  description: "tells it",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  strict: false,
}

/** Chunks of chat completions that think, speak and call two tools. */
const chunks = (() => {
  const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })
  const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] })
  return [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "I should " }),
    chunk({ reasoning_content: "look." }),
    chunk({ content: "Let me " }),
    chunk({ content: "look: 漢字" }),
    call(0, { id: "call_1", type: "function", function: { name: "weather", arguments: "" } }),
    call(0, { function: { arguments: '{"city":' } }),
    call(1, { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }),
    call(0, { function: { arguments: '"Rome"}' } }),
    chunk({}, "tool_calls"),
    {
      ...chunk({}),
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 4,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
  ]
})()

test("the responses client talks to a backend of chat completions, whole and streamed, with tools", async () => {
  const { client, backend } = await setUp((body, response) => {
    if (body["stream"] === true) sendEvents(response, [...chunks, "[DONE]"].map(dataEvent))
    else sendJson(response, replyOf("m", "hello"))
  })
  const { data, response } = await client.responses
    .create({ model: "MoM", input: "hi", instructions: "Be kind", metadata: { a: "b" } })
    .withResponse()
  expect([data.output_text, data.status, data.usage?.input_tokens, data.instructions]).toEqual([
    "hello",
    "completed",
    3,
    "Be kind",
  ])
  expect(response.headers.get("x-selected-model")).toBe("small")
  expect(backend.requests.at(-1)).toMatchObject({
    path: "/v1/chat/completions",
    body: {
      model: "small",
      messages: [
        { role: "system", content: "Be kind" },
        { role: "user", content: "hi" },
      ],
    },
  })

  const runner = client.responses.stream({
    model: "small",
    input: "weather?",
    tools: [weather],
    parallel_tool_calls: true,
  })
  const numbers: number[] = []
  runner.on("event", (event) => numbers.push(event.sequence_number))
  const final = await runner.finalResponse()
  expect(numbers).toEqual(numbers.map((_, index) => index))
  expect(final.output.map((item) => item.type)).toEqual(["reasoning", "message", "function_call", "function_call"])
  expect(final.output_text).toBe("Let me look: 漢字")
  expect(
    final.output.flatMap((item) => (item.type === "function_call" ? [[item.call_id, item.name, item.arguments]] : [])),
  ).toEqual([
    ["call_1", "weather", '{"city":"Rome"}'],
    ["call_2", "weather", '{"city":"Oslo"}'],
  ])
  expect(final.usage).toMatchObject({
    input_tokens: 9,
    output_tokens: 4,
    input_tokens_details: { cached_tokens: 3 },
    output_tokens_details: { reasoning_tokens: 2 },
  })

  // The client sends back what it got, with the results of its tools.
  const outputs = ["call_1", "call_2"].map((id) => ({
    type: "function_call_output" as const,
    call_id: id,
    output: `${id} is sunny`,
  }))
  await client.responses.create({
    model: "small",
    input: [{ role: "user", content: "weather?" }, ...final.output, ...outputs] as OpenAI.Responses.ResponseInput,
    tools: [weather],
  })
  expect(backend.requests.at(-1)?.body["messages"]).toEqual([
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      reasoning_content: "I should look.",
      content: "Let me look: 漢字",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
        { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "call_1 is sunny" },
    { role: "tool", tool_call_id: "call_2", content: "call_2 is sunny" },
  ])
})

test("the responses client parses structured output of a backend of chat completions", async () => {
  const { client, backend } = await setUp((_, response) => sendJson(response, replyOf("m", '{"city":"Rome"}')))
  const schema = {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  }
  const parsed = await client.responses.parse({
    model: "small",
    input: "where?",
    text: { format: { type: "json_schema", name: "place", schema, strict: true } },
  })
  expect(parsed.output_parsed).toEqual({ city: "Rome" })
  expect(backend.requests.at(-1)?.body["response_format"]).toEqual({
    type: "json_schema",
    json_schema: { name: "place", schema, strict: true },
  })
})

test("errors are the client's own classes, whoever made them", async () => {
  const { client, backend } = await setUp((body, response) => {
    if (body["stream"] === true) return sendEvents(response, [chunkOf("a")])
    return sendJson(
      response,
      { error: { message: "busy", type: "rate_limit_error", code: "slow_down", param: null } },
      429,
    )
  })
  const errorOf = (params: object): Promise<unknown> =>
    client.responses.create({ model: "small", input: "hi", ...params }).catch((caught: unknown) => caught)
  expect(await errorOf({ model: "gpt-nope" })).toBeInstanceOf(NotFoundError)
  const limited = await errorOf({})
  expect(limited).toBeInstanceOf(RateLimitError)
  expect(limited).toMatchObject({ status: 429, code: "slow_down", type: "rate_limit_error" })
  expect((limited as APIError).requestID).toMatch(/^[\w-]{36}$/)
  const kept = await errorOf({ previous_response_id: "resp_1" })
  expect(kept).toBeInstanceOf(BadRequestError)
  expect(kept).toMatchObject({ code: "invalid_request", message: expect.stringContaining('"previous_response_id"') })
  expect(await errorOf({ input: [{ type: "function_call_output", output: "x" }] })).toMatchObject({
    status: 400,
    message: expect.stringContaining("input[0].call_id"),
  })
  const before = backend.requests.length
  const types: string[] = []
  const broken = await (async () => {
    for await (const { type } of await client.responses.create({ model: "small", input: "hi", stream: true }))
      types.push(type)
  })().catch((caught: unknown) => caught)
  expect(types).toContain("response.output_text.delta")
  expect(broken).toBeInstanceOf(APIError)
  expect(broken).toMatchObject({ code: "upstream_error" })
  expect(backend.requests.length).toBe(before + 1)
})

test("the responses client leaves a stream in the middle, and the backend is told", async () => {
  let left = false
  const { client } = await setUp((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.on("close", () => (left = true))
    response.write(chunkOf("one "))
  })
  for await (const { type } of await client.responses.create({ model: "small", input: "hi", stream: true }))
    if (type === "response.output_text.delta") break
  await waitFor(() => left)
})

const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 13,
}
const output = [
  { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "I look." }] },
  {
    id: "msg_1",
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Let me look", annotations: [] }],
  },
  {
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: "weather",
    arguments: '{"city":"Rome"}',
  },
]
const response = (fields: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  error: null,
  incomplete_details: null,
  output,
  usage,
  ...fields,
})
const answerAsResponses: BackendHandler = (body, target) => {
  if (body["stream"] !== true) return sendJson(target, response())
  const text = { item_id: "msg_1", output_index: 1, content_index: 0 }
  const events: readonly TypedEvent[] = [
    { type: "response.created", response: response({ status: "in_progress", output: [], usage: null }) },
    { type: "response.output_item.added", output_index: 0, item: { ...output[0], summary: [] } },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta: "I look.",
    },
    { type: "response.output_item.done", output_index: 0, item: output[0] },
    { type: "response.output_item.added", output_index: 1, item: { ...output[1], content: [] } },
    { type: "response.content_part.added", ...text, part: { type: "output_text", text: "", annotations: [] } },
    { type: "response.output_text.delta", ...text, delta: "Let me ", logprobs: [] },
    { type: "response.output_text.delta", ...text, delta: "look", logprobs: [] },
    { type: "response.output_text.done", ...text, text: "Let me look", logprobs: [] },
    {
      type: "response.content_part.done",
      ...text,
      part: { type: "output_text", text: "Let me look", annotations: [] },
    },
    { type: "response.output_item.done", output_index: 1, item: output[1] },
    { type: "response.output_item.added", output_index: 2, item: { ...output[2], arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '{"city":"Rome"}' },
    { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 2, arguments: '{"city":"Rome"}' },
    { type: "response.output_item.done", output_index: 2, item: output[2] },
    { type: "response.completed", response: response() },
  ]
  return sendEvents(
    target,
    events.map((event, index) => namedEvent({ ...event, sequence_number: index })),
  )
}

test("the chat client talks to a backend of the Responses API, whole and streamed, with tools", async () => {
  const { client, backend } = await setUp(answerAsResponses, { api_format: "responses" })
  const tools = [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }]
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "Be kind" },
    { role: "user", content: "weather?" },
  ]
  const whole = await client.chat.completions.create({ model: "MoM", messages, tools, max_completion_tokens: 50 })
  expect(whole.choices[0]).toMatchObject({
    message: {
      role: "assistant",
      content: "Let me look",
      tool_calls: [{ id: "call_1", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
    },
    finish_reason: "tool_calls",
  })
  expect(whole.usage).toMatchObject({
    prompt_tokens: 9,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
  })
  expect(backend.requests.at(-1)).toMatchObject({
    path: "/v1/responses",
    headers: { authorization: "Bearer secret-key" },
  })
  expect(backend.requests.at(-1)?.body).toEqual({
    model: "small",
    instructions: "Be kind",
    input: [{ type: "message", role: "user", content: "weather?" }],
    tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: false }],
    max_output_tokens: 50,
    store: false,
  })

  const final = await client.chat.completions
    .stream({ model: "small", messages, tools, stream_options: { include_usage: true } })
    .finalChatCompletion()
  expect(final.choices[0]).toMatchObject({
    message: {
      content: "Let me look",
      tool_calls: [{ id: "call_1", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
    },
    finish_reason: "tool_calls",
  })
  expect(final.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 4 })

  const [choice] = final.choices
  await client.chat.completions.create({
    model: "small",
    messages: [
      ...messages,
      choice?.message as OpenAI.ChatCompletionMessageParam,
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
    ],
  })
  expect(backend.requests.at(-1)?.body["input"]).toEqual([
    { type: "message", role: "user", content: "weather?" },
    { type: "message", role: "assistant", content: "Let me look" },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Rome"}' },
    { type: "function_call_output", call_id: "call_1", output: "sunny" },
  ])
  await expect(client.chat.completions.create({ model: "small", messages, n: 2 })).rejects.toThrow(BadRequestError)
})

test("the responses client and a backend of the same API lose nothing between them", async () => {
  const { client, backend } = await setUp(answerAsResponses, { api_format: "responses" })
  const body = {
    model: "small",
    input: [{ type: "item_reference" as const, id: "msg_0" }],
    previous_response_id: "resp_0",
    tools: [{ type: "web_search" as const }],
    x_own: { a: [1] },
  }
  const whole = await client.responses.create(body)
  expect(backend.requests.at(-1)?.body).toEqual(body)
  expect(whole).toMatchObject(response())
  const final = await client.responses.stream({ ...body }).finalResponse()
  expect(final).toMatchObject(response())
})
