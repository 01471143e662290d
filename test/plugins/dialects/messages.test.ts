import { type ChatEvent, type ChatRequest, createReplyCollector, type RtrError, type WireObject } from "rtr"
import { dialectContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import chat from "../../../ts/plugins/dialects/chat-completions.ts"
import dialect from "../../../ts/plugins/dialects/messages.ts"
import { dataOf, namedEvent, type TypedEvent, writtenBy } from "../../fakes/event-stream.ts"
import { createRandom } from "../../fakes/random.ts"
import { randomMessagesReply, randomMessagesRequest } from "../../fakes/random-messages.ts"
import { refusalOf } from "../../fakes/refusal.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const user = { role: "user", content: "hello" }

const start = namedEvent({
  type: "message_start",
  message: { id: "msg_1", model: "m", usage: { input_tokens: 4, output_tokens: 1 } },
})
const recorded = [
  start +
    'event: ping\ndata: {"type": "ping"}\n\n: keep-alive\n\n' +
    namedEvent({ type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "Zm9v" } }) +
    namedEvent({ type: "content_block_stop", index: 0 }) +
    namedEvent({ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }) +
    namedEvent({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: '漢 "message_stop"' } }) +
    namedEvent({
      type: "content_block_delta",
      index: 1,
      delta: { type: "citations_delta", citation: { cited_text: "x" } },
    }) +
    namedEvent({ type: "content_block_stop", index: 1 }) +
    namedEvent({
      type: "content_block_start",
      index: 2,
      content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
    }) +
    namedEvent({
      type: "content_block_delta",
      index: 2,
      delta: { type: "input_json_delta", partial_json: '{"q":1}' },
    }) +
    namedEvent({ type: "content_block_stop", index: 2 }) +
    namedEvent({ type: "x_new", more: [1] }) +
    namedEvent({
      type: "message_delta",
      delta: { stop_reason: "pause_turn" },
      usage: { output_tokens: 9, input_tokens: null },
    }) +
    'event: message_stop\r\ndata: {"type":"message_stop"       }\r\n\r\n',
]

describe("contract", () => {
  const random = createRandom(5)
  const requests = Array.from({ length: 150 }, () => randomMessagesRequest(random))
  const replies = Array.from({ length: 150 }, () => randomMessagesReply(random))
  const options = { requests, replies, streams: recorded, tellsTime: false }
  for (const { name, run } of dialectContract(dialect, options)) test(name, run)
})

test("a request that is none is refused with the field", () => {
  const message = (value: unknown) => ({ model: "m", messages: [user, value] })
  const block = (value: unknown) => message({ role: "user", content: [value] })
  const refused: readonly (readonly [unknown, string])[] = [
    [{ messages: [user] }, '"model" is missing; use "MoM" for automatic routing'],
    [{ model: " ", messages: [user] }, '"model" must be a non-empty string'],
    [{ model: "m" }, '"messages" is missing'],
    [{ model: "m", messages: {} }, '"messages" must be a list'],
    [{ model: "m", messages: [] }, '"messages" must not be empty'],
    [{ model: "m", messages: [user], stream: 1 }, '"stream" must be true or false'],
    [{ model: "m", messages: [user], system: 5 }, "system must be a string or a list of blocks"],
    [{ model: "m", messages: [user], system: [{ type: "text" }] }, "system[0].text must be a string"],
    [message("hi"), "messages[1] must be an object"],
    [message({ role: "tool", content: "x" }), 'messages[1].role must be "user", "assistant" or "system"'],
    [message({ role: "user" }), "messages[1].content is missing"],
    [message({ role: "user", content: 5 }), "messages[1].content must be a string or a list of blocks"],
    [message({ role: "user", content: "a\0" }), "messages[1].content holds a NUL character"],
    [block("x"), "messages[1].content[0] must be an object"],
    [block({ text: "x" }), "messages[1].content[0].type must be a string"],
    [block({ type: "text", text: 5 }), "messages[1].content[0].text must be a string"],
    [
      block({ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "\ud83d" }] }),
      "messages[1].content[0].content[0].text holds a lone surrogate, which is not valid Unicode text",
    ],
  ]
  for (const [body, reason] of refused)
    expect(refusalOf(() => dialect.readRequest(body))).toBe(`invalid_request: Cannot read the chat request: ${reason}`)
})

