import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import route from "../../../ts/plugins/routes/completions.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel, post } from "../../fakes/kernel.ts"
import { expectDescribed } from "../../fakes/openapi.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const [operation] = route.operations
const dialects = new Map([["chat_completions", chatCompletions]])

/** A kernel whose backends answer with what this returns for a user message. */
async function kernelOver(
  answer: (text: string, body: Readonly<Record<string, unknown>>) => FakeReply,
  changes: Readonly<Record<string, unknown>> = {},
) {
  const transport = createFakeTransport(({ body = "{}" }) => {
    const parsed = JSON.parse(body) as { messages: readonly { content: string }[] }
    return answer(parsed.messages[0]?.content ?? "", parsed)
  })
  const records: string[] = []
  const kernel = await createFakeKernel({
    config: documentWith(changes),
    transport,
    onRecord: ({ endpoint, status, decision }) => records.push(`${endpoint} ${status} ${decision}`),
  })
  const ask = async (body: object) => {
    const response = await kernel.fetch(post("/v1/completions", body))
    const [status, headers, text] = [response.status, Object.fromEntries(response.headers), await response.text()]
    if (operation !== undefined) await expectDescribed({ status, headers, text }, operation, dialects)
    return { status, headers, text }
  }
  return { ask, records, sent: () => transport.requests.map(({ body }) => JSON.parse(body ?? "") as object) }
}

const message = { role: "assistant", content: "one" }

test("a prompt is routed as one user message and answered in the older shape", async () => {
  const { ask, records, sent } = await kernelOver(() => jsonReply(completion("fine")))
  const fields = { max_tokens: 9, temperature: 0.5, stop: ["x"], seed: 3, logit_bias: { "5": 1 }, vendor: { a: 1 } }
  const empty = { suffix: null, echo: false, best_of: 1, n: 1 }
  const { status, headers, text } = await ask({ model: "MoM", prompt: "this is urgent", ...fields, ...empty })
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      id: "chatcmpl-1",
      object: "text_completion",
      created: 1,
      model: "upstream-model",
      choices: [{ text: "fine", index: 0, logprobs: null, finish_reason: "stop" }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      routing_metadata: expect.objectContaining({ selected_model: "large", decision: "rush" }),
    },
  ])
  expect(headers).toMatchObject({ "content-type": "application/json", "x-selected-model": "large" })
  expect(sent()).toEqual([{ model: "large", ...fields, n: 1, messages: [{ role: "user", content: "this is urgent" }] }])
  expect(records).toEqual(["/v1/completions 200 rush"])
})

test("each text of a list is a call of its own, and its completions follow those of the one before", async () => {
  const { ask, records } = await kernelOver((text) => {
    const choices = [0, 1].map((index) => ({ index, message: { content: `${text}${index}` }, finish_reason: "length" }))
    return jsonReply({ ...completion(""), choices })
  })
  const { text } = await ask({ model: "small", prompt: ["a", "b"], n: 2 })
  expect(JSON.parse(text)).toMatchObject({
    choices: ["a0", "a1", "b0", "b1"].map((each, index) => ({ index, text: each, finish_reason: "length" })),
    usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
  })
  expect(records).toEqual(["/v1/completions 200 undefined", "/v1/completions 200 undefined"])
})

test("log probabilities have the older shape", async () => {
  const token = (name: string, top: readonly string[]) => ({
    token: name,
    logprob: -1,
    top_logprobs: top.map((each) => ({ token: each, logprob: -2 })),
  })
  const content = [token("He", ["Ho", "Hi"]), token("y", [])]
  const choices = [{ index: 0, message, finish_reason: "stop", logprobs: { content } }]
  const { ask, sent } = await kernelOver(() => jsonReply({ ...completion(""), choices }))
  const { text } = await ask({ model: "small", prompt: "a", logprobs: 2 })
  expect(sent()).toMatchObject([{ logprobs: true, top_logprobs: 2 }])
  expect((JSON.parse(text) as { choices: object[] }).choices).toMatchObject([
    {
      logprobs: {
        tokens: ["He", "y"],
        token_logprobs: [-1, -1],
        top_logprobs: [{ Ho: -2, Hi: -2 }, null],
        text_offset: [0, 2],
      },
    },
  ])
})

