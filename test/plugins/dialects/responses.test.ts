import OpenAI, { BadRequestError } from "openai"
import {
  type Block,
  type ChatEvent,
  type ChatReply,
  type ChatRequest,
  createReplyCollector,
  eventsOf,
  RtrError,
  type Turn,
  type WireObject,
} from "rtr"
import { dialectContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import dialect from "../../../ts/plugins/dialects/responses.ts"
import { dataOf, namedEvent, type TypedEvent, writtenBy } from "../../fakes/event-stream.ts"
import { createRandom } from "../../fakes/random.ts"
import { randomResponsesReply, randomResponsesRequest } from "../../fakes/random-responses.ts"
import { refusalOf } from "../../fakes/refusal.ts"

const portable = (request: ChatRequest): ChatRequest => request.origin?.toPortable?.(request) ?? request
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Events as the API sends them, numbered. */
const stream = (...events: readonly object[]): string =>
  events.map((event, index) => namedEvent({ sequence_number: index, ...event } as unknown as NumberedEvent)).join("")

interface NumberedEvent extends TypedEvent {
  readonly sequence_number: number
}

const head = { id: "resp_1", object: "response", created_at: 5, model: "m", output: [], x_kept: 1 }
const begun = [
  { type: "response.created", response: { ...head, status: "in_progress" } },
  { type: "response.in_progress", response: { ...head, status: "in_progress" } },
]
const usage = {
  input_tokens: 7,
  input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
  output_tokens: 3,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 10,
}
const messageItem = { id: "msg_1", type: "message", role: "assistant", status: "completed" }
const annotation = { type: "url_citation", url: "u" }
const said = { type: "output_text", annotations: [], logprobs: [], text: "Hi there" }
const thought = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "a" },
    { type: "summary_text", text: "b" },
  ],
  encrypted_content: "sealed",
}
const searched = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } }
const called = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "weather",
  arguments: '{"a":1}',
}
const freely = {
  id: "ctc_1",
  type: "custom_tool_call",
  status: "completed",
  call_id: "call_2",
  name: "run",
  input: "ls",
}
const output = [thought, searched, { ...messageItem, content: [said] }, called, freely]
const textAt = { item_id: "msg_1", output_index: 2, content_index: 0 }

const recorded = stream(
  ...begun,
  { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
  {
    type: "response.reasoning_summary_part.added",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "" },
  },
  { type: "response.reasoning_summary_text.delta", item_id: "rs_1", output_index: 0, summary_index: 0, delta: "a" },
  { type: "response.reasoning_summary_text.done", item_id: "rs_1", output_index: 0, summary_index: 0, text: "a" },
  {
    type: "response.reasoning_summary_part.done",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 0,
    part: { type: "summary_text", text: "a" },
  },
  {
    type: "response.reasoning_summary_part.added",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 1,
    part: { type: "summary_text", text: "" },
  },
  { type: "response.reasoning_summary_text.delta", item_id: "rs_1", output_index: 0, summary_index: 1, delta: "b" },
  {
    type: "response.reasoning_summary_part.done",
    item_id: "rs_1",
    output_index: 0,
    summary_index: 1,
    part: { type: "summary_text", text: "b" },
  },
  { type: "response.output_item.done", output_index: 0, item: thought },
  { type: "response.output_item.added", output_index: 1, item: { ...searched, status: "in_progress" } },
  { type: "response.web_search_call.searching", output_index: 1, item_id: "ws_1" },
  { type: "response.output_item.done", output_index: 1, item: searched },
  { type: "response.output_item.added", output_index: 2, item: { ...messageItem, status: "in_progress", content: [] } },
  { type: "response.content_part.added", ...textAt, part: { ...said, text: "" } },
  { type: "response.output_text.delta", ...textAt, delta: "Hi ", logprobs: [] },
  { type: "response.output_text.delta", ...textAt, delta: "there", logprobs: [], obfuscation: "x" },
  {
    type: "response.output_text.annotation.added",
    ...textAt,
    annotation_index: 0,
    annotation,
  },
  { type: "response.output_text.done", ...textAt, text: "Hi there", logprobs: [] },
  { type: "response.content_part.done", ...textAt, part: said },
  { type: "response.output_item.done", output_index: 2, item: { ...messageItem, content: [said] } },
  { type: "response.output_item.added", output_index: 3, item: { ...called, arguments: "", status: "in_progress" } },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 3, delta: '{"a":' },
  { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 3, delta: "1}" },
  { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 3, arguments: '{"a":1}' },
  { type: "response.output_item.done", output_index: 3, item: called },
  { type: "response.output_item.added", output_index: 4, item: { ...freely, input: "", status: "in_progress" } },
  { type: "response.custom_tool_call_input.delta", item_id: "ctc_1", output_index: 4, delta: "ls" },
  { type: "response.custom_tool_call_input.done", item_id: "ctc_1", output_index: 4, input: "ls" },
  { type: "response.output_item.done", output_index: 4, item: freely },
  { type: "response.completed", response: { ...head, status: "completed", output, usage } },
)
const failing = stream(...begun, {
  type: "response.failed",
  response: { ...head, status: "failed", error: { code: "rate_limit_exceeded", message: "busy" }, usage },
})

