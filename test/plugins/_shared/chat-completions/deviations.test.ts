// What local servers send, as their documentation, their tests and reports of their users have it, whole and as a stream,
// and what clients of each API get of it by the vendors' own packages.

import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { describe, expect, test } from "vitest"
import { createFakeTransport, type FakeReply } from "../../../fakes/transport.ts"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"

interface Said {
  readonly text?: string
  readonly reasoning?: string
  /** Name and parsed arguments of each call. */
  readonly calls?: readonly (readonly [name: string, given: object])[]
  readonly stop?: "stop" | "length"
  /** Tokens in and out; left out where the server tells none. */
  readonly tokens?: readonly [number, number]
}

interface Server {
  readonly name: string
  readonly whole?: object
  /** The events as they stand on the wire. */
  readonly stream?: string
  readonly says: Said
}

const line = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
const done = "data: [DONE]\n\n"
const weather = ["weather", { city: "Paris" }] as const

const ollama = { id: "chatcmpl-693", object: "chat.completion.chunk", created: 1715427619, model: "mistral:latest" }
const ollamaChunk = (delta: object, reason: unknown): string =>
  line({ ...ollama, system_fingerprint: "fp_ollama", choices: [{ index: 0, delta, finish_reason: reason }] })
const ollamaCall = {
  id: "call_rmmdfnr8",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Paris"}' },
}
const vllm = { id: "chatcmpl-a0f2", object: "chat.completion.chunk", created: 1774305659, model: "gpt-oss-120b" }
const vllmChunk = (delta: object, reason: unknown = null): string =>
  line({ ...vllm, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason, token_ids: null }] })
const vllmCall = (id: string, city: string): string =>
  vllmChunk({ tool_calls: [{ id, type: "function", index: 0, function: { name: "weather", arguments: "" } }] }) +
  vllmChunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }) +
  vllmChunk({ tool_calls: [{ index: 0, function: { arguments: `"${city}"}` } }] })
const llama = { created: 1781492231, id: "chatcmpl-qC6l", model: "gemma.gguf", object: "chat.completion.chunk" }
const llamaChunk = (delta: object, reason: unknown = null): string =>
  line({ choices: [{ finish_reason: reason, index: 0, delta }], ...llama, timings: { prompt_n: 10, predicted_n: 78 } })
const sglang = { id: "b2946a2a", object: "chat.completion.chunk", created: 1740634121, model: "deepseek-r1:70b" }
const sglangChunk = (delta: object, reason: unknown): string =>
  line({
    ...sglang,
    choices: [
      {
        index: 0,
        delta: { role: null, content: null, reasoning_content: null, tool_calls: null, ...delta },
        logprobs: null,
        finish_reason: reason,
        matched_stop: null,
      },
    ],
    usage: null,
  })
const tgi = { id: "", object: "text_completion", created: 1710795499, model: "TinyLlama", system_fingerprint: "2.0.0" }
const tgiChunk = (delta: object, reason: unknown = null): string =>
  `data:${JSON.stringify({ ...tgi, choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] })}\n\n`
const tgiCall = (text: string, name: string | null = null, reason: unknown = null): string =>
  tgiChunk(
    {
      content: null,
      role: "assistant",
      tool_calls: { function: { arguments: text, name }, id: "", index: 0, type: "function" },
    },
    reason,
  )
const studio = { id: "chatcmpl-h9", object: "chat.completion.chunk", created: 1730000000, model: "qwen3-8b" }
const studioChunk = (delta: object, reason: unknown = null): string =>
  line({
    ...studio,
    system_fingerprint: "qwen3-8b",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  })
const whole = (message: object, changes: object = {}, more: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "", ...message }, finish_reason: "stop", ...changes }],
  ...more,
})

