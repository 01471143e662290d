import {
  type ChatEvent,
  type ChatReply,
  type ChatRequest,
  createReplyCollector,
  eventsOf,
  RtrError,
  type WireObject,
} from "rtr"
import { dialectContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import dialect from "../../../ts/plugins/dialects/chat-completions.ts"
import { writtenBy } from "../../fakes/event-stream.ts"
import { createRandom } from "../../fakes/random.ts"
import { randomReply, randomRequest } from "../../fakes/random-chat.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const user = { role: "user", content: "hello" }

const recorded = [
  'data: {"id":"1","object":"chat.completion.chunk","created":5,"model":"m","system_fingerprint":"f","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}\n\n' +
    'data: {"id":"1","choices":[{"index":0,"delta":{"content":"hi","x":1},"finish_reason":null}]}\r\n\r\n' +
    ": keep-alive\n\n" +
    'data: {"id":"1","choices":[{"index":1,"delta":{"role":"assistant"}}]}\n\n' +
    'data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_own":{"a":1}}\n\n' +
    'data: {"id":"1","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\ndata: [DONE]\n\n',
]

describe("contract", () => {
  const random = createRandom(3)
  const requests = Array.from({ length: 200 }, () => randomRequest(random))
  const replies = Array.from({ length: 200 }, () => randomReply(random))
  for (const { name, run } of dialectContract(dialect, { requests, replies, streams: recorded })) test(name, run)
})

/** The reason of a refusal. */
function refusalOf(body: unknown): string | undefined {
  try {
    dialect.readRequest(typeof body === "string" ? JSON.parse(body) : JSON.parse(JSON.stringify(body)))
    return undefined
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return code === "invalid_request" ? message.replace(/^Cannot read the chat request: /, "") : `${code}: ${message}`
  }
}

describe("a request", () => {
  const message = (value: unknown) => ({ model: "m", messages: [user, value] })
  const part = (value: unknown) => message({ role: "user", content: [{ type: "text", text: "a" }, value] })

  const refused: readonly (readonly [string, unknown, string])[] = [
    ["a text", '"hello"', "the body must be a JSON object"],
    ["a list", [], "the body must be a JSON object"],
    ["null", "null", "the body must be a JSON object"],
    ["no model", { messages: [user] }, '"model" is missing; use "MoM" for automatic routing'],
    ["a model that is null", { model: null, messages: [user] }, '"model" is missing; use "MoM" for automatic routing'],
    ["a model that is no text", { model: 5, messages: [user] }, '"model" must be a non-empty string'],
    ["an empty model", { model: "", messages: [user] }, '"model" must be a non-empty string'],
    ["a blank model", { model: " ", messages: [user] }, '"model" must be a non-empty string'],
    ["stream as text", { model: "m", messages: [user], stream: "true" }, '"stream" must be true or false'],
    ["stream as number", { model: "m", messages: [user], stream: 1 }, '"stream" must be true or false'],
    ["no messages", { model: "m" }, '"messages" is missing'],
    ["messages that are null", { model: "m", messages: null }, '"messages" is missing'],
    ["messages that are no list", { model: "m", messages: {} }, '"messages" must be a list'],
    ["messages that are text", { model: "m", messages: "hello" }, '"messages" must be a list'],
    ["no message", { model: "m", messages: [] }, '"messages" must not be empty'],
    ["a message that is text", message("hello"), "messages[1] must be an object"],
    ["a message that is null", message(null), "messages[1] must be an object"],
    ["a message that is a list", message([]), "messages[1] must be an object"],
    ["a message without a role", message({ content: "a" }), "messages[1].role must be a non-empty string"],
    ["an empty role", message({ role: "", content: "a" }), "messages[1].role must be a non-empty string"],
    [
      "a role as long as a book",
      message({ role: "a1".repeat(40), content: "a" }),
      "messages[1].role must be at most 64 characters long",
    ],
    [
      "another spelling of a role",
      message({ role: "User", content: "a" }),
      'messages[1].role must be "user", not another spelling of it',
    ],
    [
      "a role with unseen signs",
      message({ role: " use\u200br", content: "a" }),
      'messages[1].role must be "user", not another spelling of it',
    ],
    [
      "a role in wide letters",
      message({ role: "ａssistant", content: "a" }),
      'messages[1].role must be "assistant", not another spelling of it',
    ],
    ["a role that is no text", message({ role: 5 }), "messages[1].role must be a non-empty string"],
    [
      "content that is a number",
      message({ role: "user", content: 5 }),
      "messages[1].content must be a string or a list of parts",
    ],
    [
      "content that is an object",
      message({ role: "user", content: {} }),
      "messages[1].content must be a string or a list of parts",
    ],
    ["a part that is text", part("a"), "messages[1].content[1] must be an object"],
    ["a part that is null", part(null), "messages[1].content[1] must be an object"],
    ["a part that is a list", part([]), "messages[1].content[1] must be an object"],
    ["a part without a type", part({ text: "a" }), "messages[1].content[1].type must be a string"],
    ["a text part without text", part({ type: "text" }), "messages[1].content[1].text must be a string"],
    ["a text part of a number", part({ type: "text", text: 5 }), "messages[1].content[1].text must be a string"],
    ["a NUL in content", message({ role: "user", content: "a\0b" }), "messages[1].content holds a NUL character"],
    ["a NUL in a part", part({ type: "text", text: "\0" }), "messages[1].content[1].text holds a NUL character"],
    [
      "a lone surrogate in content",
      `{"model":"m","messages":[{"role":"user","content":"a\\ud83d"}]}`,
      "messages[0].content holds a lone surrogate, which is not valid Unicode text",
    ],
    [
      "a lone surrogate in a part of another type",
      `{"model":"m","messages":[{"role":"user","content":[{"type":"input_text","text":"a\\ud83d"}]}]}`,
      "messages[0].content[0].text holds a lone surrogate, which is not valid Unicode text",
    ],
    [
      "a lone surrogate in a part",
      `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"\\udc00b"}]}]}`,
      "messages[0].content[0].text holds a lone surrogate, which is not valid Unicode text",
    ],
  ]

  test("that is none is refused", () =>
    expect(refused.map(([name, body]) => [name, refusalOf(body)])).toEqual(refused.map(([name, , why]) => [name, why])))

  test("with a whole surrogate pair is fine", () =>
    expect(refusalOf(message({ role: "user", content: "👩" }))).toBeUndefined())

  const body = {
    x_first: 1,
    model: "MoM",
    messages: [
      { role: "developer", content: "Be kind", name: "boss", x: 1 },
      {
        role: "user",
        content: [
          { type: "text", text: "look", x: { deep: [1] } },
          { type: "image_url", image_url: { url: "https://a.example/i.png", detail: "low" } },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
          { type: "file", file: { file_id: "f1", filename: "a.pdf" } },
          { type: "video_url", text: "said", video_url: {} },
        ],
      },
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: [
          { id: "1", type: "function", function: { name: "f", arguments: "{}" } },
          { id: "2", type: "custom", custom: { name: "c", input: "free" } },
        ],
      },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "done" }] },
      { role: "function", name: "old", content: "done" },
      { role: "assistant", content: "no", refusal: "I will not", audio: { id: "a1" } },
      { role: "assistant", function_call: { name: "old", arguments: "{}" } },
      { role: "assistant" },
      { role: "critic", content: [] },
    ],
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: "high",
    max_tokens: 5,
    max_completion_tokens: 6,
    stop: "x",
    n: 2,
    tools: [{ type: "function", function: { name: "f", strict: true } }, { type: "web_search" }, 5],
    tool_choice: { type: "function", function: { name: "f" } },
    parallel_tool_calls: false,
    response_format: { type: "json_schema", json_schema: { name: "s", schema: {}, strict: true } },
    reasoning_effort: "low",
    user: "u",
    metadata: { a: "b" },
    chat_template_kwargs: { enable_thinking: false },
    seed: 9007199254740991,
  }

  test("is read into blocks", () => {
    const { turns, tools, ...rest } = dialect.readRequest(body)
    expect(turns.map((turn) => ({ ...turn, origin: undefined }))).toEqual([
      { role: "system", blocks: [{ type: "text", text: "Be kind" }], name: "boss", developer: true },
      {
        role: "user",
        blocks: [
          { type: "text", text: "look" },
          { type: "image", source: { kind: "url", url: "https://a.example/i.png" }, detail: "low" },
          { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } },
          { type: "audio", source: { kind: "base64", data: "aGk=", mediaType: "audio/mpeg" } },
          { type: "file", source: { kind: "id", id: "f1" }, name: "a.pdf" },
          {
            type: "opaque",
            dialect: "chat_completions",
            value: { type: "video_url", text: "said", video_url: {} },
            text: "said",
          },
        ],
      },
      {
        role: "assistant",
        blocks: [
          { type: "reasoning", text: "hm" },
          { type: "tool_call", id: "1", name: "f", arguments: "{}" },
          { type: "tool_call", id: "2", name: "c", arguments: "free", form: "custom" },
        ],
      },
      { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [{ type: "text", text: "done" }] }] },
      {
        role: "tool",
        blocks: [{ type: "tool_result", callId: "old", blocks: [{ type: "text", text: "done" }] }],
        name: "old",
      },
      {
        role: "assistant",
        blocks: [
          { type: "text", text: "no" },
          { type: "refusal", text: "I will not" },
          { type: "audio", source: { kind: "id", id: "a1" } },
        ],
      },
      { role: "assistant", blocks: [{ type: "tool_call", id: "", name: "old", arguments: "{}" }] },
      { role: "assistant", blocks: [] },
      { role: "other", blocks: [] },
    ])
    expect(tools).toEqual([
      { name: "f", strict: true },
      { name: "web_search", form: "opaque" },
      { name: "", form: "opaque" },
    ])
    expect(rest).toEqual({
      model: "MoM",
      toolChoice: { name: "f" },
      parallelToolCalls: false,
      generation: { maxOutputTokens: 6, temperature: 0.5, stop: ["x"], count: 2, seed: 9007199254740991 },
      output: { type: "json_schema", name: "s", schema: {}, strict: true },
      reasoning: { effort: "low" },
      stream: true,
      session: { user: "u", metadata: { a: "b" } },
      extensions: {
        x_first: 1,
        stream_options: { include_usage: true },
        top_p: "high",
        max_tokens: 5,
        chat_template_kwargs: { enable_thinking: false },
      },
      origin: { dialect: "chat_completions" },
    })
  })

  test("goes on as it came, in its order, before and after somebody has looked into it", () => {
    const request = dialect.readRequest(body)
    const expected = JSON.stringify({ ...body, model: "up" })
    expect(JSON.stringify(dialect.writeRequest(request, { model: "up" }))).toBe(expected)
    expect(JSON.stringify(dialect.writeRequest({ ...request }, { model: "up" }))).toBe(expected)
    const turns = request.turns.map((turn) => ({ ...turn, blocks: [...turn.blocks] }))
    expect(dialect.writeRequest({ ...request, turns }, { model: "up" })).toEqual({ ...body, model: "up" })
  })

  const changed = (
    change: (request: ChatRequest) => Partial<ChatRequest>,
    given = body as unknown as WireObject,
  ): WireObject => {
    const request = dialect.readRequest(given)
    return dialect.writeRequest({ ...request, ...change(request) }, { model: "MoM" })
  }

  test.each<[string, (request: ChatRequest) => Partial<ChatRequest>, (wire: typeof body) => object]>([
    [
      "the limit",
      ({ generation }) => ({ generation: { ...generation, maxOutputTokens: 1 } }),
      () => ({ max_completion_tokens: 1 }),
    ],
    [
      "a field that nobody could read",
      ({ generation }) => ({ generation: { ...generation, topP: 0.5 } }),
      () => ({ top_p: 0.5 }),
    ],
    ["no stream", () => ({ stream: false }), () => ({ stream: undefined, stream_options: undefined })],
    ["no tools", () => ({ tools: [] }), () => ({ tools: undefined })],
    [
      "one tool more",
      ({ tools }) => ({ tools: [...tools, { name: "g", description: "d" }] }),
      ({ tools }) => ({ tools: [...tools, { type: "function", function: { name: "g", description: "d" } }] }),
    ],
    [
      "extensions",
      ({ extensions }) => ({ extensions: { top_p: extensions["top_p"] ?? null, x_new: true } }),
      () => ({
        x_first: undefined,
        chat_template_kwargs: undefined,
        stream_options: undefined,
        max_tokens: undefined,
        x_new: true,
      }),
    ],
    [
      "a block of a turn with a role of its own",
      ({ turns }) => ({
        turns: turns.map((turn, index) =>
          index === 0 ? { ...turn, blocks: [{ type: "text" as const, text: "P" }, ...turn.blocks] } : turn,
        ),
      }),
      ({ messages }) => ({
        messages: [{ role: "developer", content: "P\n\nBe kind", name: "boss", x: 1 }, ...messages.slice(1)],
      }),
    ],
    [
      "one part of many",
      ({ turns }) => ({
        turns: turns.map((turn, index) =>
          index === 1 ? { ...turn, blocks: [{ type: "text" as const, text: "new" }, ...turn.blocks.slice(1)] } : turn,
        ),
      }),
      ({ messages }) => ({
        messages: messages.map((each, index) =>
          index === 1
            ? { role: "user", content: [{ type: "text", text: "new" }, ...(each.content as object[]).slice(1)] }
            : each,
        ),
      }),
    ],
    [
      "a result of a tool",
      ({ turns }) => ({
        turns: turns.map((turn, index) =>
          index === 3
            ? {
                ...turn,
                blocks: [{ type: "tool_result" as const, callId: "9", blocks: [{ type: "text" as const, text: "n" }] }],
              }
            : turn,
        ),
      }),
      ({ messages }) => ({
        messages: messages.map((each, index) =>
          index === 3 ? { role: "tool", tool_call_id: "9", content: "n" } : each,
        ),
      }),
    ],
  ])("with %s changed keeps the rest", (_, change, expected) =>
    expect(changed(change)).toEqual(JSON.parse(JSON.stringify({ ...body, ...expected(body) }))),
  )

  test("of another dialect is built, without fields that mean nothing here", () => {
    const request = randomRequest(createRandom(1))
    const foreign = { ...request, stream: true, origin: { dialect: "messages" }, extensions: { thinking: {} } }
    const wire = dialect.writeRequest(foreign, { model: "up" })
    expect(wire).toMatchObject({ model: "up", stream: true, stream_options: { include_usage: true } })
    expect(wire).not.toHaveProperty("thinking")
  })

  test.each<[string, Partial<ChatRequest>, string]>([
    [
      "an image that only its service can find",
      { turns: [{ role: "user", blocks: [{ type: "image", source: { kind: "id", id: "1" } }] }] },
      "turns[0].blocks[0] is an image that only its own service can find",
    ],
    [
      "a block of another dialect",
      { turns: [{ role: "user", blocks: [{ type: "opaque", dialect: "messages", value: {} }] }] },
      'turns[0].blocks[0] is of type "opaque", which a message cannot hold there',
    ],
    ["a built-in tool of another service", { tools: [{ name: "x", form: "opaque" }] }, "tools[0] is a tool"],
    ["a role of another dialect", { turns: [{ role: "other", blocks: [] }] }, "turns[0] has a role"],
  ])("with %s cannot be said", (_, changes, reason) => {
    const request = { ...randomRequest(createRandom(1)), ...changes }
    expect(() => dialect.writeRequest(request, { model: "m" })).toThrow(reason)
  })
})