const toMessages = (body: object): WireObject =>
  dialect.writeRequest(chat.readRequest({ model: "x", ...body }), { model: "m" })
const toChat = (body: object): WireObject =>
  chat.writeRequest(dialect.readRequest({ model: "x", max_tokens: 9, ...body }), { model: "m" })

describe("a request of chat completions", () => {
  const tool = { type: "function", function: { name: "f" } }
  const call = { id: "functions.f:0", type: "function", function: { name: "f", arguments: "not JSON" } }
  const written = { model: "m", messages: [user], max_tokens: 32_000 }
  const wireTool = { name: "f", input_schema: { type: "object", properties: {} } }

  test("is said in Messages", () => {
    const cases: readonly (readonly [object, object])[] = [
      [{ messages: [user], seed: 1, presence_penalty: 1, logit_bias: {}, stream_options: {} }, written],
      [
        { messages: [user], temperature: 2, stop: ["x"] },
        { ...written, temperature: 1, stop_sequences: ["x"] },
      ],
      [{ messages: [user], tool_choice: "auto" }, written],
      [
        { messages: [user], tools: [{ type: "function", function: { name: "f", strict: true } }] },
        { ...written, tools: [{ ...wireTool, strict: true }] },
      ],
      [
        { messages: [user], tools: [tool], parallel_tool_calls: false },
        { ...written, tools: [wireTool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
      ],
      [
        { messages: [{ role: "system", content: "a" }, user, { role: "developer", content: "b" }] },
        {
          ...written,
          system: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
      [
        { messages: [user, { role: "assistant", content: "", reasoning_content: "hm" }, user] },
        { ...written, messages: [user, user] },
      ],
      [
        {
          messages: [
            user,
            { role: "assistant", content: "", tool_calls: [call] },
            { role: "tool", tool_call_id: call.id, content: "" },
          ],
        },
        {
          ...written,
          messages: [
            user,
            {
              role: "assistant",
              content: [{ type: "tool_use", id: "functions_f_0", name: "f", input: { arguments: "not JSON" } }],
            },
            { role: "user", content: [{ type: "tool_result", tool_use_id: "functions_f_0" }] },
          ],
        },
      ],
      [
        {
          messages: [
            {
              role: "user",
              content: [{ type: "file", file: { file_data: "data:text/plain;base64,aGk=", filename: "n" } }],
            },
          ],
        },
        {
          ...written,
          messages: [
            {
              role: "user",
              content: [
                { type: "document", source: { type: "text", media_type: "text/plain", data: "hi" }, title: "n" },
              ],
            },
          ],
        },
      ],
      [
        { messages: [user], response_format: { type: "json_schema", json_schema: { name: "n", schema: { a: 1 } } } },
        { ...written, output_config: { format: { type: "json_schema", schema: { a: 1 } } } },
      ],
      [
        { messages: [user], reasoning_effort: "high", temperature: 0.2, top_p: 0.5 },
        { ...written, thinking: { type: "enabled", budget_tokens: 16_384 } },
      ],
      [
        { messages: [user], reasoning_effort: "high", max_tokens: 2000 },
        { ...written, max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 1600 } },
      ],
      [
        { messages: [user], reasoning_effort: "high", max_tokens: 1000 },
        { ...written, max_tokens: 1000 },
      ],
      [{ messages: [user], reasoning_effort: "none" }, written],
      [
        { messages: [user], reasoning_effort: "low", tools: [tool], tool_choice: "required" },
        { ...written, tools: [wireTool], tool_choice: { type: "any" } },
      ],
    ]
    for (const [body, expected] of cases) expect([body, toMessages(body)]).toEqual([body, expected])
  })

  test("without a limit has that of the model's card", () => {
    const card = { max_output_tokens: 8192 }
    const sent = (body: object): WireObject =>
      dialect.writeRequest(chat.readRequest({ model: "x", messages: [user], ...body }), { model: "m", card })
    expect(sent({})).toMatchObject({ max_tokens: 8192 })
    expect(sent({ max_tokens: 9000 })).toMatchObject({ max_tokens: 9000 })
    expect(sent({ reasoning_effort: "xhigh" })).toMatchObject({
      max_tokens: 8192,
      thinking: { type: "enabled", budget_tokens: 6553 },
    })
  })

  test("is refused with the field where Messages has no word for it", () => {
    const audio = { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } }
    const cases: readonly (readonly [object, string])[] = [
      [{ messages: [user], n: 2 }, "n is more than 1"],
      [{ messages: [user], logprobs: true }, "logprobs is true"],
      [{ messages: [user], functions: [] }, "functions is something"],
      [{ messages: [user], tools: [{ type: "web_search" }] }, "tools[0] is a tool that only another service has"],
      [{ messages: [user], tools: [{ type: "custom", custom: { name: "f" } }] }, "tools[0] takes free text"],
      [{ messages: [{ role: "user", content: [audio] }] }, 'turns[0].blocks[0] is of type "audio"'],
      [
        { messages: [{ role: "system", content: [{ type: "image_url", image_url: { url: "x" } }] }, user] },
        "turns[0].blocks[0] is no text",
      ],
    ]
    for (const [body, reason] of cases)
      expect([body, refusalOf(() => toMessages(body))]).toEqual([
        body,
        expect.stringContaining(`invalid_request: Cannot write the chat as Messages: ${reason}`),
      ])
    for (const [body, reason] of [
      [{ messages: [{ role: "ipython", content: "x" }] }, '"messages[0].role" must be'],
      [{ messages: [user], tool_choice: { type: "allowed_tools" } }, '"tool_choice" has no counterpart there'],
    ] as const)
      expect([body, refusalOf(() => toMessages(body))]).toEqual([body, expect.stringContaining(reason)])
  })
})

test("a Messages request is said in chat completions", () => {
  const written = { model: "m", messages: [user], max_completion_tokens: 9 }
  const thinking = { type: "thinking", thinking: "hm", signature: "sig" }
  const cases: readonly (readonly [object, object])[] = [
    [
      { messages: [user], thinking: { type: "enabled", budget_tokens: 5000 } },
      { ...written, reasoning_effort: "medium" },
    ],
    [
      { messages: [user], thinking: { type: "adaptive" }, output_config: { effort: "max" } },
      { ...written, reasoning_effort: "xhigh" },
    ],
    [
      { messages: [user], context_management: {}, metadata: { user_id: "u" }, stop_sequences: ["x"] },
      { ...written, user: "u", stop: ["x"] },
    ],
    [
      { messages: [user], system: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }] },
      { ...written, messages: [{ role: "system", content: "a" }, user] },
    ],
    [
      { messages: [user, { role: "assistant", content: [thinking, { type: "text", text: "a" }] }] },
      {
        ...written,
        messages: [user, { role: "assistant", reasoning_content: "hm", content: "a" }],
      },
    ],
    [
      {
        messages: [
          {
            role: "user",
            content: [{ type: "document", source: { type: "text", media_type: "text/plain", data: "d" }, title: "t" }],
          },
        ],
      },
      { ...written, messages: [{ role: "user", content: "t\n\nd" }] },
    ],
    [
      { messages: [user], stream: true },
      { ...written, stream: true, stream_options: { include_usage: true } },
    ],
    [
      {
        messages: [
          user,
          { role: "assistant", content: [{ type: "tool_use", id: "c", name: "find", input: {} }] },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "c", content: [{ type: "tool_reference", tool_name: "stop" }] },
            ],
          },
        ],
        tools: [{ name: "stop", input_schema: {}, defer_loading: true }],
      },
      {
        ...written,
        messages: [user, expect.anything(), { role: "tool", tool_call_id: "c", content: "The tool stop is ready." }],
        tools: [{ type: "function", function: { name: "stop", parameters: {} } }],
      },
    ],
  ]
  for (const [body, expected] of cases) {
    expect([body, toChat(body)]).toEqual([body, expected])
  }
  const builtIn = { messages: [user], tools: [{ type: "web_search_20250305", name: "web_search" }] }
  expect(refusalOf(() => toChat(builtIn))).toContain("tools[0] is a tool that only another service has")
})