const servers: readonly Server[] = [
  {
    name: "Ollama 0.1, whose chunks end for no reason",
    whole: whole({ content: " Hello there" }, { finish_reason: "" }),
    stream:
      ollamaChunk({ role: "assistant", content: " Hello" }, "") +
      ollamaChunk({ role: "assistant", content: " there" }, "") +
      ollamaChunk({ role: "assistant", content: "" }, "stop") +
      done,
    says: { text: " Hello there" },
  },
  {
    name: "Ollama 0.4, whose calls have no index and end like a text",
    whole: whole({ tool_calls: [ollamaCall] }),
    stream:
      ollamaChunk({ role: "assistant", content: "", tool_calls: [ollamaCall] }, null) +
      ollamaChunk({ role: "assistant", content: "" }, "stop") +
      done,
    says: { calls: [weather] },
  },
  {
    name: "Ollama 0.4 with two calls in one chunk",
    stream:
      ollamaChunk({ tool_calls: [ollamaCall, { ...ollamaCall, id: "call_2" }] }, null) +
      ollamaChunk({ role: "assistant", content: "" }, "stop") +
      done,
    says: { calls: [weather, weather] },
  },
  {
    name: "Ollama 0.9, with reasoning and its usage in a chunk of its own",
    whole: whole({ content: "4", reasoning: "2+2" }, {}, { usage: { prompt_tokens: 9, completion_tokens: 3 } }),
    stream:
      ollamaChunk({ role: "assistant", content: "", reasoning: "2+" }, null) +
      ollamaChunk({ role: "assistant", content: "", reasoning: "2" }, null) +
      ollamaChunk({ role: "assistant", content: "4" }, null) +
      ollamaChunk({ role: "assistant", content: "" }, "stop") +
      line({ ...ollama, choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }) +
      done,
    says: { text: "4", reasoning: "2+2", tokens: [9, 3] },
  },
  {
    name: "vLLM 0.8, with reasoning_content and empty fields",
    whole: whole(
      { content: "4", reasoning_content: "2+2", refusal: null, annotations: null, audio: null, tool_calls: [] },
      { stop_reason: null, logprobs: null },
      { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_tokens_details: null } },
    ),
    stream:
      vllmChunk({ role: "assistant", content: "" }) +
      vllmChunk({ reasoning_content: "2+" }) +
      vllmChunk({ reasoning_content: "2" }) +
      vllmChunk({ content: "4" }) +
      vllmChunk({ content: "" }, "stop") +
      line({ ...vllm, choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }) +
      done,
    says: { text: "4", reasoning: "2+2", tokens: [9, 3] },
  },
  {
    name: "vLLM 0.12, with reasoning under both names and usage in each chunk",
    stream:
      line({
        ...vllm,
        choices: [
          { index: 0, delta: { role: "assistant", reasoning: "2+2", reasoning_content: "" }, finish_reason: null },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
      }) +
      line({
        ...vllm,
        choices: [{ index: 0, delta: { content: "4" }, finish_reason: "length" }],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      }) +
      done,
    says: { text: "4", reasoning: "2+2", stop: "length", tokens: [9, 3] },
  },
  {
    name: "vLLM, whose calls have their index last",
    stream:
      vllmChunk({ role: "assistant", content: "" }) +
      vllmCall("chatcmpl-tool-1", "Paris") +
      vllmChunk({ content: "" }, "tool_calls") +
      done,
    says: { calls: [weather] },
  },
  {
    name: "llama.cpp, with timings, its fields in another order and its usage in a chunk of its own",
    whole: whole(
      { content: "4", reasoning_content: "2+2" },
      {},
      { usage: { completion_tokens: 3, prompt_tokens: 9, total_tokens: 12 }, timings: { prompt_n: 9 } },
    ),
    stream:
      llamaChunk({ role: "assistant", content: null }) +
      llamaChunk({ reasoning_content: "2+" }) +
      llamaChunk({ reasoning_content: "2" }) +
      llamaChunk({ content: "4" }) +
      llamaChunk({}, "stop") +
      line({ choices: [], ...llama, usage: { completion_tokens: 3, prompt_tokens: 9, total_tokens: 12 } }) +
      done,
    says: { text: "4", reasoning: "2+2", tokens: [9, 3] },
  },
  {
    name: "SGLang 0.4, with no reason and a null for every field",
    whole: whole({ content: "4", reasoning_content: null, tool_calls: null }, { matched_stop: 151645 }),
    stream:
      sglangChunk({ role: "assistant", content: "" }, "") +
      sglangChunk({ content: "4" }, "") +
      line({
        ...sglang,
        choices: [{ index: 0, delta: { content: null }, finish_reason: "stop", matched_stop: 151645 }],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      }) +
      done,
    says: { text: "4" },
  },
  {
    name: "Text Generation Inference 2.0: one call without a list, no end mark, a reason of its own",
    whole: whole(
      {
        content: null,
        name: null,
        tool_calls: [
          { id: "0", type: "function", function: { description: null, name: "weather", arguments: { city: "Paris" } } },
        ],
      },
      { finish_reason: "eos_token", usage: null },
      { object: "text_completion", usage: { prompt_tokens: 316, completion_tokens: 29, total_tokens: 345 } },
    ),
    stream: tgiCall('{"city":', "weather") + tgiCall('"Paris"}') + tgiCall("", null, "eos_token"),
    says: { calls: [weather] },
  },
  {
    name: "Text Generation Inference 3, with a text and no end mark",
    stream: tgiChunk({ role: "assistant", content: "4" }) + tgiChunk({ role: "assistant", content: "" }, "stop"),
    says: { text: "4" },
  },
  {
    name: "a server that leaves out the last blank line as well",
    stream:
      tgiChunk({ role: "assistant", content: "4" }) +
      tgiChunk({ content: "" }, "stop") +
      `data: ${JSON.stringify({ ...tgi, choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } })}`,
    says: { text: "4", tokens: [9, 3] },
  },
  {
    name: "LM Studio, with reasoning and a call",
    whole: whole(
      { content: "", reasoning_content: "hm", tool_calls: [{ ...ollamaCall, id: "365174485" }] },
      { finish_reason: "tool_calls", logprobs: null },
      {
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
        stats: {},
        system_fingerprint: "qwen3-8b",
      },
    ),
    stream:
      studioChunk({ role: "assistant", reasoning_content: "hm" }) +
      studioChunk({
        tool_calls: [{ index: 0, id: "365174485", type: "function", function: { name: "weather", arguments: "" } }],
      }) +
      studioChunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Paris"}' } }] }) +
      studioChunk({}, "tool_calls") +
      done,
    says: { reasoning: "hm", calls: [weather] },
  },
  {
    name: "a server without any index, with deltas that are null or missing",
    whole: { choices: [{ message: { role: "assistant", content: "4" }, finish_reason: "stop" }] },
    stream:
      line({ choices: [{ delta: { role: "assistant" } }] }) +
      line({ choices: [{ delta: { content: "4" }, finish_reason: null }] }) +
      line({ choices: [{ delta: null, finish_reason: null }] }) +
      line({ usage: { prompt_tokens: 9, completion_tokens: 3 } }) +
      line({ choices: [{ finish_reason: "stop" }] }) +
      done,
    says: { text: "4" },
  },
  {
    name: "Moonshot, which counts in the last choice",
    stream:
      line({ ...vllm, choices: [{ index: 0, delta: { role: "assistant", content: "4" }, finish_reason: null }] }) +
      line({
        ...vllm,
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: "stop",
            usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
          },
        ],
      }) +
      done,
    says: { text: "4", tokens: [9, 3] },
  },
]

