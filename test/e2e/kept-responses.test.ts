// Responses that the router keeps, through the vendor's client.

import type { ServerResponse } from "node:http"
import { join } from "node:path"
import OpenAI, { BadRequestError, NotFoundError } from "openai"
import { expect, test } from "vitest"
import {
  chunkOf,
  startRouter,
  startTestBackend,
  temporaryFolder,
  type TestBackend,
  type TestRouter,
  waitFor,
} from "./_processes.ts"

type Body = Record<string, unknown>

const json = (response: ServerResponse, body: object): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}
const sse = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text)
}

/** Says how many messages it was sent; calls the tool where there is one and no result yet. */
function answerChat(body: Body, response: ServerResponse): void {
  const messages = body["messages"] as readonly Body[]
  const text = `answer ${messages.length}`
  if (body["stream"] === true) return sse(response, `${chunkOf(text)}${chunkOf("", "stop")}data: [DONE]\n\n`)
  const calls = body["tools"] !== undefined && messages.at(-1)?.["role"] !== "tool"
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }
  json(response, {
    id: "same",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: calls
          ? { role: "assistant", content: null, reasoning_content: "Hm.", tool_calls: [call] }
          : { role: "assistant", content: text },
        finish_reason: calls ? "tool_calls" : "stop",
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  })
}

function answerMessages(body: Body, response: ServerResponse): void {
  const text = `message ${(body["messages"] as readonly Body[]).length}`
  json(response, {
    id: "msg_same",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 1 },
  })
}

/** A backend of the same API, which says the same id every time. */
function answerResponses(body: Body, response: ServerResponse): void {
  const whole = {
    id: "resp_same",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", annotations: [], logprobs: [], text: `item ${(body["input"] as []).length}` }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
  }
  if (body["stream"] !== true) return json(response, whole)
  const events = [
    { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
    { type: "response.completed", response: whole },
  ]
  sse(
    response,
    events.map((event, index) => `data: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`).join(""),
  )
}

async function setUp(more: Body = {}, keys: readonly object[] = []) {
  const chat = await startTestBackend(answerChat)
  const messages = await startTestBackend(answerMessages)
  const responses = await startTestBackend(answerResponses)
  const path = join(temporaryFolder(), "responses.db")
  const document = {
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, ...(keys.length > 0 && { api_keys: keys }) }],
    providers: {
      defaults: { model: "chat" },
      models: [
        { name: "chat", backend_refs: [{ base_url: `${chat.url}/v1`, provider: "openai", api_key: "k" }] },
        { name: "claude", backend_refs: [{ base_url: messages.url, provider: "anthropic", api_key: "k" }] },
        {
          name: "items",
          api_format: "responses",
          backend_refs: [{ base_url: `${responses.url}/v1`, provider: "openai", api_key: "k" }],
        },
      ],
    },
    global: { services: { response_api: { sqlite: { path }, ...more } } },
  }
  const router = await startRouter(document)
  return { document, path, router, chat, messages, responses, ...clientOf(router) }
}

const clientOf = ({ url }: Pick<TestRouter, "url">, apiKey = "unused") => ({
  client: new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 }),
})

/** What a backend was sent last. */
const sentTo = (backend: TestBackend): Body => backend.requests.at(-1)?.body ?? {}
const textsSentTo = (backend: TestBackend): readonly unknown[] =>
  (sentTo(backend)["messages"] as readonly Body[]).map(({ content }) => content)

const withoutMetadata = (response: object): object => ({ ...response, routing_metadata: undefined })