describe("a whole reply", () => {
  test.each([
    [
      '{ "id" : "1", "choices": [], "seed": 12345678901234567890, "text": "}" }\n',
      '{ "id" : "1", "choices": [], "seed": 12345678901234567890, "text": "}" ,"routing_metadata":{"a":1}}',
    ],
    ['{"choices":[]}', '{"choices":[],"routing_metadata":{"a":1}}'],
    ['{"routing_metadata":"theirs","choices":[]}', '{"routing_metadata":{"a":1},"choices":[]}'],
  ])("keeps the upstream's text: %s", (text, written) =>
    expect(dialect.writeReply(dialect.readReply(text), { a: 1 })).toBe(written),
  )

  test("that a client could not read is refused, and the reason says what is odd without quoting it", () => {
    const choice = (message: unknown) => JSON.stringify({ choices: [{ message }] })
    for (const [text, reason] of [
      ["", "the reply is empty"],
      [" \n", "the reply is empty"],
      ["<html>secret</html>", "the reply is a page and not a JSON object"],
      ['data: {"a":"secret"}\n\n', 'the reply is an event stream whose content type is not "text/event-stream"'],
      [": secret\n\n", 'the reply is an event stream whose content type is not "text/event-stream"'],
      ['["secret"]', "the reply is not a JSON object"],
      ['{"secret":1}', '"choices" of the reply is missing'],
      ['{"choices":null}', '"choices" of the reply is not a list'],
      ['{"choices":{"secret":1}}', '"choices" of the reply is not a list'],
      ['{"choices":["secret"]}', "choices[0] of the reply is not an object"],
      ['{"choices":[{"delta":{}}]}', "choices[0].message of the reply is not an object"],
      [choice(null), "choices[0].message of the reply is not an object"],
      [choice({ content: 5 }), "choices[0].message.content of the reply is neither text nor a list of parts"],
      [choice({ content: ["secret"] }), "choices[0].message.content of the reply is neither text nor a list of parts"],
      [choice({ tool_calls: {} }), "choices[0].message.tool_calls of the reply is not a list of calls"],
      ['{"error":{"message":"busy"}}', "the backend reported an error: busy"],
      ['{"error":"busy","choices":null}', "the backend reported an error: busy"],
    ] as const)
      expect(() => dialect.readReply(text), text).toThrow(
        expect.objectContaining({ code: "upstream_error", message: reason }),
      )
    for (const message of [{}, { content: null, tool_calls: null }, { content: [{ type: "text", text: "a" }] }])
      expect(dialect.readReply(choice(message)).choices).toHaveLength(1)
  })

  test("that was changed keeps unknown fields of the reply and of choices that stayed", () => {
    const choice = (content: string) => ({
      index: 0,
      message: { role: "assistant", content, x: 1 },
      finish_reason: "stop",
    })
    const wire = { id: "1", x: 2, choices: [choice("a"), choice("secret")], usage: null }
    const reply = dialect.readReply(JSON.stringify(wire))
    const [first, second] = reply.choices as [ChatReply["choices"][0], ChatReply["choices"][0]]
    const choices = [first, { ...second, blocks: [{ type: "text" as const, text: "b" }] }]
    expect(JSON.parse(dialect.writeReply({ ...reply, choices }, {}))).toEqual({
      ...wire,
      choices: [wire.choices[0], { index: 1, message: { role: "assistant", content: "b" }, finish_reason: "stop" }],
    })
  })

  test("tells usage only where both counts are numbers", () => {
    const usageOf = (usage: unknown) => dialect.readReply(JSON.stringify({ usage, choices: [] })).usage
    const details = { prompt_tokens_details: { cached_tokens: 1 }, completion_tokens_details: { reasoning_tokens: 2 } }
    expect([
      usageOf({ prompt_tokens: 1, completion_tokens: 2 }),
      usageOf({ prompt_tokens: 1, completion_tokens: 2, ...details }),
      usageOf({ prompt_tokens: 1 }),
      usageOf({ prompt_tokens: -1, completion_tokens: "2" }),
      usageOf({ prompt_tokens: 1e308, completion_tokens: 2 }),
      usageOf(null),
    ]).toEqual([
      { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0 },
      { inputTokens: 1, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 2 },
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe("a stream", () => {
  const eventsIn = (text: string): readonly ChatEvent[] =>
    dialect.reader({ events: true }).read(encoder.encode(text))?.events ?? []
  const chunk = (delta: object, more: object = {}) =>
    `data: ${JSON.stringify({ id: "1", created: 5, model: "m", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`

  test("is read into blocks, of which tool calls may overlap", () => {
    const call = (index: number, text: string, head: object = {}) => ({
      tool_calls: [
        { index, ...head, function: { ...(Object.keys(head).length > 0 && { name: "f" }), arguments: text } },
      ],
    })
    const text = [
      chunk({ role: "assistant", reasoning_content: "hm" }),
      chunk({ content: "a" }, { logprobs: { content: [{ token: "a", logprob: -1, top_logprobs: [] }] } }),
      chunk(call(0, "{", { id: "x" })),
      chunk(call(1, "[", { id: "y" })),
      chunk(call(0, "}")),
      chunk(call(1, "]")),
      chunk({}, { finish_reason: "tool_calls" }),
    ].join("")
    const at = (index: number) => ({ choice: 0, index })
    expect(eventsIn(text)).toEqual([
      { type: "start", id: "1", model: "m", created: 5 },
      { type: "block_start", ...at(0), block: { type: "reasoning" } },
      { type: "block_delta", ...at(0), text: "hm" },
      { type: "block_end", ...at(0) },
      { type: "block_start", ...at(1), block: { type: "text" } },
      { type: "block_delta", ...at(1), text: "a", logprobs: [{ token: "a", logprob: -1, top: [] }] },
      { type: "block_end", ...at(1) },
      { type: "block_start", ...at(2), block: { type: "tool_call", id: "x", name: "f" } },
      { type: "block_delta", ...at(2), text: "{" },
      { type: "block_start", ...at(3), block: { type: "tool_call", id: "y", name: "f" } },
      { type: "block_delta", ...at(3), text: "[" },
      { type: "block_delta", ...at(2), text: "}" },
      { type: "block_delta", ...at(3), text: "]" },
      { type: "block_end", ...at(2) },
      { type: "block_end", ...at(3) },
      { type: "stop", choice: 0, reason: "tool_calls" },
    ])
  })

  test.each([true, false])("with events: %s ends with an error of the upstream, behind what was good", (events) => {
    const good = chunk({ content: "a" })
    for (const bad of [
      'data: {"error":{"message":"busy","code":429}}\n\n',
      'data: {"error":"busy"}\n\n',
      'event: error\ndata: {"id":"1","error" : {"message":"busy"},"choices":[]}\n\n',
    ]) {
      const reader = dialect.reader({ events })
      const batch = reader.read(encoder.encode(`${good}${bad}data: [DONE]\n\n`))
      expect([decoder.decode(batch?.bytes), batch?.done]).toEqual([good, false])
      const reported = expect.objectContaining({
        code: "upstream_error",
        message: "the backend reported an error: busy",
      }) as Error
      expect(() => reader.read(new Uint8Array(0))).toThrow(reported)
      expect(() => reader.end()).toThrow(reported)
    }
    const harmless = `${chunk({ content: 'say "error" and "usage"' })}data: {"error":null,"choices":[]}\n\ndata: [DONE]\n\n`
    expect(dialect.reader({ events }).read(encoder.encode(harmless))).toMatchObject({ done: true })
  })

  test.each([true, false])("with events: %s that has no event before its end mark is none", (events) => {
    for (const text of ["data: [DONE]\n\n", ": ping\n\ndata: [DONE]\n\n"]) {
      const reader = dialect.reader({ events })
      expect(() => {
        reader.read(encoder.encode(text))
        reader.read(new Uint8Array(0))
      }).toThrow("no event before its end mark")
    }
  })

  test.each([true, false])(
    "with events: %s may leave out the blank line behind its end mark, or add spaces",
    (events) => {
      for (const last of ["data: [DONE]", "data: [DONE]\n", "data:[DONE]\r\n"]) {
        const reader = dialect.reader({ events })
        reader.read(encoder.encode(chunk({ content: "a" }) + last))
        const batch = reader.end()
        expect([last, batch?.done, decoder.decode(batch?.bytes)]).toEqual([last, true, `${last.trimEnd()}\n\n`])
      }
      const spaced = `${chunk({ content: "a" })}data:  [DONE] \n\n`
      const batch = dialect.reader({ events }).read(encoder.encode(spaced))
      expect([batch?.done, decoder.decode(batch?.bytes)]).toEqual([true, spaced])
      for (const cut of ["", "data: [DON", chunk({ content: "b" }).trimEnd()]) {
        const reader = dialect.reader({ events })
        reader.read(encoder.encode(chunk({ content: "a" }) + cut))
        expect(() => reader.end(), cut).toThrow("the stream ended before its end mark")
      }
    },
  )

  test.each([true, false])("with events: %s keeps the bytes before a fault, also where they are no UTF-8", (events) => {
    const good = Buffer.from(chunk({ content: "a\xff\xe2\x82" }), "latin1")
    const batch = dialect.reader({ events }).read(Buffer.concat([good, encoder.encode("data: oops\n\n")]))
    expect(Buffer.from(batch?.bytes ?? []).equals(good)).toBe(true)
  })

  test("keeps tool calls apart that have no index, by their ids and their order", () => {
    const calls = (...list: readonly object[]) => chunk({ tool_calls: list })
    const named = (id: string, text: string) => ({ id, function: { name: `f-${id}`, arguments: text } })
    const rest = (text: string) => ({ function: { arguments: text } })
    const cases = [
      [calls(named("a", "{}")), calls(named("b", "[]"))],
      [calls(named("a", "{"), named("b", "[")), calls(rest("}"), rest("]"))],
      [calls(named("a", "{")), calls(rest("}")), calls(named("b", "[")), calls(rest("]"))],
      [
        calls(named("a", "{")),
        calls({ id: "a", ...rest("}") }),
        calls(named("b", "[")),
        calls({ id: "b", ...rest("]") }),
      ],
    ]
    for (const chunks of cases) {
      const collector = createReplyCollector()
      for (const event of eventsIn([...chunks, chunk({}, { finish_reason: "tool_calls" })].join("")))
        collector.add(event)
      expect(collector.reply().choices[0]?.blocks, chunks.join("")).toEqual([
        { type: "tool_call", id: "a", name: "f-a", arguments: "{}" },
        { type: "tool_call", id: "b", name: "f-b", arguments: "[]" },
      ])
    }
  })

  test("tells fields that nobody knows", () => {
    expect(eventsIn('data: {"choices":[],"x":1}\n\n')[1]).toEqual({
      type: "opaque",
      dialect: "chat_completions",
      value: { x: 1 },
    })
  })

  test.each([true, false])("with events: %s refuses data that is no object", (events) => {
    for (const data of ["secret", "[]", "null", "", "5", '"usage"'])
      expect(() => dialect.reader({ events }).read(encoder.encode(`data: ${data}\n\n`))).toThrow(
        expect.objectContaining({ code: "upstream_error", message: "an event of the stream is not a JSON object" }),
      )
    expect(() => dialect.reader({ events }).end()).toThrow("the stream ended before its end mark")
  })

  const written = (reply: ChatReply, extensions: WireObject = {}): readonly unknown[] => {
    const text = writtenBy(dialect.writer({ ...randomRequest(createRandom(1)), extensions }), eventsOf(reply))
    return text.split("\n\n").flatMap((each) => (each.startsWith("data: {") ? [JSON.parse(each.slice(6))] : [each]))
  }
  const reply: ChatReply = {
    id: "1",
    model: "m",
    created: 5,
    choices: [{ blocks: [{ type: "text", text: "No, thank you." }], stop: "stop" }],
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
  }
  const head = { id: "1", object: "chat.completion.chunk", created: 5, model: "m" }
  const written1 = (delta: object, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const asksForUsage = { stream_options: { include_usage: true } }
  const words = [
    written1({ role: "assistant", content: "" }),
    written1({ content: "No, " }),
    written1({ content: "thank " }),
    written1({ content: "you." }),
  ]

  test("is written with the role first, word by word, and with usage only for a client that asked for it", () => {
    expect(written(reply)).toEqual([...words, written1({}, "stop"), "data: [DONE]", ""])
    expect(written(reply, asksForUsage)).toEqual([
      ...words,
      written1({}, "stop"),
      { ...head, choices: [], usage },
      "data: [DONE]",
      "",
    ])
  })

  test("of any reply is that reply again, however it is cut", () => {
    const random = createRandom(11)
    for (let round = 0; round < 200; round++) {
      const whole = randomReply(random)
      const bytes = encoder.encode(
        writtenBy(dialect.writer({ ...randomRequest(random), extensions: asksForUsage }), eventsOf(whole)),
      )
      const reader = dialect.reader({ events: true })
      const collector = createReplyCollector()
      for (let at = 0; at < bytes.length;) {
        const next = at + 1 + random.below(90)
        for (const event of reader.read(bytes.subarray(at, next))?.events ?? []) collector.add(event)
        at = next
      }
      expect(reader.end()).toBeUndefined()
      expect(collector.reply()).toEqual(whole)
    }
  })

  test("with one changed event keeps the other chunks as they came", () => {
    const first = chunk({ role: "assistant", content: "a" })
    const second = chunk({ content: "secret", x: 1 })
    const third = chunk({ content: "c", x: 2 })
    const events = eventsIn(first + second + third).map((event) =>
      event.type === "block_delta" && event.text === "secret" ? { ...event, text: "b" } : event,
    )
    const writer = dialect.writer(randomRequest(createRandom(1)))
    expect(decoder.decode(writer.write(events))).toBe(
      `${first}data: ${JSON.stringify(written1({ content: "b" }))}\n\n${third}`,
    )
  })
})

describe("errors", () => {
  const error = new RtrError("upstream_timeout", "too slow")
  const shape = {
    error: {
      message: "too slow",
      type: "server_error",
      code: "upstream_timeout",
      param: null,
      details: { request_id: "r" },
    },
  }

  test("have the shape of the API", () => {
    expect(dialect.errorBody(error, "r")).toEqual(shape)
    expect(decoder.decode(dialect.errorEvent(error, "r"))).toBe(`data: ${JSON.stringify(shape)}\n\n`)
  })

  test.each([
    [{ error: "busy" }, { message: "busy" }],
    [{ error: { message: "busy", type: "t", code: 5 } }, { message: "busy", code: "5" }],
    [{ error: { message: 5 } }, undefined],
    [{ message: "busy" }, undefined],
  ])("%j of an upstream says %j", (body, said) => expect(dialect.readError(body)).toEqual(said))

  test("of an upstream keep their fields and gain the request id", () => {
    const body = { error: { message: "busy", x: 1, details: { y: 2 } }, z: 3 }
    const failure = { kind: "failure", status: 429, message: "busy" } as const
    const original = { dialect: "chat_completions", body }
    expect(dialect.failureBody({ ...failure, original }, "r")).toEqual({
      error: { message: "busy", x: 1, details: { y: 2, request_id: "r" } },
      z: 3,
    })
    expect(dialect.failureBody({ ...failure, original: { ...original, dialect: "messages" } }, "r")).toEqual({
      error: {
        message: "busy",
        type: "rate_limit_error",
        code: "rate_limit_exceeded",
        param: null,
        details: { request_id: "r" },
      },
    })
  })
})
