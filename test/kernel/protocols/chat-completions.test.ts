import { describe, expect, test } from "vitest"
import {
  readChatReply,
  readChatRequest,
  readChatStream,
  toStreamReply,
  writeChatBatch,
  writeChatError,
} from "../../../ts/kernel/protocols/chat-completions.ts"
import type { ChatReply, ChunkBatch } from "../../../ts/kernel/types/chat.ts"
import { collect } from "../../fakes/batches.ts"

const decoder = new TextDecoder()
const encoder = new TextEncoder()
const user = { role: "user", content: "hello" }

/** The reason of a refusal. */
function refusalOf(body: unknown): string | undefined {
  try {
    readChatRequest(typeof body === "string" ? body : JSON.stringify(body))
    return undefined
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return code === "invalid_request" ? message.replace(/^Cannot read the chat request: /, "") : `${code}: ${message}`
  }
}

describe("a request", () => {
  test("is passed through as it is, unknown fields and all", () => {
    const body = {
      model: "MoM",
      messages: [
        { role: "system", content: "Be kind", name: "boss", x: 1 },
        {
          role: "user",
          content: [
            { type: "text", text: "look", x: { deep: [1] } },
            { type: "image_url", image_url: { url: "u" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "1", content: "" },
        { role: "assistant" },
        { role: "anything", content: [] },
      ],
      stream: true,
      temperature: 0.5,
      chat_template_kwargs: { enable_thinking: false },
      x_own: [null, { a: "b" }],
    }
    expect(readChatRequest(JSON.stringify(body))).toEqual(body)
  })

  test("keeps the order of its fields and the precision of its numbers", () => {
    const body = '{"x":1,"messages":[{"role":"user","content":"a"}],"model":"m","seed":9007199254740991,"p":0.1}'
    expect(JSON.stringify(readChatRequest(body))).toBe(body)
  })

  test.each([true, false, null])("may say stream: %s", (stream) => {
    expect(readChatRequest(JSON.stringify({ model: "m", messages: [user], stream })).stream).toBe(stream)
  })

  const message = (value: unknown) => ({ model: "m", messages: [user, value] })
  const part = (value: unknown) => message({ role: "user", content: [{ type: "text", text: "a" }, value] })

  test.each<[string, unknown, string]>([
    ["no JSON", "{", "the body is not valid JSON"],
    ["nothing", "", "the body is not valid JSON"],
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
  ])("with %s is refused", (_, body, reason) => expect(refusalOf(body)).toBe(reason))

  test("with a whole surrogate pair is fine", () =>
    expect(refusalOf(message({ role: "user", content: "👩" }))).toBeUndefined())

  test("that is broken is refused without a word of it", () => {
    for (const body of ['{"model": "my secret prompt', "my secret prompt", '{"messages": my secret prompt}'])
      expect(refusalOf(body)).toBe("the body is not valid JSON")
  })

  describe("with deep nesting", () => {
    const nested = (depth: number): string => {
      const lists = depth - 1
      return `{"model":"m","messages":[{"role":"user","content":"a"}],"x":${"[".repeat(lists)}${"]".repeat(lists)}}`
    }

    test("is fine up to 128 levels", () => expect(refusalOf(nested(128))).toBeUndefined())

    test("and so has the number of its values", () => {
      expect(refusalOf(`{"x":[${"{},".repeat(1_000_000)}0]}`)).toBe("the body has more than 1000000 values")
      expect(refusalOf(`{"x":[${"0,".repeat(1_000_000)}0]}`)).toBe("the body has more than 1000000 values")
      expect(
        refusalOf(`{"model":"m","messages":[{"role":"user","content":"hi"}],"x":"${"{},[".repeat(500_000)}"}`),
      ).toBe(undefined)
    })

    test("is refused past them", () => expect(refusalOf(nested(129))).toBe("the body is nested deeper than 128 levels"))

    test("without end is refused and not walked", () => {
      expect(refusalOf("[".repeat(5_000_000))).toBe("the body is nested deeper than 128 levels")
      expect(refusalOf('{"a":'.repeat(100_000))).toBe("the body is nested deeper than 128 levels")
    })

    test("counts no brackets in texts", () => {
      const content = `${"[{".repeat(500)}\\"[[[" \\\\`
      expect(refusalOf({ model: "m", messages: [{ role: "user", content }] })).toBeUndefined()
    })

    test("counts siblings once", () => {
      const x = Array.from({ length: 1000 }, () => [[[]]])
      expect(refusalOf({ model: "m", messages: [user], x })).toBeUndefined()
    })
  })
})

describe("a reply", () => {
  test("is any JSON object", () => expect(readChatReply('{"id":"1","x":[1]}')).toEqual({ id: "1", x: [1] }))

  test.each(["", "{", "[]", "5", "null", '"secret text"', "<html>secret</html>"])(
    "of %j is refused without its text",
    (body) => {
      expect(() => readChatReply(body)).toThrow(
        expect.objectContaining({ code: "upstream_error", message: "the reply is not a JSON object" }),
      )
    },
  )
})

describe("a stream", () => {
  async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield encoder.encode(text)
  }
  const read = (...texts: readonly string[]): Promise<readonly ChunkBatch[]> =>
    collect(readChatStream(pieces(...texts)))
  const textOf = ({ bytes }: ChunkBatch): string | undefined => bytes && decoder.decode(bytes)

  test("is read batch by batch until its end mark, with its bytes", async () => {
    const batches = await read('data: {"id":"1"}\n\n', 'data: {"id":"2"}\n\ndata: {"id":"3"}\n\n', "data: [DONE]\n\n")
    expect(batches.map((batch) => ({ ...batch, bytes: textOf(batch) }))).toEqual([
      { chunks: [{ id: "1" }], done: false, bytes: 'data: {"id":"1"}\n\n' },
      { chunks: [{ id: "2" }, { id: "3" }], done: false, bytes: 'data: {"id":"2"}\n\ndata: {"id":"3"}\n\n' },
      { chunks: [], done: true, bytes: "data: [DONE]\n\n" },
    ])
  })

  test("may have its end mark in the same read as chunks", async () => {
    expect(await read('data: {"id":"1"}\n\ndata: [DONE]\n\n')).toMatchObject([{ chunks: [{ id: "1" }], done: true }])
  })

  test("keeps comments in its bytes", async () => {
    const [batch] = await read(": ping\n\ndata: [DONE]\n\n")
    expect(batch && textOf(batch)).toBe(": ping\n\ndata: [DONE]\n\n")
  })

  test("is not read past its end mark", async () => {
    const batches = await read('data: {"id":"1"}\n\ndata: [DONE]\n\ndata: {"id":"2"}\n\n', "data: oops\n\n")
    expect(batches).toEqual([{ chunks: [{ id: "1" }], done: true }])
    expect(batches.map((batch) => decoder.decode(writeChatBatch(batch)))).toEqual([
      'data: {"id":"1"}\n\ndata: [DONE]\n\n',
    ])
  })

  test.each<[string, readonly string[], string]>([
    ["without an end mark", ['data: {"id":"1"}\n\n'], "the stream ended before its end mark"],
    ["of nothing", [], "the stream ended before its end mark"],
    ["whose end mark was cut", ["data: [DONE]\n"], "the stream ended before its end mark"],
    ["with data that is no JSON", ["data: secret\n\n"], "an event of the stream is not a JSON object"],
    ["with data that is a list", ["data: []\n\n"], "an event of the stream is not a JSON object"],
    ["with data that is null", ["data: null\n\n"], "an event of the stream is not a JSON object"],
  ])("%s fails", async (_, texts, message) => {
    await expect(read(...texts)).rejects.toMatchObject({ code: "upstream_error", message })
  })

  test("gives what came before it fails", async () => {
    const seen: unknown[] = []
    const reading = async (): Promise<void> => {
      for await (const { chunks } of readChatStream(pieces('data: {"id":"1"}\n\n', "data: oops\n\n")))
        seen.push(...chunks)
    }
    await expect(reading()).rejects.toThrow("not a JSON object")
    expect(seen).toEqual([{ id: "1" }])
  })
})

describe("writing", () => {
  test("a batch with bytes gives them back", () => {
    const bytes = encoder.encode(": exactly this\n\n")
    expect(writeChatBatch({ chunks: [{ id: "1" }], done: true, bytes })).toBe(bytes)
  })

  test.each<[ChunkBatch, string]>([
    [{ chunks: [{ id: "1" }, { id: "2\n" }], done: false }, 'data: {"id":"1"}\n\ndata: {"id":"2\\n"}\n\n'],
    [{ chunks: [{ id: "1" }], done: true }, 'data: {"id":"1"}\n\ndata: [DONE]\n\n'],
    [{ chunks: [], done: true }, "data: [DONE]\n\n"],
    [{ chunks: [], done: false }, ""],
  ])("%j is written as %j", (batch, text) => expect(decoder.decode(writeChatBatch(batch))).toBe(text))

  test("an error is one event", () => {
    expect(decoder.decode(writeChatError({ error: { message: "x" } }))).toBe('data: {"error":{"message":"x"}}\n\n')
  })
})

describe("a whole reply as a stream", () => {
  const chunkOf = async (reply: ChatReply): Promise<unknown> => {
    const { kind, status, batches } = toStreamReply(reply, 200)
    const [batch, ...more] = await collect(batches)
    expect({ kind, status, done: batch?.done, more, chunks: batch?.chunks.length, bytes: batch?.bytes }).toEqual({
      kind: "stream",
      status: 200,
      done: true,
      more: [],
      chunks: 1,
      bytes: undefined,
    })
    return batch?.chunks[0]
  }

  test("is one chunk with the message as its delta", async () => {
    const message = { role: "assistant", content: "hi", reasoning_content: "hm" }
    expect(
      await chunkOf({
        id: "1",
        object: "chat.completion",
        created: 5,
        model: "m",
        choices: [
          { index: 0, message, finish_reason: "stop", logprobs: null },
          { index: 1, message, finish_reason: "length" },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        x: 1,
      }),
    ).toEqual({
      id: "1",
      object: "chat.completion.chunk",
      created: 5,
      model: "m",
      choices: [
        { index: 0, delta: message, finish_reason: "stop", logprobs: null },
        { index: 1, delta: message, finish_reason: "length" },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
      x: 1,
    })
  })

  test("gives tool calls their position", async () => {
    const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })
    const message = { role: "assistant", content: null, tool_calls: [call("a"), call("b"), { index: 7, ...call("c") }] }
    expect(await chunkOf({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] })).toMatchObject({
      choices: [
        {
          delta: {
            role: "assistant",
            content: null,
            tool_calls: [
              { index: 0, ...call("a") },
              { index: 1, ...call("b") },
              { index: 7, ...call("c") },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    })
  })

  test.each([{}, { choices: null }, { choices: {} }])("of %j has no choices", async (reply) => {
    expect(await chunkOf(reply)).toEqual({ object: "chat.completion.chunk", choices: [] })
  })
})
