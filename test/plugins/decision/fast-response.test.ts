import type { ChatChunk, ChatRequest, JsonReply, StreamReply } from "rtr"
import { pluginCall, pluginContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/fast-response.ts"
import { collect } from "../../fakes/batches.ts"

describe("contract", () => {
  for (const { name, run } of pluginContract(plugin, { options: { message: "I cannot help with that." } }))
    test(name, run)
})

async function answer(message: string, request: Partial<ChatRequest> = {}) {
  const hooks = await plugin.setup({ message })
  const result = await hooks.before?.(pluginCall({ model: "MoM", messages: [], ...request }))
  return (result as { answer: JsonReply | StreamReply }).answer
}

const chunksOf = async (message: string): Promise<readonly ChatChunk[]> => {
  const batches = await collect(((await answer(message, { stream: true })) as StreamReply).batches)
  expect(batches.map(({ done }) => done)).toEqual([true])
  return batches.flatMap(({ chunks }) => chunks)
}

test("a whole answer is a chat completion that used nothing", async () => {
  const before = Math.floor(Date.now() / 1000)
  const reply = await answer("No, thank you.\n")
  expect(reply).toEqual({
    kind: "json",
    status: 200,
    body: {
      id: expect.stringMatching(/^chatcmpl-fast-./),
      object: "chat.completion",
      created: expect.any(Number),
      model: "router",
      choices: [{ index: 0, message: { role: "assistant", content: "No, thank you.\n" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    },
  })
  expect((reply as JsonReply).body["created"]).toBeGreaterThanOrEqual(before)
})

test("each answer has an id of its own", async () => {
  const ids = await Promise.all(
    [answer("a"), answer("a")].map(async (reply) => ((await reply) as JsonReply).body["id"]),
  )
  expect(new Set(ids).size).toBe(2)
})

test("a streamed answer comes word by word and ends with its usage", async () => {
  const chunks = await chunksOf("No, thank you.")
  const [first] = chunks
  const head = {
    id: first?.["id"],
    created: first?.["created"],
    model: "router",
    object: "chat.completion.chunk",
  }
  const chunk = (delta: object, reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: reason }],
  })
  expect(chunks).toEqual([
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "No, " }),
    chunk({ content: "thank " }),
    chunk({ content: "you." }),
    { ...chunk({}, "stop"), usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
  ])
})

test.each(["word", " leading and trailing ", "a\n\nb\tc", "漢字かな", "👩‍👩‍👧 x", "  "])(
  "a streamed answer of %j adds up to it",
  async (message) => {
    const contents = (await chunksOf(message)).map(
      (chunk) => (chunk["choices"] as [{ delta: { content?: string } }])[0].delta.content ?? "",
    )
    expect(contents.join("")).toBe(message)
  },
)

test.each([false, undefined, null])("stream: %s means a whole answer", async (stream) => {
  expect(await answer("x", { stream: stream as boolean })).toMatchObject({ kind: "json" })
})

test("it runs before the plugins that prepare a model call", () => expect(plugin.order).toBe(0))

test.each([
  [{ message: "x" }, true],
  [{ message: " x " }, true],
  [{ message: "" }, false],
  [{ message: " \n" }, false],
  [{}, false],
  [{ message: 5 }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(plugin.options, options)).toBe(valid))