describe("contract", () => {
  const random = createRandom(5)
  const requests = Array.from({ length: 150 }, () => randomResponsesRequest(random))
  const replies = Array.from({ length: 150 }, () => randomResponsesReply(random))
  for (const { name, run } of dialectContract(dialect, { requests, replies, streams: [recorded, failing] }))
    test(name, run)
})

/** Events and bytes of a stream. */
function read(text: string, events = true) {
  const reader = dialect.reader({ events })
  const batches = [reader.read(encoder.encode(text)), reader.end()]
  return {
    events: batches.flatMap((batch) => batch?.events ?? []),
    usage: batches.find((batch) => batch?.usage)?.usage,
    done: batches.some((batch) => batch?.done),
  }
}

/** A writer for a client that sent little. */
const newWriter = () => dialect.writer(dialect.readRequest({ model: "m", input: "a" }))

function collected(events: readonly ChatEvent[]): ChatReply {
  const collector = createReplyCollector()
  for (const event of events) collector.add(event)
  return collector.reply()
}

describe("a request", () => {
  const items = (...given: readonly unknown[]) => ({ model: "m", input: given })
  const cases: readonly (readonly [body: unknown, why: string])[] = [
    [{ input: "a" }, '"model" is missing; use "MoM" for automatic routing'],
    [{ model: " ", input: "a" }, '"model" must be a non-empty string'],
    [{ model: "m" }, '"input" is missing'],
    [
      { model: "m", messages: [] },
      '"input" is missing; this endpoint takes "input", and /v1/chat/completions takes "messages"',
    ],
    [{ model: "m", input: 5 }, '"input" must be a string or a list of items'],
    [{ model: "m", input: "a\0b" }, '"input" holds a NUL character'],
    [{ model: "m", input: "a", instructions: 5 }, '"instructions" must be a string'],
    [
      { model: "m", input: "a", instructions: "\ud83d" },
      '"instructions" holds a lone surrogate, which is not valid Unicode text',
    ],
    [{ model: "m", input: "a", stream: "yes" }, '"stream" must be true or false'],
    [items("a"), "input[0] must be an object"],
    [items({ type: 5 }), "input[0].type must be a string"],
    [items({ role: "", content: "a" }), "input[0].role must be a non-empty string"],
    [items({ role: "User", content: "a" }), 'input[0].role must be "user", not another spelling of it'],
    [items({ role: "user" }), "input[0].content is missing"],
    [items({ role: "user", content: 5 }), "input[0].content must be a string or a list of parts"],
    [items({ role: "user", content: ["a"] }), "input[0].content[0] must be an object"],
    [items({ role: "user", content: [{ text: "a" }] }), "input[0].content[0].type must be a string"],
    [items({ role: "user", content: [{ type: "input_text" }] }), "input[0].content[0].text must be a string"],
    [items({ type: "function_call", name: "f", call_id: "c" }), "input[0].arguments must be a string"],
    [items({ type: "function_call", name: "", call_id: "c" }), "input[0].name must be a non-empty string"],
    [items({ type: "custom_tool_call", name: "f", call_id: "c" }), "input[0].input must be a string"],
    [items({ type: "function_call_output", output: "a" }), "input[0].call_id must be a non-empty string"],
    [items({ type: "function_call_output", call_id: "c" }), "input[0].output is missing"],
    [items({ type: "reasoning", summary: "a" }), "input[0].summary must be a list"],
  ]
  test("that is none is refused with its field", () => {
    for (const [body, why] of cases)
      expect([body, refusalOf(() => dialect.readRequest(body))]).toEqual([
        body,
        `invalid_request: Cannot read the chat request: ${why}`,
      ])
  })

  test("may leave its input to a stored prompt", () =>
    expect(dialect.readRequest({ model: "m", prompt: { id: "p" } }).turns).toEqual([]))

  const body = {
    model: "MoM",
    instructions: "Be kind",
    input: [
      { role: "developer", content: "Rules" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "look" },
          { type: "input_image", image_url: "data:image/png;base64,aGk=", detail: "low" },
          { type: "input_file", file_data: "data:application/pdf;base64,aGk=", filename: "a.pdf" },
        ],
      },
      thought,
      { ...messageItem, content: [said] },
      called,
      freely,
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "sunny" }] },
      { type: "custom_tool_call_output", call_id: "call_2", output: "a.txt" },
      { role: "user", content: "thanks" },
    ],
    tools: [
      { type: "function", name: "weather", parameters: { type: "object" }, strict: true },
      { type: "custom", name: "run" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    max_output_tokens: 50,
    temperature: 0.5,
    text: { format: { type: "json_schema", name: "s", schema: {}, strict: true }, verbosity: "low" },
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
    metadata: { a: "b" },
    store: false,
    truncation: "auto",
    user: "u",
  }

  test("is read into turns, of which one has all that the model said and called", () => {
    const { turns, ...rest } = dialect.readRequest(body)
    expect(turns.map(({ role, blocks }) => [role, blocks.map(({ type }) => type)])).toEqual([
      ["system", ["text"]],
      ["system", ["text"]],
      ["user", ["text", "image", "file"]],
      ["assistant", ["reasoning", "text", "tool_call", "tool_call"]],
      ["tool", ["tool_result"]],
      ["tool", ["tool_result"]],
      ["user", ["text"]],
    ])
    expect(turns[3]?.blocks[0]).toEqual({ type: "reasoning", text: "a\n\nb", encrypted: "sealed" })
    expect(rest).toMatchObject({
      tools: [
        { name: "weather", parameters: { type: "object" } },
        { name: "run", form: "custom" },
      ],
      toolChoice: "auto",
      parallelToolCalls: false,
      generation: { maxOutputTokens: 50, temperature: 0.5, logprobs: true },
      output: { type: "json_schema", name: "s", schema: {}, strict: true },
      reasoning: { effort: "low", summary: "auto" },
      session: { user: "u", store: false, metadata: { a: "b" } },
      extensions: { include: body.include, truncation: "auto" },
    })
  })

  test("keeps what nobody changed, item by item", () => {
    const request = dialect.readRequest(body)
    const written = (change: Partial<ChatRequest>): unknown =>
      dialect.writeRequest({ ...request, ...change }, { model: "MoM" })
    const [system, ...others] = request.turns as readonly [Turn, ...Turn[]]
    expect(
      written({ turns: [{ ...system, blocks: [...system.blocks, { type: "text", text: "Be brief" }] }, ...others] }),
    ).toEqual({ ...body, instructions: "Be kind\n\nBe brief" })
    const changed = others.map((turn) =>
      turn.role === "assistant"
        ? {
            ...turn,
            blocks: turn.blocks.map((block): Block =>
              block.type === "text" ? { type: "text", text: "[removed]" } : block,
            ),
          }
        : turn,
    )
    expect(written({ turns: [system, ...changed] })).toEqual({
      ...body,
      input: body.input.map((item) =>
        "id" in item && item.id === "msg_1"
          ? { ...messageItem, content: [{ type: "output_text", text: "[removed]", annotations: [] }] }
          : item,
      ),
    })
    expect(written({ generation: { maxOutputTokens: 9 } })).toEqual({
      ...Object.fromEntries(Object.entries(body).filter(([name]) => name !== "temperature")),
      max_output_tokens: 9,
      include: ["reasoning.encrypted_content"],
    })
    expect(written({ output: undefined, reasoning: { effort: "high", summary: "auto" } })).toEqual({
      ...body,
      text: { verbosity: "low" },
      reasoning: { effort: "high", summary: "auto" },
    })
  })

  test("goes to a chat-completions backend", () => {
    const { model: _, ...written } = chatCompletions.writeRequest(dialect.readRequest(body), { model: "m" })
    expect(written).toEqual({
      messages: [
        { role: "system", content: "Be kind" },
        { role: "system", content: "Rules" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,aGk=", detail: "low" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,aGk=", filename: "a.pdf" } },
          ],
        },
        {
          role: "assistant",
          reasoning_content: "a\n\nb",
          content: "Hi there",
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "weather", arguments: '{"a":1}' } },
            { id: "call_2", type: "custom", custom: { name: "run", input: "ls" } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: "sunny" },
        { role: "tool", tool_call_id: "call_2", content: "a.txt" },
        { role: "user", content: "thanks" },
      ],
      tools: [
        { type: "function", function: { name: "weather", parameters: { type: "object" }, strict: true } },
        { type: "custom", custom: { name: "run" } },
      ],
      tool_choice: "auto",
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      logprobs: true,
      response_format: { type: "json_schema", json_schema: { name: "s", schema: {}, strict: true } },
      reasoning_effort: "low",
      user: "u",
      store: false,
      metadata: { a: "b" },
    })
  })

  test("leaves a search of the web out that is merely offered beside the client's own tools", () => {
    const own = { type: "function", name: "f", strict: false }
    for (const fields of [{}, { tool_choice: "auto" }, { tool_choice: { type: "function", name: "f" } }]) {
      const request = dialect.readRequest({
        model: "m",
        input: "a",
        tools: [{ type: "web_search", external_web_access: true }, own, { type: "web_search_preview_2025_03_11" }],
        ...fields,
      })
      expect(chatCompletions.writeRequest(portable(request), { model: "m" })["tools"]).toEqual([
        { type: "function", function: { name: "f" } },
      ])
      expect(dialect.writeRequest(request, { model: "m" })["tools"]).toHaveLength(3)
    }
  })

  test("takes tools for free text, their grammar and the choice of one to the other API of OpenAI and back", () => {
    const grammar = { syntax: "lark", definition: 'start: "a"' }
    const tools = [
      { type: "custom", name: "patch", description: "d", format: { type: "grammar", ...grammar } },
      { type: "custom", name: "run", format: { type: "text" } },
    ]
    const written = chatCompletions.writeRequest(
      dialect.readRequest({ model: "m", input: "a", tools, tool_choice: { type: "custom", name: "patch" } }),
      { model: "m" },
    )
    expect([written["tools"], written["tool_choice"]]).toEqual([
      [
        { type: "custom", custom: { name: "patch", description: "d", format: { type: "grammar", grammar } } },
        { type: "custom", custom: { name: "run" } },
      ],
      { type: "custom", custom: { name: "patch" } },
    ])
    const back = dialect.writeRequest(chatCompletions.readRequest(written), { model: "m" })
    expect([back["tools"], back["tool_choice"]]).toEqual([
      [tools[0], { type: "custom", name: "run" }],
      { type: "custom", name: "patch" },
    ])
  })

  describe("with namespaces of tools", () => {
    const agents = {
      type: "namespace",
      name: "agents",
      description: "Other agents",
      tools: [
        { type: "function", name: "close", strict: false, parameters: { type: "object" } },
        { type: "custom", name: "tell", description: "d" },
      ],
    }
    const close = { type: "function_call", call_id: "c1", namespace: "agents", name: "close", arguments: "{}" }
    const tell = { type: "custom_tool_call", call_id: "c2", namespace: "agents", name: "tell", input: "hi" }
    const asked = {
      model: "m",
      tools: [{ type: "function", name: "close", strict: false }, agents],
      input: [
        { role: "user", content: "a" },
        close,
        tell,
        { type: "function_call_output", call_id: "c1", output: "done" },
        { type: "custom_tool_call_output", call_id: "c2", output: "told" },
      ],
    }
    const request = dialect.readRequest(asked)
    const calls: readonly Block[] = [
      { type: "tool_call", id: "c1", name: "agents__close", arguments: "{}" },
      { type: "tool_call", id: "c2", name: "agents__tell", arguments: "hi", form: "custom" },
      { type: "tool_call", id: "c3", name: "close", arguments: "{}" },
    ]
    const callItems = [close, tell, { type: "function_call", call_id: "c3", name: "close", arguments: "{}" }]

    test("other backends get every tool by a name of its own, and the calls under it", () => {
      const written = chatCompletions.writeRequest(portable(request), { model: "m" })
      expect(written["tools"]).toEqual([
        { type: "function", function: { name: "close" } },
        { type: "function", function: { name: "agents__close", parameters: { type: "object" } } },
        { type: "custom", custom: { name: "agents__tell", description: "d" } },
      ])
      expect(written["messages"]).toMatchObject([
        {},
        { tool_calls: [{ function: { name: "agents__close" } }, { custom: { name: "agents__tell", input: "hi" } }] },
        { tool_call_id: "c1", content: "done" },
        { tool_call_id: "c2", content: "told" },
      ])
    })

    test("backends of the API get them as they came, also where calls were replaced", () => {
      expect(dialect.writeRequest(request, { model: "m" })).toEqual(asked)
      const turns = request.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map((block) => ({ ...block })) }))
      expect(dialect.writeRequest({ ...request, turns }, { model: "m" })).toMatchObject({
        tools: asked.tools,
        input: [{}, close, tell, {}, {}],
      })
    })

    test("the client gets calls with their namespace, whole and streamed", () => {
      const reply: ChatReply = { id: "r", model: "m", created: 5, choices: [{ blocks: calls, stop: "tool_calls" }] }
      expect(JSON.parse(dialect.writeReply(reply, {}, request))).toMatchObject({ output: callItems })
      const events = dataOf<TypedEvent>(writtenBy(dialect.writer(request), eventsOf(reply)))
      const done = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item] : []))
      const added = events.flatMap(({ type, item }) => (type === "response.output_item.added" ? [item] : []))
      expect(done).toMatchObject(callItems)
      expect(added).toMatchObject(
        callItems.map(({ name, ...item }) => ({ name, ...("namespace" in item && { namespace: item.namespace }) })),
      )
      expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { output: callItems } })
      expect(events.find(({ type }) => type === "response.function_call_arguments.done")).toMatchObject({
        name: "close",
      })
    })

    test("calls of a backend are read with their namespace", () => {
      const whole = dialect.readReply(JSON.stringify({ ...head, status: "completed", output: callItems }))
      expect(whole.choices[0]?.blocks).toEqual(calls)
      const reader = dialect.reader({ events: true })
      const bytes = encoder.encode(
        stream(...begun, { type: "response.output_item.added", output_index: 0, item: close }),
      )
      expect(reader.read(bytes)?.events.at(-1)).toMatchObject({ block: { type: "tool_call", name: "agents__close" } })
    })
  })

  test("says which of its fields only a Responses backend can take", () => {
    const only: readonly (readonly [object, path: string])[] = [
      [{ previous_response_id: "resp_1" }, "previous_response_id"],
      [{ conversation: "conv_1" }, "conversation"],
      [{ conversation: { id: "conv_1" } }, "conversation"],
      [{ background: true }, "background"],
      [{ prompt: { id: "p" } }, "prompt"],
      [{ tools: [{ type: "function", name: "f" }, { type: "file_search" }] }, "tools[1]"],
      [{ tools: [{ type: "web_search" }] }, "tools[0]"],
      [{ tools: [{ type: "function", name: "f" }, { type: "web_search" }], tool_choice: "required" }, "tools[1]"],
      [{ tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp" }] }] }, "tools[0].tools[0]"],
      [
        { input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_video" }] }] },
        "input[0].output[0]",
      ],
      [{ tool_choice: { type: "web_search" } }, "tool_choice"],
      [{ text: { format: { type: "grammar" } } }, "text.format"],
      [
        {
          input: [
            { role: "user", content: "a" },
            { type: "item_reference", id: "i" },
          ],
        },
        "input[1]",
      ],
      [
        { input: [{ role: "user", content: [{ type: "input_text", text: "a" }, { type: "input_video" }] }] },
        "input[0].content[1]",
      ],
    ]
    for (const [fields, path] of only) {
      const request = dialect.readRequest({ model: "m", input: "a", ...fields })
      expect([fields, refusalOf(() => request.origin?.toPortable?.(request))]).toEqual([
        fields,
        expect.stringMatching(/^invalid_request: Cannot send the request to the model's backend/),
      ])
      expect(refusalOf(() => request.origin?.toPortable?.(request))).toContain(`"${path}" has no counterpart`)
    }
    for (const field of [{ previous_response_id: "resp_1" }, { conversation: "conv_1" }, { background: true }]) {
      const request = dialect.readRequest({ model: "m", input: "a", ...field })
      expect(refusalOf(() => request.origin?.toPortable?.(request))).toContain("; global.services.response_api in its")
    }
    const reference = dialect.readRequest({ model: "m", input: [{ type: "item_reference", id: "i" }] })
    expect(refusalOf(() => reference.origin?.toPortable?.(reference))).toContain("send the item itself")
    const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" }
    const withThought = dialect.readRequest({
      model: "m",
      input: [{ role: "user", content: "a" }, { type: "item_reference", id: "rs_1" }, call],
    })
    const turns = withThought.origin
      ?.toPortable?.(withThought)
      .turns.flatMap(({ blocks }) => blocks.map(({ type }) => type))
    expect(turns).toEqual(["text", "tool_call"])
    const plain = dialect.readRequest({ ...body, background: false, previous_response_id: null })
    expect(plain.origin?.toPortable?.(plain)).toBe(plain)
  })
})

describe("a chat-completions request for a Responses backend", () => {
  const of = (fields: object): WireObject =>
    dialect.writeRequest(
      chatCompletions.readRequest({ model: "m", messages: [{ role: "user", content: "hi" }], ...fields }),
      { model: "m" },
    )

  test("is written with what the API has for it, and is not kept there", () => {
    expect(
      of({
        messages: [
          { role: "system", content: "Be kind", name: "boss" },
          {
            role: "user",
            content: [
              { type: "text", text: "look" },
              { type: "image_url", image_url: { url: "https://a.example/i.png" } },
            ],
          },
          {
            role: "assistant",
            content: "I ask.",
            reasoning_content: "hm",
            tool_calls: [
              { id: "c1", type: "function", function: { name: "f", arguments: "{}" } },
              { id: "c2", type: "custom", custom: { name: "r", input: "ls" } },
            ],
          },
          { role: "tool", tool_call_id: "c1", content: "sunny" },
          { role: "tool", tool_call_id: "c2", content: "a.txt" },
        ],
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: { type: "function", function: { name: "f" } },
        max_tokens: 50,
        reasoning_effort: "low",
        response_format: { type: "json_object" },
        seed: 5,
        stream: true,
        stream_options: { include_usage: true },
      }),
    ).toEqual({
      model: "m",
      input: [
        { type: "message", role: "system", content: "Be kind" },
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: "https://a.example/i.png" },
          ],
        },
        { type: "message", role: "assistant", content: "I ask." },
        { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
        { type: "custom_tool_call", call_id: "c2", name: "r", input: "ls" },
        { type: "function_call_output", call_id: "c1", output: "sunny" },
        { type: "custom_tool_call_output", call_id: "c2", output: "a.txt" },
      ],
      tools: [{ type: "function", name: "f", parameters: null, strict: false }],
      tool_choice: { type: "function", name: "f" },
      max_output_tokens: 50,
      text: { format: { type: "json_object" } },
      reasoning: { effort: "low" },
      include: ["reasoning.encrypted_content"],
      stream: true,
      store: false,
    })
  })

  test("is refused for what the API cannot do", () => {
    const refused: readonly (readonly [object, why: string])[] = [
      [{ n: 2 }, '"n" is 2'],
      [{ stop: "x" }, '"stop" has no counterpart'],
      [{ presence_penalty: 1 }, '"presence_penalty" has no counterpart'],
      [{ functions: [{ name: "f" }] }, '"functions" has no counterpart'],
      [{ tools: [{ type: "web_search" }] }, "tools[0] is a tool that only another service has"],
      [
        {
          messages: [
            { role: "user", content: "a", name: "Ann" },
            { role: "user", content: "b", name: "Bob" },
          ],
        },
        "turns[1].name tells participants apart",
      ],
      [{ messages: [{ role: "critic", content: "a" }] }, '"messages[0].role" must be "system"'],
    ]
    for (const [fields, why] of refused)
      expect([fields, refusalOf(() => of(fields))]).toEqual([fields, expect.stringContaining(why)])
    expect(refusalOf(() => of({ n: 1, stop: [], presence_penalty: 0, functions: [] }))).toBeUndefined()
  })
})

