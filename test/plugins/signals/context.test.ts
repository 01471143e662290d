import type { ChatMessage, ChatRequest, Fact } from "rtr"
import { signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/context.ts"

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [
      { name: "short", max_tokens: "1K" },
      { name: "long", min_tokens: 8000 },
      { name: "band", min_tokens: "0.5K", max_tokens: 2000 },
    ],
    invalidRules: [{ name: "nothing" }, { name: "empty", min_tokens: "2K", max_tokens: "1K" }],
  }))
    test(name, run)
})

type Rule = Parameters<typeof signal.setup>[0][number]
const read = async (rule: Omit<Rule, "name">, request: ChatRequest): Promise<Fact | undefined> => {
  const reader = await signal.setup([{ name: "rule", ...rule }], { settings: {} })
  return (await reader.read({ text: "", request }, {}))[0]
}
const request = (fields: object = {}, ...messages: readonly ChatMessage[]): ChatRequest => ({
  model: "m",
  messages,
  ...fields,
})
const tokensOf = async (given: ChatRequest): Promise<number | undefined> =>
  (await read({ min_tokens: 0 }, given))?.value

describe("the estimate", () => {
  const ascii = "x".repeat(400)

  test.each<[string, ChatRequest, number]>([
    ["no messages", request(), 0],
    ["an empty message", request({}, { role: "user", content: "" }), 4],
    ["a message without content", request({}, { role: "assistant" }), 4],
    ["text: a quarter of its bytes", request({}, { role: "user", content: ascii }), 104],
    ["text: rounded up", request({}, { role: "user", content: "abcde" }), 6],
    ["all messages together", request({}, { role: "user", content: "abc" }, { role: "assistant", content: "d" }), 9],
    ["bytes, not characters", request({}, { role: "user", content: "漢".repeat(4) }), 7],
    ["surrogate pairs", request({}, { role: "user", content: "👩".repeat(4) }), 8],
    [
      "text in parts",
      request(
        {},
        {
          role: "user",
          content: [
            { type: "text", text: ascii },
            { type: "text", text: ascii },
          ],
        },
      ),
      204,
    ],
    [
      "images",
      request(
        {},
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:x" } }, { type: "image_url" }] },
      ),
      4 + 2 * 8192,
    ],
    ["tools: their JSON and 8 each", request({ tools: [{ a: 1 }, {}] }), 12 + 2 * 8],
    ["tool calls: their JSON and 8 each", request({}, { role: "assistant", tool_calls: [{ id: "1" }] }), 4 + 8 + 12],
    ["a tool's answer: 8 more", request({}, { role: "tool", content: "abcd" }), 4 + 8 + 1],
    ["a response format: its JSON", request({ response_format: { type: "text" } }), 15],
    ["room for the answer", request({ max_tokens: 100 }), 100],
    ["the newer name of it first", request({ max_tokens: 100, max_completion_tokens: 50 }), 50],
    ["no room for nonsense", request({ max_tokens: -5 }), 0],
    ["no room for text", request({ max_tokens: "100" }), 0],
    ["tools that are no list", request({ tools: {} }), 0],
  ])("of %s", async (_, given, tokens) => expect(await tokensOf(given)).toBe(tokens))

  test("of a text longer than the buffer counts every byte", async () => {
    expect(await tokensOf(request({}, { role: "user", content: "é".repeat(100_000) }))).toBe(4 + 50_000)
    expect(await tokensOf(request({}, { role: "user", content: "漢a".repeat(50_000) }))).toBe(4 + 50_000)
  })
})

describe("a band", () => {
  const given = request({ max_tokens: 1000 })

  test.each<[Omit<Rule, "name">, "match" | "no_match"]>([
    [{ min_tokens: 1000 }, "match"],
    [{ min_tokens: 1001 }, "no_match"],
    [{ max_tokens: 1000 }, "match"],
    [{ max_tokens: 999 }, "no_match"],
    [{ min_tokens: "1K" }, "match"],
    [{ min_tokens: "1k" }, "match"],
    [{ min_tokens: "1000" }, "match"],
    [{ min_tokens: "1.001K" }, "no_match"],
    [{ max_tokens: "0.001M" }, "match"],
    [{ max_tokens: "0.0009m" }, "no_match"],
    [{ min_tokens: 0, max_tokens: "1M" }, "match"],
    [{ min_tokens: 500, max_tokens: 900 }, "no_match"],
  ])("%j: %s", async (rule, state) => {
    expect(await read(rule, given)).toEqual({ rule: "rule", state, confidence: 1, value: 1000 })
  })
})

describe("rules", () => {
  const problems = (rule: object): unknown => {
    const reported: unknown[] = []
    signal.check?.(
      [
        { name: "ok", min_tokens: 1 },
        { name: "rule", ...rule },
      ],
      (path, message) => reported.push([path, message]),
    )
    return reported
  }

  test.each<[object, unknown]>([
    [{ min_tokens: 1, max_tokens: 1 }, []],
    [{ max_tokens: 0 }, []],
    [{}, [[[1], "must have min_tokens or max_tokens"]]],
    [
      { min_tokens: "2K", max_tokens: 1999 },
      [[[1, "max_tokens"], "is smaller than min_tokens, so the rule can never match"]],
    ],
  ])("%j: %j", (rule, reported) => expect(problems(rule)).toEqual(reported))

  test.each([
    ["8K", true],
    ["0.5m", true],
    [0, true],
    [1.5, true],
    ["lots", false],
    ["8KB", false],
    ["-1", false],
    [-1, false],
    ["", false],
    [true, false],
  ])("size %j is valid: %s", (size, valid) => expect(Value.Check(signal.rule, { min_tokens: size })).toBe(valid))
})
