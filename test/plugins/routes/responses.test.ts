import { createFakeInference, routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/responses.ts"
import { dataOf, namedEvent, type TypedEvent } from "../../fakes/event-stream.ts"
import { get, post } from "../../fakes/kernel.ts"
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

test("a stream that a backend of the API cuts ends with an error event that continues its numbers", async () => {
  const event = (number: number, fields: object = {}): string =>
    namedEvent({ type: "response.output_text.delta", sequence_number: number, delta: "hi", ...fields })
  const bodies: readonly (readonly [number, readonly string[]])[] = [
    [13, [event(11), event(12)]],
    [13, [event(11) + event(12) + event(13).slice(0, 30)]],
    [13, [event(12), ": still there\n\n"]],
    [13, [event(12, { delta: '"sequence_number":99' })]],
    // A model's text and the order of fields say nothing of the number.
    [6, [namedEvent({ type: "response.output_text.delta", delta: "hi", sequence_number: 5 })]],
    [0, [namedEvent({ type: "response.output_text.delta", delta: "hi" })]],
  ]
  for (const [number, body] of bodies) {
    const { text } = await answer({ ...streamReply([]), body }, { input: "hi", stream: true }, upstream)
    expect([body, dataOf(text).at(-1)]).toMatchObject([body, { type: "error", sequence_number: number }])
  }
})

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

  test("what refers to kept responses is refused before signals are read: a guard would take it for unreadable", async () => {
    const answering = {
      "routing.decisions.0.plugins": [{ type: "fast_response", configuration: { message: "No." } }],
    }
    for (const fields of [
      { input: "this is urgent", previous_response_id: "resp_1" },
      {
        input: [
          { type: "item_reference", id: "msg_1" },
          { role: "user", content: "this is urgent" },
        ],
      },
    ]) {
      const { status, text } = await answer(jsonReply(completion("hi")), fields, answering)
      expect([status, JSON.parse(text).error.code]).toEqual([400, "invalid_request"])
    }
    const thought = [
      { type: "item_reference", id: "rs_1" },
      { role: "user", content: "this is urgent" },
    ]
    expect((await answer(jsonReply(completion("hi")), { input: thought }, answering)).status).toBe(200)
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

describe("kept responses", () => {
  const keeping = { "global.services.response_api": { store_backend: "memory" } }
  const read = async (got: Response): Promise<Readonly<Record<string, unknown>>> =>
    (await got.json()) as Readonly<Record<string, unknown>>

  test("guards read the whole conversation that a request continues", async () => {
    const inference = createFakeInference({ labels: ["benign", "jailbreak"], classify: () => [0.9, 0.1] })
    const { kernel } = await watchedKernel({
      inference,
      changes: {
        ...keeping,
        "routing.signals.jailbreak": [{ name: "attack" }],
        "routing.decisions": [
          {
            name: "guard",
            priority: 9,
            rules: { type: "jailbreak", name: "attack" },
            plugins: [{ type: "fast_response", configuration: { message: "No." } }],
          },
        ],
      },
    })
    const ask = async (body: object) => read(await kernel.fetch(post("/v1/responses", { model: "MoM", ...body })))
    const first = await ask({ input: "the first question", instructions: "not carried over" })
    const before = inference.calls.length
    const second = await ask({ input: "the second question", previous_response_id: first["id"] })
    const texts = inference.calls
      .slice(before)
      .flat()
      .flatMap((question) => ("text" in question ? [question.text] : []))
    const said = ["hi", "the first question", "the second question"]
    // A second guard may read the same texts.
    expect([second["status"], [...new Set(texts)].toSorted()]).toEqual(["completed", said])
  })

  test("what is too large is refused before a model is asked, or not kept, and the reply says so", async () => {
    const { kernel, sent } = await watchedKernel({
      changes: { "global.services.response_api": { store_backend: "memory", max_response_bytes: 700 } },
    })
    const ask = (body: object) => kernel.fetch(post("/v1/responses", { model: "MoM", ...body }))
    const refused = await ask({ input: "x".repeat(800) })
    expect([refused.status, await refused.text(), sent().length]).toEqual([
      413,
      expect.stringContaining('send \\"store\\": false'),
      0,
    ])
    expect((await ask({ input: "x".repeat(800), store: false })).status).toBe(200)
    const kept = await read(await ask({ input: "x".repeat(300) }))
    expect([kept["status"], kept["store"]]).toEqual(["completed", false])
    expect((await kernel.fetch(get(`/v1/responses/${String(kept["id"])}`))).status).toBe(404)
  })

  test("fields of another type are refused", async () => {
    const { kernel } = await watchedKernel({ changes: keeping })
    for (const fields of [
      { previous_response_id: 1 },
      { background: "yes" },
      { store: 1 },
      { conversation: 5 },
      { conversation: "conv_1", store: false },
      { conversation: "conv_1", previous_response_id: "resp_1" },
    ]) {
      const got = await kernel.fetch(post("/v1/responses", { model: "MoM", input: "hi", ...fields }))
      expect([got.status, await got.text()]).toEqual([400, expect.stringContaining(Object.keys(fields)[0] ?? "")])
    }
  })

  test("a section that switches keeping off keeps nothing", async () => {
    const { kernel } = await watchedKernel({ changes: { "global.services.response_api": { enabled: false } } })
    const got = await kernel.fetch(get("/v1/responses/resp_1"))
    expect([got.status, await got.text()]).toEqual([404, expect.stringContaining("keeps no responses")])
  })
})