describe("a reply", () => {
  const whole = { ...head, status: "completed", output, usage }

  test("is read into blocks, with its tokens", () => {
    const { origin: _, ...reply } = dialect.readReply(JSON.stringify(whole))
    expect(reply).toEqual({
      id: "resp_1",
      model: "m",
      created: 5,
      choices: [
        {
          blocks: [
            { type: "reasoning", text: "a\n\nb", encrypted: "sealed" },
            { type: "opaque", dialect: "responses", value: searched },
            { type: "text", text: "Hi there" },
            { type: "tool_call", id: "call_1", name: "weather", arguments: '{"a":1}' },
            { type: "tool_call", id: "call_2", name: "run", arguments: "ls", form: "custom" },
          ],
          stop: "tool_calls",
        },
      ],
      usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2, cacheWriteTokens: 1, reasoningTokens: 1 },
    })
  })

  test("ends as its status says", () => {
    const stopOf = (fields: object) =>
      dialect.readReply(JSON.stringify({ ...whole, output: [], ...fields })).choices[0]?.stop
    expect(stopOf({})).toBe("stop")
    expect(stopOf({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })).toBe("length")
    expect(stopOf({ status: "incomplete", incomplete_details: { reason: "content_filter" } })).toBe("content_filter")
    expect(stopOf({ status: "incomplete", incomplete_details: null })).toBe("other")
  })

  test("that is none or failed is refused", () => {
    const of = (fields: object) => refusalOf(() => dialect.readReply(JSON.stringify({ ...whole, ...fields })))
    expect(of({ output: undefined })).toBe('upstream_error: "output" of the reply is missing')
    expect(of({ output: [5] })).toBe("upstream_error: output[0] of the reply is not an object")
    expect(of({ output: [{ type: "message", content: [5] }] })).toBe(
      "upstream_error: output[0].content of the reply is not a list of parts",
    )
    expect(of({ status: "failed", error: { code: "server_error", message: "oops" } })).toBe(
      "upstream_error: the backend reported an error: oops",
    )
    expect(of({ status: "queued" })).toBe('upstream_error: the reply is of status "queued" and has not ended')
  })

  test("is a chat completion without the items that only this API knows", () => {
    const chat = (given: readonly object[]): unknown =>
      JSON.parse(chatCompletions.writeReply(dialect.readReply(JSON.stringify({ ...whole, output: given })), {}))
    expect(chat(output)).toEqual(chat(output.filter((item) => item !== searched)))
    expect(chat([searched])).toMatchObject({ choices: [{ message: { content: "" }, finish_reason: "stop" }] })
  })

  test("keeps the items that nobody changed", () => {
    const reply = dialect.readReply(JSON.stringify({ ...whole, output_text: "Hi there" }))
    const blocks =
      reply.choices[0]?.blocks.map((block): Block =>
        block.type === "text" ? { type: "text", text: "[removed]" } : block,
      ) ?? []
    const written = dialect.writeReply({ ...reply, choices: [{ blocks, stop: "tool_calls" }] }, {})
    expect(JSON.parse(written)).toEqual({
      ...whole,
      output: output.toSpliced(2, 1, expect.objectContaining({ content: [{ ...said, text: "[removed]" }] })),
    })
    expect(written).not.toContain("Hi there")
  })

  test("repeats the request that it answers", () => {
    const request = dialect.readRequest({
      model: "m",
      input: "a",
      instructions: "Be kind",
      temperature: 0.5,
      metadata: { a: "b" },
      store: false,
    })
    const reply: ChatReply = {
      id: "",
      model: "m",
      created: 1,
      choices: [{ blocks: [{ type: "text", text: "a" }], stop: "length" }],
    }
    expect(JSON.parse(dialect.writeReply(reply, {}, request))).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: "response",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      instructions: "Be kind",
      temperature: 0.5,
      metadata: { a: "b" },
      store: false,
      tool_choice: "auto",
      usage: null,
    })
  })
})