const events = (body: string): FakeReply => ({ headers: { "content-type": "text/event-stream" }, body })
const json = (body: object, status = 200): FakeReply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

/** What clients of each API make of the reply. */
async function askAll(reply: FakeReply, stream: boolean) {
  const { kernel, records } = await watchedKernel({ transport: createFakeTransport(() => reply) })
  const options = {
    apiKey: "k",
    maxRetries: 0,
    fetch: async (url: unknown, init?: RequestInit) => kernel.fetch(new Request(String(url), init)),
  }
  const openai = new OpenAI({ ...options, baseURL: "http://rtr.example/v1" })
  const anthropic = new Anthropic({ ...options, baseURL: "http://rtr.example" })
  const messages = [{ role: "user" as const, content: "hello" }]
  const completion = stream
    ? await openai.chat.completions.stream({ model: "small", messages }).finalChatCompletion()
    : await openai.chat.completions.create({ model: "small", messages })
  const message = stream
    ? await anthropic.messages.stream({ model: "small", max_tokens: 9, messages }).finalMessage()
    : await anthropic.messages.create({ model: "small", max_tokens: 9, messages })
  const response = stream
    ? await openai.responses.stream({ model: "small", input: "hello" }).finalResponse()
    : await openai.responses.create({ model: "small", input: "hello" })
  let reasoning = ""
  if (stream)
    for await (const chunk of await openai.chat.completions.create({ model: "small", messages, stream }))
      reasoning += reasoningIn(chunk.choices[0]?.delta)
  else reasoning = reasoningIn(completion.choices[0]?.message)
  return {
    records,
    clients: { chat: ofChat(completion, reasoning), messages: ofMessage(message), responses: ofResponse(response) },
  }
}

