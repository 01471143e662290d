import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/responses.ts"
import { dataOf, namedEvent, type TypedEvent } from "../../fakes/event-stream.ts"
import { post } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"
import { chunk, lastChunk, watchedKernel } from "../../fakes/watched-kernel.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

/** Both models at a backend of the Responses API. */
const upstream = {
  "providers.models": [
    {
      name: "small",
      api_format: "responses",
      backend_refs: [{ base_url: "https://up.example/v1", provider: "openai", api_key: "secret-key" }],
    },
  ],
  "routing.decisions": [],
}
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  x_own: 1,
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hi", annotations: [] }],
    },
  ],
  usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
}

async function answer(
  reply: FakeReply,
  body: object,
  changes: Readonly<Record<string, unknown>> = {},
  path = "/v1/responses",
) {
  const { kernel, records, sent } = await watchedKernel({ transport: createFakeTransport(reply), changes })
  const got = await kernel.fetch(post(path, { model: "MoM", ...body }))
  const text = await got.text()
  return { status: got.status, headers: got.headers, text, records, sent: sent(), kernel }
}

describe("over a backend of chat completions", () => {
  test("a whole reply is a response, with routing metadata and the usage in the record", async () => {
    const { status, text, headers, records, sent } = await answer(jsonReply(completion("hi")), {
      input: "this is urgent",
      instructions: "Be kind",
    })
    expect(sent).toEqual([
      {
        model: "large",
        messages: [
          { role: "system", content: "Be kind" },
          { role: "user", content: "this is urgent" },
        ],
      },
    ])
    expect([status, headers.get("content-type"), headers.get("x-rtr-selected-decision")]).toEqual([
      200,
      "application/json",
      "rush",
    ])
    expect(JSON.parse(text)).toMatchObject({
      object: "response",
      status: "completed",
      instructions: "Be kind",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "hi" }] }],
      routing_metadata: { decision: "rush" },
    })
    expect(records[0]?.attempts[0]?.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
  })

  test("a stream is one of responses", async () => {
    const { status, text, headers } = await answer(streamReply([chunk("a "), chunk("b"), lastChunk()]), {
      input: "hi",
      stream: true,
    })
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
    const events = dataOf<TypedEvent>(text)
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    expect(events.at(-1)).toMatchObject({
      response: { usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    })
  })

  test("a stream that breaks ends with an error event of the API", async () => {
    const { text } = await answer(
      { ...streamReply([]), body: [`data: ${JSON.stringify(chunk("a"))}\n\n`] },
      { input: "hi", stream: true },
    )
    expect(dataOf(text).at(-1)).toMatchObject({
      type: "error",
      sequence_number: 5,
      code: "upstream_error",
      param: null,
    })
  })

  test("what needs the API itself is refused with its field, and nothing is sent", async () => {
    for (const [fields, path] of [
      [{ previous_response_id: "resp_1" }, "previous_response_id"],
      [{ conversation: "conv_1" }, "conversation"],
      [{ background: true }, "background"],
      [{ tools: [{ type: "web_search" }] }, "tools[0]"],
    ] as const) {
      const { status, text, sent } = await answer(jsonReply(completion("hi")), { input: "hi", ...fields })
      expect([path, status, sent.length, JSON.parse(text).error.code]).toEqual([path, 400, 0, "invalid_request"])
      expect(JSON.parse(text).error.message).toContain(`"${path}"`)
    }
  })

  test("an upstream's failure has the API's shape", async () => {
    const { status, text } = await answer(
      { status: 429, body: '{"error":{"message":"busy","type":"rate_limit_error","code":"slow_down","param":"x"}}' },
      { input: "hi" },
    )
    expect([status, JSON.parse(text)]).toEqual([
      429,
      {
        error: {
          message: "busy",
          type: "rate_limit_error",
          code: "slow_down",
          param: "x",
          details: { request_id: expect.any(String) },
        },
      },
    ])
  })
})

describe("over a backend of the same API", () => {
  test("a request, its reply and kept state pass as they came", async () => {
    const body = {
      input: [
        { role: "user", content: "hi", x: 1 },
        { type: "item_reference", id: "i" },
      ],
      previous_response_id: "resp_0",
      background: true,
      tools: [{ type: "web_search" }],
      x_own: { a: 1 },
    }
    const { status, text, sent, records } = await answer(jsonReply(response), body, upstream)
    expect([status, sent]).toEqual([200, [{ model: "small", ...body }]])
    const { routing_metadata: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    expect(rest).toEqual(response)
    expect(records[0]?.attempts[0]?.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
  })

  test("a stream passes byte for byte", async () => {
    const body =
      namedEvent({ type: "response.created", response: { ...response, output: [] } }) +
      ": ping\n\n" +
      namedEvent({ type: "response.x_unknown" }) +
      namedEvent({ type: "response.completed", response })
    const { text, records } = await answer(
      {
        headers: { "content-type": "text/event-stream" },
        body: [body.slice(0, 100), body.slice(100), "data: after\n\n"],
      },
      { input: "hi", stream: true },
      upstream,
    )
    expect(text).toBe(body)
    expect(records[0]?.attempts[0]?.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 })
  })

  test("a response that failed in its stream reaches the client as it is, and is an error in the record", async () => {
    const failed = { ...response, status: "failed", error: { code: "server_error", message: "oops" } }
    const body =
      namedEvent({ type: "response.created", response }) + namedEvent({ type: "response.failed", response: failed })
    const { text, records } = await answer(
      { headers: { "content-type": "text/event-stream" }, body },
      { input: "hi", stream: true },
      upstream,
    )
    expect(text).toBe(body)
    expect(records[0]?.attempts[0]?.error).toMatchObject({ code: "upstream_error" })
  })

  test("a failure passes with its own fields", async () => {
    const { status, text } = await answer(
      { status: 400, body: '{"error":{"message":"no","type":"invalid_request_error","code":null,"param":"input"}}' },
      { input: "hi" },
      upstream,
    )
    expect([status, JSON.parse(text).error]).toEqual([
      400,
      {
        message: "no",
        type: "invalid_request_error",
        code: null,
        param: "input",
        details: { request_id: expect.any(String) },
      },
    ])
  })

  test("clients of chat completions are served too, whole and streamed", async () => {
    const chat = { messages: [{ role: "user", content: "hi" }] }
    const { text, sent } = await answer(jsonReply(response), chat, upstream, "/v1/chat/completions")
    expect(sent).toEqual([{ model: "small", input: [{ type: "message", role: "user", content: "hi" }], store: false }])
    expect(JSON.parse(text)).toMatchObject({
      object: "chat.completion",
      choices: [{ message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 5 },
    })
    const body =
      namedEvent({ type: "response.created", response: { ...response, output: [] } }) +
      namedEvent({
        type: "response.output_text.delta",
        item_id: "m",
        output_index: 0,
        content_index: 0,
        delta: "hi",
      }) +
      namedEvent({ type: "response.completed", response })
    const streamed = await answer(
      { headers: { "content-type": "text/event-stream" }, body },
      { ...chat, stream: true },
      upstream,
      "/v1/chat/completions",
    )
    expect(streamed.text).toContain('"content":"hi"')
    expect(streamed.text.endsWith("data: [DONE]\n\n")).toBe(true)
  })
})