describe("a stream", () => {
  test("is the same reply as the whole", () => {
    const { events, usage: counted, done } = read(recorded)
    const cited = output.with(2, { ...messageItem, content: [{ ...said, annotations: [annotation] }] } as never)
    const whole = dialect.readReply(JSON.stringify({ ...head, status: "completed", output: cited, usage }))
    expect([collected(events), counted, done]).toEqual([
      { id: "resp_1", model: "m", created: 5, choices: whole.choices, usage: whole.usage },
      whole.usage,
      true,
    ])
    expect(read(recorded, false)).toEqual({ events: [], usage: counted, done: true })
  })

  test("counts what its writer keeps for the end", () => {
    const writer = newWriter()
    writer.write([
      { type: "block_start", choice: 0, index: 0, block: { type: "tool_call", id: "c", name: "f" } as never },
      { type: "block_delta", choice: 0, index: 0, text: "a".repeat(5000) },
    ])
    const first = writer.kept?.() ?? 0
    writer.write([{ type: "block_delta", choice: 0, index: 0, text: "a".repeat(5000) }])
    expect(first).toBeGreaterThan(5000)
    expect((writer.kept?.() ?? 0) - first).toBeGreaterThan(5000)
  })

  test("that failed says so and goes on as it came", () => {
    const { events, done } = read(failing)
    expect(events.find(({ type }) => type === "failed")).toEqual({
      type: "failed",
      message: "busy",
      code: "rate_limit_exceeded",
    })
    expect([done, read(failing, false).done]).toEqual([true, true])
    const writer = newWriter()
    expect(decoder.decode(writer.write(events)) + decoder.decode(writer.end())).toBe(failing)
  })

  test("of a server that leaves parts, deltas or items out is read all the same", () => {
    const text = { ...messageItem, content: [said] }
    const cases = {
      "only the end": stream(begun[0] as object, {
        type: "response.completed",
        response: { ...head, output: [text, called] },
      }),
      "no parts": stream(
        ...begun,
        { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hi there" },
        { type: "response.output_item.done", output_index: 1, item: called },
        { type: "response.completed", response: head },
      ),
      "no deltas": stream(
        ...begun,
        { type: "response.output_item.done", output_index: 0, item: text },
        { type: "response.output_item.added", output_index: 1, item: { ...called, arguments: "" } },
        { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"a":1}' },
        { type: "response.output_item.done", output_index: 1, item: called },
        { type: "response.completed", response: head },
      ),
    }
    for (const [name, each] of Object.entries(cases))
      expect([name, collected(read(each).events).choices]).toEqual([
        name,
        [
          {
            blocks: [
              { type: "text", text: "Hi there" },
              { type: "tool_call", id: "call_1", name: "weather", arguments: '{"a":1}' },
            ],
            stop: "tool_calls",
          },
        ],
      ])
  })

  test("with an error event is broken", () => {
    for (const events of [true, false])
      for (const error of [{ type: "error", code: "x", message: "busy", param: null }, { error: { message: "busy" } }])
        expect(refusalOf(() => read(stream(...begun) + stream(error), events))).toBe(
          "upstream_error: the backend reported an error: busy",
        )
  })

  test("that ends before its end is broken", () => {
    for (const events of [true, false]) {
      const cut = recorded.slice(0, recorded.lastIndexOf("event: response.completed"))
      expect(refusalOf(() => read(cut, events))).toBe("upstream_error: the stream ended before its end mark")
      expect(read(recorded.trimEnd(), events).done).toBe(true)
    }
  })

  test("from another dialect has a number for each event, and ends with all that it said", () => {
    const reply = randomResponsesReply(createRandom(1))
    const text = writtenBy(newWriter(), eventsOf(reply))
    const sent = dataOf<NumberedEvent>(text)
    expect(text).toBe(sent.map(namedEvent).join(""))
    expect(sent.map(({ sequence_number: number }) => number)).toEqual(sent.map((_, index) => index))
    expect(sent.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"])
    expect(sent.at(-1)).toMatchObject({ response: { id: "resp_reply" } })
  })

  test("never tells later what somebody took out of it, wherever the change began", () => {
    const { events } = read(recorded)
    const wholes = ['"Hi there"', JSON.stringify(called.arguments), '"ls"']
    /** Reasoning that goes on in another kind of part has a blank line between them. */
    const blocksIn = (given: readonly ChatEvent[]) =>
      collected(given).choices[0]?.blocks.map((block) =>
        block.type === "reasoning" ? { ...block, text: block.text.replaceAll("\n", "") } : block,
      )
    for (const [at, event] of events.entries()) {
      if (event.type !== "block_delta" || event.text === "") continue
      for (const without of [[], [{ ...event, text: "[removed]" }]]) {
        const changed = [...events.slice(0, at), ...without, ...events.slice(at + 1)]
        const text = writtenBy(newWriter(), changed)
        const sent = dataOf<NumberedEvent>(text)
        expect(sent.map(({ sequence_number: number }) => number)).toEqual(sent.map((_, index) => index))
        const end = sent.at(-1) as unknown as { readonly type: string; readonly response: WireObject }
        const items = end.response["output"] as readonly WireObject[]
        expect([end.type, items.map(({ type }) => type), end.response["x_kept"]]).toEqual([
          "response.completed",
          output.map(({ type }) => type),
          1,
        ])
        expect(new Set(items.map(({ id }) => id)).size).toBe(output.length)
        // What was cut in two stands nowhere as a whole.
        expect(
          wholes.filter(
            (whole) => event.text.length > 1 && JSON.parse(whole).includes(event.text) && text.includes(whole),
          ),
        ).toEqual([])
        expect(blocksIn(read(text).events)).toEqual(blocksIn(changed))
      }
    }
  })

  test("of any bytes is read or refused, and never more than that", () => {
    const random = createRandom(7)
    const bytes = encoder.encode(recorded)
    for (let round = 0; round < 300; round++) {
      const mutated = bytes.slice()
      for (let count = random.below(6); count >= 0; count--) mutated[random.below(mutated.length)] = random.below(256)
      for (const events of [true, false]) {
        const reader = dialect.reader({ events })
        const writer = newWriter()
        const run = (): void => {
          for (let at = 0, size = 0; at < mutated.length; at += size) {
            size = 1 + random.below(2000)
            writer.write(reader.read(mutated.subarray(at, at + size))?.events ?? [])
          }
          reader.end()
          writer.end()
        }
        expect(refusalOf(run) ?? "upstream_error").toMatch(/^upstream_error/)
      }
    }
  })
})

/** Copies of a value, each with one of its nodes replaced by something else. */
function* withOneOther(value: unknown): Iterable<unknown> {
  yield* [null, 5, "x", [], {}, [null], [5], true]
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const other of withOneOther(inner))
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
}

describe("whatever stands in a field", () => {
  const expectRefused = (code: "invalid_request" | "upstream_error", run: () => unknown): void =>
    expect(refusalOf(run) ?? code).toMatch(code)

  test("a request is read and written, or refused", () => {
    const body = {
      model: "m",
      instructions: "a",
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "x", detail: "low" },
            { type: "input_file", file_data: "x" },
            { type: "input_audio", input_audio: { data: "", format: "wav" } },
          ],
        },
        ...output,
        {
          type: "function_call_output",
          call_id: "call_1",
          output: [{ type: "input_text", text: "a" }],
          status: "completed",
        },
      ],
      tools: [{ type: "function", name: "f", description: "d", parameters: {}, strict: true }],
      tool_choice: { type: "function", name: "f" },
      text: { format: { type: "json_schema", name: "s", schema: {} } },
      reasoning: { effort: "low", summary: "auto" },
      include: ["message.output_text.logprobs"],
      conversation: { id: "c" },
      metadata: { a: "b" },
    }
    for (const other of withOneOther(body))
      expectRefused("invalid_request", () => {
        const request = dialect.readRequest(other)
        const turns = request.turns.map((turn) => ({ ...turn, blocks: [...turn.blocks] }))
        dialect.writeRequest({ ...request, turns, tools: [...request.tools] }, { model: "m" })
      })
    // Other backends get what has a counterpart there.
    const { conversation: _, ...rest } = { ...body, input: body.input.filter((item) => item !== searched) }
    expect(() => portable(dialect.readRequest(rest))).not.toThrow()
    for (const other of withOneOther(rest))
      expectRefused("invalid_request", () =>
        chatCompletions.writeRequest(portable(dialect.readRequest(other)), { model: "m" }),
      )
  })

  test("a reply is read and written, or refused", () => {
    for (const other of withOneOther({
      ...head,
      status: "completed",
      output,
      usage,
      incomplete_details: { reason: "x" },
      error: null,
    }))
      expectRefused("upstream_error", () => {
        const reply = dialect.readReply(JSON.stringify(other))
        dialect.writeReply({ ...reply, choices: reply.choices.map((choice) => ({ ...choice })) }, {})
        chatCompletions.writeReply(reply, {})
      })
  })

  test("an event is read and written, or refused", () => {
    const events = recorded.split("\n\n").slice(0, -1)
    for (const [at, event] of events.entries())
      for (const other of withOneOther(dataOf(event)[0])) {
        const text = [...events.slice(0, at), `data: ${JSON.stringify(other)}`, ...events.slice(at + 1), ""].join(
          "\n\n",
        )
        expectRefused("upstream_error", () => {
          const reader = dialect.reader({ events: true })
          const batch = reader.read(encoder.encode(text))
          for (const writer of [dialect, chatCompletions].map((each) =>
            each.writer(dialect.readRequest({ model: "m", input: "a" })),
          )) {
            writer.write(batch?.events.slice(1) ?? [])
            writer.end()
          }
          reader.end()
        })
      }
  })
})