function reasoningIn(value: unknown): string {
  const { reasoning_content: longer, reasoning } = (value ?? {}) as { reasoning_content?: string; reasoning?: string }
  return longer || reasoning || ""
}

type Calls = readonly (readonly [string, unknown])[]
const said = (text: string, reasoning: string, calls: Calls, stop: string) => ({ text, reasoning, calls, stop })
const parse = (text: string): unknown => JSON.parse(text)

function ofChat({ choices: [choice], object }: OpenAI.ChatCompletion, reasoning: string) {
  expect(choice).toMatchObject({ index: 0, message: { role: "assistant" } })
  expect(typeof object).toBe("string")
  const calls = (choice?.message.tool_calls ?? []).map((call) =>
    call.type === "function"
      ? ([call.function.name, parse(call.function.arguments)] as const)
      : ([call.type, {}] as const),
  )
  return said(
    choice?.message.content ?? "",
    reasoning,
    calls,
    calls.length > 0 ? "calls" : String(choice?.finish_reason),
  )
}

function ofMessage({ content, stop_reason: stop }: Anthropic.Message) {
  const of = <Type extends Anthropic.ContentBlock["type"]>(type: Type) =>
    content.filter((block): block is Extract<Anthropic.ContentBlock, { type: Type }> => block.type === type)
  const calls = of("tool_use").map(({ name, input }) => [name, input] as const)
  const names: Readonly<Record<string, string>> = { end_turn: "stop", max_tokens: "length", tool_use: "calls" }
  const text = of("text").map((block) => block.text)
  return said(
    text.join(""),
    of("thinking")
      .map(({ thinking }) => thinking)
      .join(""),
    calls,
    names[String(stop)] ?? String(stop),
  )
}

function ofResponse({ output, output_text: text, status }: OpenAI.Responses.Response) {
  const calls = output.flatMap((item) =>
    item.type === "function_call" ? [[item.name, parse(item.arguments)] as const] : [],
  )
  const reasoning = output.flatMap((item) =>
    item.type === "reasoning" ? (item.content ?? []).map((part) => part.text) : [],
  )
  return said(text, reasoning.join(""), calls, status === "incomplete" ? "length" : calls.length > 0 ? "calls" : "stop")
}

describe("a reply of", () => {
  const rows = servers.flatMap(({ name, says, whole: body, stream }) => [
    ...(body === undefined ? [] : [[`${name}, whole`, json(body), says, false] as const]),
    ...(stream === undefined ? [] : [[`${name}, as a stream`, events(stream), says, true] as const]),
  ])
  test.each(rows)("%s", async (_, reply, { text = "", reasoning = "", calls = [], stop = "stop", tokens }, stream) => {
    const { clients, records } = await askAll(reply, stream)
    const expected = said(text, reasoning, calls, calls.length > 0 ? "calls" : stop)
    expect(clients).toEqual({ chat: expected, messages: expected, responses: expected })
    const counted = records.map(({ usage }) =>
      tokens === undefined ? usage?.cacheWriteTokens : [usage?.inputTokens, usage?.outputTokens],
    )
    expect(counted).toEqual(records.map(() => tokens))
  })
})

test("a stream that deviates nowhere goes on byte for byte; only what deviates is written anew", async () => {
  const ask = async (body: string): Promise<string> => {
    const { stream } = await watchedKernel({ transport: createFakeTransport(events(body)) })
    return (await stream("hello", { model: "small" })).text
  }
  const good =
    vllmChunk({ role: "assistant", content: "" }) + vllmCall("chatcmpl-tool-1", "Paris") + vllmChunk({}, "tool_calls")
  expect(await ask(good + done)).toBe(good + done)
  expect(await ask(good)).toBe(good + done)
  const bare = ollamaChunk({ tool_calls: [ollamaCall] }, null)
  const text = await ask(vllmChunk({ content: "a" }) + bare + vllmChunk({}, "stop") + done)
  expect(text.startsWith(vllmChunk({ content: "a" }))).toBe(true)
  expect(text.endsWith(vllmChunk({}, "stop") + done)).toBe(true)
  expect(text).not.toContain(bare)
})