test("a response is kept, read, listed, streamed again and deleted", async () => {
  const { client } = await setUp()
  const created = await client.responses.create({
    model: "MoM",
    input: [
      { role: "user", content: "first" },
      { role: "user", content: [{ type: "input_text", text: "second" }] },
    ],
    instructions: "Be kind",
    metadata: { a: "b" },
  })
  expect(created).toMatchObject({ status: "completed", output_text: "answer 3", store: true, metadata: { a: "b" } })
  expect(created.id).toMatch(/^resp_[\da-f]{32}$/)
  const read = await client.responses.retrieve(created.id)
  expect(withoutMetadata(read)).toEqual(withoutMetadata(created))

  const items = []
  for await (const item of client.responses.inputItems.list(created.id, { order: "asc", limit: 2 })) items.push(item)
  expect(items.map((item) => (item.type === "message" ? [item.role, item.content] : item))).toEqual([
    ["system", [{ type: "input_text", text: "Be kind" }]],
    ["user", [{ type: "input_text", text: "first" }]],
    ["user", [{ type: "input_text", text: "second" }]],
  ])
  const page = await client.responses.inputItems.list(created.id, { limit: 1 })
  expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[items[2]?.id], true])

  const texts: string[] = []
  const numbers: number[] = []
  const ids: string[] = []
  for await (const event of await client.responses.retrieve(created.id, { stream: true })) {
    numbers.push(event.sequence_number)
    if (event.type === "response.output_text.delta") texts.push(event.delta)
    if (event.type === "response.completed") ids.push(event.response.id)
  }
  expect([texts, numbers, ids]).toEqual([["answer 3"], numbers.map((_, index) => index), [created.id]])
  const rest = []
  for await (const event of await client.responses.retrieve(created.id, {
    stream: true,
    starting_after: numbers.length - 2,
  }))
    rest.push(event.type)
  expect(rest).toEqual(["response.completed"])

  await expect(client.responses.cancel(created.id)).rejects.toThrow(BadRequestError)
  await client.responses.delete(created.id)
  for (const gone of [
    () => client.responses.retrieve(created.id),
    () => client.responses.delete(created.id),
    () => client.responses.inputItems.list(created.id),
    () => client.responses.create({ model: "MoM", input: "more", previous_response_id: created.id }),
  ])
    await expect(gone()).rejects.toThrow(NotFoundError)

  const unkept = await client.responses.create({ model: "MoM", input: "not this", store: false })
  expect(unkept).toMatchObject({ store: false })
  await expect(client.responses.retrieve(unkept.id)).rejects.toThrow(NotFoundError)
})

test("a conversation goes on over backends of every protocol, whole and streamed", async () => {
  const { client, chat, messages, responses } = await setUp()
  const first = await client.responses.create({ model: "chat", input: "one", instructions: "Be kind" })
  const runner = client.responses.stream({ model: "chat", input: "two", previous_response_id: first.id })
  const second = await runner.finalResponse()
  expect(second).toMatchObject({ previous_response_id: first.id, output_text: "answer 3" })
  const third = await client.responses.create({ model: "claude", input: "three", previous_response_id: second.id })
  const stream = client.responses.stream({ model: "items", input: "four", previous_response_id: third.id })
  const fourth = await stream.finalResponse()
  expect(fourth).toMatchObject({ previous_response_id: third.id, output_text: "item 7" })
  expect(fourth.id).not.toBe("resp_same")
  const fifth = await client.responses.create({ model: "chat", input: "five", previous_response_id: fourth.id })
  expect(sentTo(chat)["messages"]).toEqual(
    ["one", "answer 2", "two", "answer 3", "three", "message 5", "four", "item 7", "five"].map((content, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
    })),
  )
  expect(sentTo(messages)["messages"]).toHaveLength(5)
  expect(sentTo(responses)).not.toHaveProperty("previous_response_id")
  // From the middle another conversation goes on.
  await client.responses.create({ model: "chat", input: "other", previous_response_id: second.id })
  expect(textsSentTo(chat)).toEqual(["one", "answer 2", "two", "answer 3", "other"])
  expect((await client.responses.retrieve(fifth.id)).output_text).toBe("answer 9")
})

test("results of tools follow the calls that an earlier response made", async () => {
  const { client, chat } = await setUp()
  const tools = [{ type: "function" as const, name: "weather", parameters: { type: "object" }, strict: false }]
  const called = await client.responses.create({ model: "chat", input: "weather?", tools })
  expect(called.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"])
  const output = { type: "function_call_output" as const, call_id: "call_1", output: "sunny" }
  await client.responses.create({ model: "chat", input: [output], tools, previous_response_id: called.id })
  expect(sentTo(chat)["messages"]).toEqual([
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      content: null,
    },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ])
})

test("responses go on in a conversation, also in the background and streamed", async () => {
  const { client, chat } = await setUp()
  const { id } = await client.conversations.create({ items: [{ type: "message", role: "user", content: "zero" }] })
  const first = await client.responses.create({ model: "chat", input: "one", conversation: id })
  expect(first.conversation).toEqual({ id })
  const runner = client.responses.stream({ model: "chat", input: "two", conversation: { id } })
  expect((await runner.finalResponse()).output_text).toBe("answer 4")
  const third = await client.responses.create({ model: "chat", input: "three", conversation: id, background: true })
  await waitFor(async () => (await client.responses.retrieve(third.id)).status === "completed")
  await client.responses.create({ model: "chat", input: "four", conversation: id })
  expect(textsSentTo(chat)).toEqual(["zero", "one", "answer 2", "two", "answer 4", "three", "answer 6", "four"])
  const items = []
  for await (const item of client.conversations.items.list(id, { order: "asc", limit: 4 })) items.push(item.type)
  expect(items).toEqual(Array.from({ length: 9 }, () => "message"))
  await client.conversations.delete(id)
  await expect(client.responses.create({ model: "chat", input: "five", conversation: id })).rejects.toThrow(
    NotFoundError,
  )
})

