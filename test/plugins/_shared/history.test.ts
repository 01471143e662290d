import type { ChatMessage } from "rtr"
import { expect, test } from "vitest"
import { historyTexts } from "../../../ts/plugins/_shared/history.ts"

const historyOf = (text: string, messages: readonly ChatMessage[]): readonly string[] =>
  historyTexts({ text, request: { model: "MoM", messages } })

test("every message but the last of the user is read, in order and whatever its role", () => {
  const messages = [
    { role: "system", content: "be kind" },
    { role: "user", content: "first" },
    { role: "assistant", content: "answer" },
    { role: "user", content: "second" },
    { role: "tool", content: "result" },
  ]
  expect(historyOf("second", messages)).toEqual(["be kind", "first", "answer", "result"])
})

test("a text is read once, and the last user message not again", () => {
  const messages = [
    { role: "user", content: "again" },
    { role: "assistant", content: "no" },
    { role: "user", content: "other" },
    { role: "assistant", content: "no" },
    { role: "user", content: "again" },
  ]
  expect(historyOf("again", messages)).toEqual(["no", "other"])
})

test("text parts are joined, and messages without text are left out", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "a" }, { type: "image_url" }, { type: "text", text: "b" }] },
    { role: "assistant", content: null, tool_calls: [] },
    { role: "tool", content: "  " },
    { role: "user", content: "now" },
  ]
  expect(historyOf("now", messages)).toEqual(["a\nb"])
})

test("what an assistant gave to tools is read", () => {
  const call = (given: unknown): object => ({ id: "1", type: "function", function: { name: "f", arguments: given } })
  const messages = [
    {
      role: "assistant",
      content: "wait",
      tool_calls: [call('{"to":"ann"}'), call("a\ud83d"), call(5), call(null), null, {}],
    },
    { role: "assistant", content: null, tool_calls: "none" },
    { role: "user", content: "now" },
  ]
  expect(historyOf("now", messages)).toEqual(["wait", '{"to":"ann"}', "a\ufffd", "5"])
})

test("arguments with escaped letters are read as their tool reads them too", () => {
  const call = { function: { arguments: '{"to":"\\u0061nn"}' } }
  const messages = [
    { role: "assistant", content: null, tool_calls: [call, { function: { arguments: "\\u0061" } }] },
    { role: "user", content: "now" },
  ]
  expect(historyOf("now", messages)).toEqual(['{"to":"\\u0061nn"}', '{"to":"ann"}', "\\u0061"])
})

test("arguments in other forms and refusals are read too", () => {
  const messages = [
    { role: "assistant", content: null, function_call: { name: "f", arguments: "older" } },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ custom: { input: "custom" } }, { function: { arguments: { to: "ann" } } }],
    },
    { role: "assistant", content: [{ type: "refusal", refusal: "never" }], refusal: "no" },
    { role: "user", content: "now" },
  ]
  expect(historyOf("now", messages)).toEqual(["older", "custom", '{"to":"ann"}', "no", "never"])
})

test("one message has no history", () => expect(historyOf("hello", [{ role: "user", content: "hello" }])).toEqual([]))