test("calls that all begin at index 0 are kept apart for clients of other APIs", async () => {
  const stream =
    vllmCall("chatcmpl-tool-1", "Paris") + vllmCall("chatcmpl-tool-2", "Rome") + vllmChunk({}, "tool_calls") + done
  const { kernel } = await watchedKernel({ transport: createFakeTransport(events(stream)) })
  const anthropic = new Anthropic({
    apiKey: "k",
    baseURL: "http://rtr.example",
    fetch: async (url, init) => kernel.fetch(new Request(String(url), init)),
  })
  const messages = [{ role: "user" as const, content: "hello" }]
  const message = await anthropic.messages.stream({ model: "small", max_tokens: 9, messages }).finalMessage()
  expect(ofMessage(message).calls).toEqual([weather, ["weather", { city: "Rome" }]])
})

test("a stream that ends before its reply does is broken", async () => {
  for (const body of [
    vllmChunk({ content: "a" }),
    vllmChunk({ content: "a" }) + line({ ...vllm, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    `${vllmChunk({ content: "a" }) + vllmChunk({}, "stop")}data: {"id":"`,
  ]) {
    const { stream } = await watchedKernel({ transport: createFakeTransport(events(body)) })
    expect((await stream("hello", { model: "small" })).text).toContain("the stream ended before its end mark")
  }
})

describe("an error of", () => {
  const bodies: readonly (readonly [name: string, status: number, body: object, message: string])[] = [
    [
      "Text Generation Inference",
      422,
      { error: "Input validation error: too long", error_type: "validation" },
      "Input validation error: too long",
    ],
    ["LM Studio", 404, { error: "Model not loaded" }, "Model not loaded"],
    [
      "vLLM 0.8",
      400,
      { object: "error", message: "too long", type: "BadRequestError", param: null, code: 400 },
      "too long",
    ],
    ["SGLang", 400, { object: "error", message: "bad", type: "BadRequest", param: null, code: 400 }, "bad"],
    [
      "Ollama",
      404,
      { error: { message: 'model "x" not found', type: "api_error", param: null, code: null } },
      'model "x" not found',
    ],
    ["llama.cpp", 503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }, "Loading model"],
  ]
  test.each(bodies)("%s reaches clients of every API", async (_, status, body, message) => {
    const { kernel } = await watchedKernel({ transport: createFakeTransport(() => json(body, status)) })
    for (const [path, request] of [
      ["/v1/chat/completions", { messages: [{ role: "user", content: "a" }] }],
      ["/v1/messages", { max_tokens: 9, messages: [{ role: "user", content: "a" }] }],
      ["/v1/responses", { input: "a" }],
    ] as const) {
      const response = await kernel.fetch(
        new Request(`http://rtr.example${path}`, {
          method: "POST",
          body: JSON.stringify({ model: "small", ...request }),
        }),
      )
      expect([path, response.status, (await response.json()) as unknown]).toMatchObject([
        path,
        status,
        { error: { message } },
      ])
    }
  })

  test.each([
    [
      "Text Generation Inference",
      'event: error\ndata: {"error":"Request failed","error_type":"generation"}\n\n',
      "Request failed",
    ],
    [
      "vLLM 0.8",
      `${line({ object: "error", message: "engine died", type: "InternalServerError", code: 500 })}${done}`,
      "engine died",
    ],
    ["LM Studio", 'event: error\ndata: {"error":{"message":"The model has crashed"}}\n\n', "The model has crashed"],
  ])("%s in a stream ends it", async (_, error, message) => {
    const { stream, records } = await watchedKernel({
      transport: createFakeTransport(events(vllmChunk({ content: "a" }) + error)),
    })
    expect((await stream("hello", { model: "small" })).text).toContain(message)
    expect(records).toMatchObject([{ error: { code: "upstream_error" } }])
  })
})