test("a request that only Anthropic's API can answer is refused for other backends with the field", () => {
  const search = { type: "server_tool_use", id: "s", name: "web_search", input: {} }
  const cases: readonly (readonly [object, string | undefined])[] = [
    [{ messages: [user], context_management: { edits: [] }, thinking: { type: "adaptive" } }, undefined],
    [{ messages: [user], mcp_servers: [{ type: "url" }] }, "mcp_servers"],
    [{ messages: [user], container: { skills: [] } }, "container"],
    [{ messages: [user], tools: [{ name: "f" }, { type: "web_search_20250305", name: "w" }] }, "tools[1]"],
    [{ messages: [user], output_config: { format: { type: "x" } } }, "output_config.format"],
    [
      { messages: [user, { role: "assistant", content: [{ type: "text", text: "a" }, search] }] },
      "messages[1].content[1]",
    ],
    [
      { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [search] }] }] },
      "messages[0].content[0].content[0]",
    ],
  ]
  for (const [body, path] of cases) {
    const request = dialect.readRequest({ model: "x", ...body })
    const error = refusalOf(() => request.origin?.toPortable?.(request))
    expect([body, error?.match(/Messages API: "([^"]*)"/)?.[1]]).toEqual([body, path])
  }
})

test("a conversation that the vendor should keep is refused for other backends by the code on which its clients send all of it", () => {
  for (const thread of [{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }]) {
    const request = dialect.readRequest({ model: "x", messages: [user], thread })
    let body: unknown
    try {
      request.origin?.toPortable?.(request)
    } catch (error) {
      body = dialect.errorBody(error as RtrError, "id")
    }
    expect(body).toMatchObject({
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining('"thread"'),
        details: { error_code: "thread_unsupported_request" },
      },
    })
  }
})