test("another API key finds nothing", async () => {
  const { router } = await setUp({}, [
    { name: "ann", key: "key-of-ann" },
    { name: "bob", key: "key-of-bob" },
  ])
  const { client: ann } = clientOf(router, "key-of-ann")
  const { client: bob } = clientOf(router, "key-of-bob")
  const { id } = await ann.responses.create({ model: "MoM", input: "mine" })
  const { id: conversation } = await ann.conversations.create({})
  for (const denied of [
    () => bob.responses.retrieve(id),
    () => bob.responses.delete(id),
    () => bob.responses.cancel(id),
    () => bob.responses.inputItems.list(id),
    () => bob.responses.create({ model: "MoM", input: "more", previous_response_id: id }),
    () => bob.responses.create({ model: "MoM", input: "more", conversation }),
    () => bob.conversations.items.list(conversation),
    () => bob.conversations.delete(conversation),
  ])
    await expect(denied()).rejects.toThrow(NotFoundError)
  expect((await ann.responses.retrieve(id)).id).toBe(id)
})

test("a response that its client has seen outlives the process", async () => {
  const { client, document, router, chat } = await setUp()
  const whole = await client.responses.create({ model: "chat", input: "one" })
  const runner = client.responses.stream({ model: "chat", input: "two", previous_response_id: whole.id })
  const streamed = await new Promise<string>((resolve) =>
    runner.on("response.completed", ({ response }) => {
      router.child.kill("SIGKILL")
      resolve(response.id)
    }),
  )
  await runner.done().catch(() => undefined)
  await router.exited
  const { client: next } = clientOf(await startRouter(document))
  expect((await next.responses.retrieve(whole.id)).output_text).toBe("answer 1")
  await next.responses.create({ model: "chat", input: "three", previous_response_id: streamed })
  expect(textsSentTo(chat)).toEqual(["one", "answer 1", "two", "answer 3", "three"])
})

test("a response in the background is polled to its end, or cancelled", async () => {
  const waiting: ServerResponse[] = []
  const slow = await startTestBackend((_, response) => void waiting.push(response))
  const router = await startRouter({
    providers: { defaults: { model: "slow" }, models: [{ name: "slow", backend_refs: [{ endpoint: slow.endpoint }] }] },
    global: { services: { response_api: { store_backend: "memory" } } },
  })
  const { client } = clientOf(router)
  const create = () => client.responses.create({ model: "slow", input: "think", background: true })
  const first = await create()
  expect([first.status, first.background, first.output]).toEqual(["queued", true, []])
  await waitFor(() => waiting.length === 1)
  expect((await client.responses.retrieve(first.id)).status).toBe("in_progress")
  answerChat(slow.requests[0]?.body ?? {}, waiting[0] as ServerResponse)
  await waitFor(async () => (await client.responses.retrieve(first.id)).status === "completed")
  expect(await client.responses.retrieve(first.id)).toMatchObject({ output_text: "answer 1", background: true })
  expect((await client.responses.cancel(first.id)).status).toBe("completed")

  const second = await create()
  await waitFor(() => waiting.length === 2)
  expect((await client.responses.cancel(second.id)).status).toBe("cancelled")
  await waitFor(() => waiting[1]?.destroyed === true)
  expect((await client.responses.retrieve(second.id)).status).toBe("cancelled")
  expect((await client.responses.cancel(second.id)).status).toBe("cancelled")

  const third = await create()
  await waitFor(() => waiting.length === 3)
  waiting[2]?.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"broken"}}')
  await waitFor(async () => (await client.responses.retrieve(third.id)).status === "failed")
  expect((await client.responses.retrieve(third.id)).error?.message).toContain("broken")

  const running = await create()
  for (const refused of [
    { input: "x", background: true, stream: true as const },
    { input: "x", background: true, store: false },
    { input: "x", previous_response_id: running.id },
    { input: "x", conversation: "conv_1", previous_response_id: first.id },
  ])
    await expect(client.responses.create({ model: "slow", ...refused })).rejects.toThrow(BadRequestError)
})

test("without the section nothing is kept, and the error says what would keep it", async () => {
  const backend = await startTestBackend(answerChat)
  const router = await startRouter({
    providers: {
      defaults: { model: "small" },
      models: [{ name: "small", backend_refs: [{ endpoint: backend.endpoint }] }],
    },
  })
  const { client } = clientOf(router)
  const { id } = await client.responses.create({ model: "MoM", input: "hello" })
  await expect(client.responses.retrieve(id)).rejects.toThrow(/keeps no responses; global.services.response_api/)
  await expect(client.responses.create({ model: "MoM", input: "hello", previous_response_id: id })).rejects.toThrow(
    BadRequestError,
  )
})
