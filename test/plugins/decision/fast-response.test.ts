import type { ChatReply } from "rtr"
import { pluginCall, pluginContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/fast-response.ts"
import dialect from "../../../ts/plugins/dialects/chat-completions.ts"

describe("contract", () => {
  for (const { name, run } of pluginContract(plugin, { options: { message: "I cannot help with that." } }))
    test(name, run)
})

async function answer(message: string): Promise<ChatReply> {
  const call = pluginCall()
  const result = await (await plugin.setup({ message }, { decision: "test" })).open(call).before(call)
  return (result as { answer: ChatReply }).answer
}

test("the answer is a chat completion that used nothing", async () => {
  const before = Math.floor(Date.now() / 1000)
  const reply = await answer("No, thank you.\n")
  expect(JSON.parse(dialect.writeReply(reply, {}))).toEqual({
    id: expect.stringMatching(/^chatcmpl-fast-./),
    object: "chat.completion",
    created: expect.any(Number),
    model: "router",
    choices: [{ index: 0, message: { role: "assistant", content: "No, thank you.\n" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  })
  expect(reply.created).toBeGreaterThanOrEqual(before)
})

test("each answer has an id of its own", async () => {
  expect((await answer("a")).id).not.toBe((await answer("a")).id)
})

test("it runs before the plugins that prepare a model call, and needs no model", () =>
  expect([plugin.order, plugin.answers]).toEqual([0, true]))

test.each([
  [{ message: "x" }, true],
  [{ message: " x " }, true],
  [{ message: "" }, false],
  [{ message: " \n" }, false],
  [{}, false],
  [{ message: 5 }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(plugin.options, options)).toBe(valid))