test("long numbers in the input of a tool keep their digits", () => {
  const arguments_ = '{"n":12345678901234567890}'
  const call = { id: "c", type: "function", function: { name: "f", arguments: arguments_ } }
  expect(JSON.stringify(toMessages({ messages: [user, { role: "assistant", tool_calls: [call] }] }))).toContain(
    `"input":${arguments_}`,
  )
  const reply = `{"content":[{"type":"tool_use","id":"c","name":"f","input":${arguments_}}]}`
  expect(dialect.readReply(reply).choices[0]?.blocks).toMatchObject([{ arguments: arguments_ }])
})

test("thinking of another vendor comes back from the client, and a backend of this dialect does not get it", () => {
  const reply = {
    id: "1",
    model: "m",
    created: 0,
    choices: [
      {
        blocks: [
          { type: "reasoning" as const, text: "hm", encrypted: "secret" },
          { type: "text" as const, text: "a" },
        ],
        stop: "stop" as const,
      },
    ],
  }
  const { content } = JSON.parse(dialect.writeReply(reply, {})) as { content: readonly object[] }
  const read = dialect.readRequest({ model: "x", messages: [user, { role: "assistant", content }, user] })
  expect(read.turns[1]?.blocks).toEqual(reply.choices[0]?.blocks)
  expect(dialect.writeRequest(read, { model: "m" })["messages"]).toEqual([
    user,
    { role: "assistant", content: [{ type: "text", text: "a" }] },
    user,
  ])
})