/** The vendor's client, which is answered with this text. */
const clientOver = (text: string, type: string, status = 200): OpenAI =>
  new OpenAI({
    apiKey: "k",
    maxRetries: 0,
    fetch: async () => new Response(text, { status, headers: { "content-type": type } }),
  })

describe("the vendor's client", () => {
  const asked = { model: "m", input: "a" }

  test("builds the same response from a stream as the stream's end has", async () => {
    const random = createRandom(11)
    for (let round = 0; round < 25; round++) {
      const reply = randomResponsesReply(random)
      const text = writtenBy(newWriter(), eventsOf(reply))
      const runner = clientOver(text, dialect.streamType).responses.stream(asked)
      const deltas: string[] = []
      runner.on("response.output_text.delta", ({ delta }) => deltas.push(delta))
      const final = await runner.finalResponse()
      const end = dataOf(text).at(-1) as unknown as { readonly response: { readonly output: readonly WireObject[] } }
      expect(final.output.map(({ id, type }) => [id, type])).toEqual(
        end.response.output.map(({ id, type }) => [id, type]),
      )
      const written = reply.choices[0]?.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
      expect([deltas.join(""), final.output_text]).toEqual([written, written])
    }
  })

  test("reads a whole response and its refusal as an exception", async () => {
    const reply: ChatReply = {
      id: "r",
      model: "m",
      created: 1,
      choices: [{ blocks: [{ type: "text", text: "Hi" }], stop: "stop" }],
    }
    const whole = await clientOver(dialect.writeReply(reply, {}), "application/json").responses.create(asked)
    expect([whole.output_text, whole.status]).toEqual(["Hi", "completed"])
    const error = new RtrError("invalid_request", "no input")
    const body = JSON.stringify(dialect.errorBody(error, "req-1"))
    const refused = clientOver(body, "application/json", 400).responses.create(asked)
    await expect(refused).rejects.toThrow(BadRequestError)
    await expect(refused).rejects.toMatchObject({ code: "invalid_request", type: "invalid_request_error" })
  })

  test("throws at an error event, and knows a response that failed", async () => {
    const broken =
      stream(...begun) + decoder.decode(dialect.errorEvent(new RtrError("upstream_timeout", "too slow"), "req-1"))
    const drain = async (text: string): Promise<readonly string[]> => {
      const types: string[] = []
      const events = await clientOver(text, dialect.streamType).responses.create({ ...asked, stream: true })
      for await (const { type } of events) types.push(type)
      return types
    }
    await expect(drain(broken)).rejects.toThrow("too slow")
    expect((await drain(failing)).at(-1)).toBe("response.failed")
  })
})