describe("a stream", () => {
  const chunk = (fields: object) => ({ id: "c1", object: "chat.completion.chunk", created: 4, model: "m", ...fields })
  const piece = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] })
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const streamOf = (text: string) =>
    streamReply([
      piece({ role: "assistant", content: "" }),
      piece({ reasoning_content: "hm" }),
      piece({ content: text }),
      piece({}, "stop"),
      chunk({ choices: [], usage }),
    ])
  const eventsIn = (text: string): readonly unknown[] =>
    text
      .split("\n\n")
      .slice(0, -1)
      .map((event) => event.replace("data: ", ""))
      .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as unknown)))
  const head = { id: "c1", object: "text_completion", created: 4, model: "m" }
  const written = (index: number, text: string, reason: string | null = null) => ({
    ...head,
    choices: [{ text, index, logprobs: null, finish_reason: reason }],
  })

  test("has pieces of text, and counts tokens for a client that asked", async () => {
    const { ask } = await kernelOver(streamOf)
    const body = { model: "small", prompt: "a", stream: true }
    const plain = await ask(body)
    expect([plain.status, plain.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"])
    expect(eventsIn(plain.text)).toEqual([written(0, "a"), written(0, "", "stop"), "[DONE]"])
    const counted = await ask({ ...body, stream_options: { include_usage: true } })
    expect(eventsIn(counted.text).at(-2)).toEqual({ ...head, choices: [], usage })
  })

  test("of several prompts has one after the other, and the tokens of all", async () => {
    const { ask, records } = await kernelOver(streamOf)
    const { text } = await ask({
      model: "small",
      prompt: ["a", "b"],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(eventsIn(text)).toEqual([
      written(0, "a"),
      written(0, "", "stop"),
      written(1, "b"),
      written(1, "", "stop"),
      {
        ...head,
        choices: [],
        usage: expect.objectContaining({ prompt_tokens: 6, completion_tokens: 4, total_tokens: 10 }),
      },
      "[DONE]",
    ])
    expect(records).toHaveLength(2)
  })

  test("ends with an error where a later prompt fails", async () => {
    const { ask } = await kernelOver((text) =>
      text === "a" ? streamOf(text) : jsonReply({ error: { message: "no room" } }, { status: 429 }),
    )
    const { text } = await ask({ model: "small", prompt: ["a", "b"], stream: true })
    expect(eventsIn(text).at(-1)).toMatchObject({ error: { code: "upstream_error", message: "no room" } })
  })

  test("that its client leaves is cancelled, and no further call begins", async () => {
    let more = 0
    const endless = createFakeTransport(() => ({
      headers: { "content-type": "text/event-stream" },
      pull: async () => `data: ${JSON.stringify(piece({ content: String((more += 1)) }))}\n\n`,
    }))
    const kernel = await createFakeKernel({ transport: endless })
    const response = await kernel.fetch(post("/v1/completions", { model: "small", prompt: ["a", "b"], stream: true }))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect([endless.requests.length, endless.cancelled.count]).toEqual([1, 1])
  })
})

test("what a chat model cannot do is refused by name, and nothing is sent", async () => {
  const { ask, sent } = await kernelOver(() => jsonReply(completion("hi")))
  const cases: readonly (readonly [changes: object, said: string])[] = [
    [{ echo: true }, '"echo" is not supported'],
    [{ suffix: "end" }, '"suffix" is not supported'],
    [{ best_of: 3 }, '"best_of" is not supported'],
    [{ best_of: 3, n: 2 }, '"best_of" is not supported'],
    [{ tools: [] }, '"tools" does not belong to completions; use /v1/chat/completions'],
    [{ messages: [] }, '"messages" does not belong'],
    [{ prompt: undefined }, "body.prompt is missing"],
    [{ prompt: [] }, "body.prompt must not have fewer than 1 items"],
    [{ prompt: [1, 2] }, "body.prompt[0] must be a string, got a number"],
    [{ prompt: [[1]] }, "body.prompt[0] must be a string"],
    [{ prompt: Array.from({ length: 21 }, () => "a") }, "body.prompt must not have more than 20 items"],
    [{ prompt: "a\0" }, "holds a NUL character"],
    [{ logprobs: true }, "body.logprobs must be a whole number"],
    [{ model: undefined }, "body.model is missing"],
  ]
  for (const [changes, said] of cases) {
    const { status, text } = await ask({ model: "small", prompt: "a", ...changes })
    expect([status, text], JSON.stringify(changes)).toEqual([
      400,
      expect.stringContaining(JSON.stringify(said).slice(1, -1)),
    ])
  }
  expect(sent()).toEqual([])
})

test("an error of the backend, and one of any prompt, is the error of the request", async () => {
  const { ask } = await kernelOver((text) =>
    text === "b"
      ? jsonReply({ error: { message: "slow down", type: "rate", code: null } }, { status: 429 })
      : jsonReply(completion("hi")),
  )
  const { status, text } = await ask({ model: "small", prompt: ["a", "b"] })
  expect([status, JSON.parse(text)]).toMatchObject([429, { error: { message: "slow down" } }])
})

test("grants hold as for chat requests", async () => {
  const { ask, sent } = await kernelOver(() => jsonReply(completion("hi")), { "listeners.0.models": ["large"] })
  expect(await ask({ model: "small", prompt: "a" })).toMatchObject({ status: 403 })
  expect(sent()).toEqual([])
})