test("a limit that a plugin took away is that of the model; a client that sends none is left to the backend", () => {
  const sent = (body: object, generation: object): WireObject => {
    const request = dialect.readRequest({ model: "x", messages: [user], ...body })
    return dialect.writeRequest({ ...request, generation }, { model: "m", card: { max_output_tokens: 64_000 } })
  }
  expect(sent({ max_tokens: 9 }, {})).toEqual({ model: "m", messages: [user], max_tokens: 64_000 })
  expect(sent({}, {})).toEqual({ model: "m", messages: [user] })
  expect(sent({}, { maxOutputTokens: 5 })).toEqual({ model: "m", messages: [user], max_tokens: 5 })
})

test("calls behind thinking of another vendor are answered without a budget for thinking", () => {
  const thinking = { type: "enabled", budget_tokens: 2000 }
  const call = { type: "tool_use", id: "c", name: "f", input: {} }
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] }
  const sentBehind = (signature: string): WireObject => {
    const content = [{ type: "thinking", thinking: "hm", signature }, call]
    const messages = [user, { role: "assistant", content }, result]
    return dialect.writeRequest(dialect.readRequest({ model: "x", messages, thinking }), { model: "m" })
  }
  expect(sentBehind("sig")).toMatchObject({ thinking })
  expect(sentBehind("rtr:")).toEqual({ model: "m", messages: [user, { role: "assistant", content: [call] }, result] })
})

test("ids of calls are such that every backend takes them back", () => {
  const idsOf = (id: string): readonly unknown[] => {
    const block = { type: "tool_call" as const, id, name: "f", arguments: "{}" }
    const reply = { id: "1", model: "m", created: 0, choices: [{ blocks: [block], stop: "tool_calls" as const }] }
    const { content } = JSON.parse(dialect.writeReply(reply, {})) as { content: readonly { id: string }[] }
    const writer = dialect.writer(dialect.readRequest({ model: "m", messages: [user] }))
    const { arguments: _, ...begun } = block
    const streamed = decoder.decode(writer.write([{ type: "block_start", choice: 0, index: 0, block: begun }]))
    return [content[0]?.id, /"id":"([^"]*)","name":"f"/.exec(streamed)?.[1]]
  }
  expect(idsOf("call_1")).toEqual(["call_1", "call_1"])
  expect(idsOf("functions.f:0")).toEqual(["functions_f_0", "functions_f_0"])
  for (const id of idsOf("")) expect(id).toMatch(/^toolu_\w{32}$/)
})

test("a system prompt that a plugin adds stands before the client's own, which keeps its fields", () => {
  const own = { type: "text", text: "own", cache_control: { type: "ephemeral" } }
  const withPrompt = (system: unknown): unknown => {
    const request = dialect.readRequest({ model: "x", system, messages: [user] })
    const [first, ...others] = request.turns
    const added = { type: "text" as const, text: "added" }
    const changed: ChatRequest = {
      ...request,
      turns:
        first?.role === "system"
          ? [{ ...first, blocks: [added, ...first.blocks] }, ...others]
          : [{ role: "system", blocks: [added] }, ...request.turns],
    }
    return dialect.writeRequest(changed, { model: "m" })["system"]
  }
  expect(withPrompt(undefined)).toBe("added")
  expect(withPrompt("own")).toEqual([
    { type: "text", text: "added" },
    { type: "text", text: "own" },
  ])
  expect(withPrompt([own])).toEqual([{ type: "text", text: "added" }, own])
})

describe("a stream", () => {
  const request: ChatRequest = dialect.readRequest({ model: "m", messages: [user], stream: true })
  const writtenOf = (events: readonly ChatEvent[]): readonly TypedEvent[] => {
    const text = writtenBy(dialect.writer(request), events)
    const written = dataOf<TypedEvent>(text)
    expect(text).toBe(written.map(namedEvent).join(""))
    return written
  }

  test("has one open block, whatever order another dialect has", () => {
    const call = (index: number) => ({ type: "tool_call" as const, id: `c${index}`, name: "f" })
    const written = writtenOf([
      { type: "start", id: "1", model: "m", created: 0 },
      { type: "block_start", choice: 0, index: 0, block: call(0) },
      { type: "block_delta", choice: 0, index: 0, text: "{" },
      { type: "block_start", choice: 0, index: 1, block: call(1) },
      { type: "block_start", choice: 1, index: 0, block: { type: "text" } },
      { type: "block_delta", choice: 0, index: 1, text: "{}" },
      { type: "block_delta", choice: 0, index: 0, text: "}" },
      { type: "block_end", choice: 0, index: 1 },
      { type: "ping" },
      { type: "block_end", choice: 0, index: 0 },
      { type: "stop", choice: 0, reason: "tool_calls" },
    ])
    expect(written.map(({ type, index }) => [type, index].filter((each) => each !== undefined).join(" "))).toEqual([
      "message_start",
      "content_block_start 0",
      "content_block_delta 0",
      "content_block_delta 0",
      "ping",
      "content_block_stop 0",
      "content_block_start 1",
      "content_block_delta 1",
      "content_block_stop 1",
      "message_delta",
      "message_stop",
    ])
  })

  test("ends whole, whatever events are missing", () => {
    expect(writtenOf([])[0]).toMatchObject({ message: { usage: { input_tokens: 6, output_tokens: 0 } } })
    expect(writtenOf([]).map(({ type }) => type)).toEqual(["message_start", "message_delta", "message_stop"])
    const cut: readonly ChatEvent[] = [
      { type: "block_start", choice: 0, index: 3, block: { type: "refusal" } },
      { type: "block_delta", choice: 0, index: 3, text: "no" },
      { type: "usage", usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 } },
    ]
    expect(writtenOf(cut).slice(-3)).toEqual([
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "refusal", stop_sequence: null },
        usage: { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 4, cache_creation_input_tokens: 0 },
      },
      { type: "message_stop" },
    ])
  })

  test("tells an error of the backend, and one that was cut", () => {
    const broken = `${start}${namedEvent({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}`
    for (const events of [true, false]) {
      const reader = dialect.reader({ events })
      expect(reader.read(encoder.encode(broken))?.done).toBe(false)
      expect(refusalOf(() => reader.end())).toBe("upstream_error: the backend reported an error: Overloaded")
      const cut = dialect.reader({ events })
      cut.read(encoder.encode(start))
      expect(refusalOf(() => cut.end())).toBe("upstream_error: the stream ended before its end mark")
    }
  })

  test("survives any bytes and any cut", () => {
    const random = createRandom(11)
    const whole = encoder.encode(recorded[0])
    for (let round = 0; round < 300; round++) {
      const bytes = whole.slice()
      for (let count = random.below(4); count > 0; count--) bytes[random.below(bytes.length)] = random.below(256)
      const reader = dialect.reader({ events: random.chance(0.5) })
      const collector = createReplyCollector()
      const error = refusalOf(() => {
        for (let at = 0; at < bytes.length;) {
          const end = at + 1 + random.below(200)
          for (const each of reader.read(bytes.subarray(at, end))?.events ?? []) collector.add(each)
          at = end
        }
        reader.end()
        collector.reply()
      })
      expect(error ?? "upstream_error").toMatch(/^upstream_error/)
    }
  })
})

test("errors have the vendor's types", () => {
  const types = Object.fromEntries(
    [400, 401, 403, 404, 413, 429, 500, 502, 503, 504, 529].map((status) => {
      const body = dialect.failureBody({ kind: "failure", status, message: "x" }, "id") as { error: { type: string } }
      return [status, body.error.type]
    }),
  )
  expect(types).toEqual({
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    502: "api_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
  })
  const body = { type: "error", error: { type: "x_error", message: "x", more: 1 }, request_id: "theirs" }
  const original = { dialect: "messages", body }
  expect(dialect.failureBody({ kind: "failure", status: 400, message: "x", original }, "ours")).toEqual({
    ...body,
    request_id: "ours",
  })
})
