import type { Block, ChatRequest, Fact, Turn } from "rtr"
import { chatRequest, signalContract, signalInput } from "rtr/testing"
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
  return (await reader.read({ ...signalInput(""), request }, {}))[0]
}
const request = (fields: Partial<ChatRequest> = {}, ...turns: readonly Turn[]): ChatRequest =>
  chatRequest(turns, fields)
const turn = (role: Turn["role"], ...blocks: readonly Block[]): Turn => ({ role, blocks })
const tokensOf = async (given: ChatRequest): Promise<number | undefined> =>
  (await read({ min_tokens: 0 }, given))?.value
const bytesOf = (value: unknown): number => JSON.stringify(value).length

describe("the estimate", () => {
  const text = (characters: string): Block => ({ type: "text", text: characters })
  const hundred = text("x".repeat(400))
  const image: Block = { type: "image", source: { kind: "url", url: "data:x" } }
  const call = { type: "tool_call", id: "1", name: "f", arguments: '{"a":1}' } as const
  const grammar = { syntax: "regex", definition: "a+" }
  const result = (...blocks: readonly Block[]): Block => ({ type: "tool_result", callId: "1", blocks })

  test("counts what each request of the chat-completions protocol is made of", async () => {
    const cases: readonly (readonly [what: string, given: ChatRequest, tokens: number])[] = [
      ["no turns", request(), 0],
      ["an empty turn", request({}, turn("user", text(""))), 4],
      ["a turn without blocks", request({}, turn("assistant")), 4],
      ["text: a quarter of its bytes", request({}, turn("user", hundred)), 104],
      ["text: rounded up", request({}, turn("user", text("abcde"))), 6],
      ["all turns together", request({}, turn("user", text("abc")), turn("assistant", text("d"))), 9],
      ["bytes, not characters", request({}, turn("user", text("漢".repeat(4)))), 7],
      ["surrogate pairs", request({}, turn("user", text("👩".repeat(4)))), 8],
      ["text in blocks", request({}, turn("user", hundred, hundred)), 204],
      ["text of another protocol's block", request({}, turn("user", opaque("x".repeat(400)))), 104],
      ["another protocol's block without text", request({}, turn("user", opaque())), 4],
      ["images", request({}, turn("user", image, image)), 4 + 2 * 8192],
      ["audio and files: nothing", request({}, turn("user", { type: "file", source: { kind: "id", id: "f" } })), 4],
      ["reasoning and refusals: nothing", request({}, turn("assistant", { type: "refusal", text: "never" })), 4],
      [
        "tools: their JSON and 8 each",
        request({ tools: [{ name: "f", description: "d", parameters: { type: "object" } }, { name: "g" }] }),
        2 * 8 +
          bytesOf([
            { type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } },
            { type: "function", function: { name: "g" } },
          ]),
      ],
      [
        "other tools",
        request({
          tools: [
            { name: "c", form: "custom", grammar },
            { name: "web_search", form: "opaque", parameters: { type: "web_search", max: 1 } },
          ],
        }),
        2 * 8 +
          bytesOf([
            { type: "custom", custom: { name: "c", format: { type: "grammar", grammar } } },
            { type: "web_search", max: 1 },
          ]),
      ],
      [
        "tool calls: their JSON and 8 each",
        request({}, turn("assistant", call, { ...call, form: "custom" })),
        4 +
          2 * 8 +
          bytesOf([
            { id: "1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
            { id: "1", type: "custom", custom: { name: "f", input: '{"a":1}' } },
          ]),
      ],
      ["a tool's answer: 8 more", request({}, turn("tool", result(text("abcd")))), 4 + 8 + 1],
      ["a tool's answer without a result", request({}, turn("tool")), 4 + 8],
      ["an image that a tool gives", request({}, turn("tool", result(image))), 4 + 8 + 8192],
      ["two results in one turn", request({}, turn("user", result(text("abcd")), result())), 4 + 2 * 8 + 1],
      ["an output format: its JSON", request({ output: { type: "text" } }), 15],
      ["JSON output", request({ output: { type: "json" } }), bytesOf({ type: "json_object" })],
      [
        "a schema",
        request({ output: { type: "json_schema", name: "s", schema: { a: 1 }, strict: true } }),
        bytesOf({ type: "json_schema", json_schema: { name: "s", schema: { a: 1 }, strict: true } }),
      ],
      ["another format", request({ output: { type: "opaque", value: { type: "grammar" } } }), 18],
      ["room for the answer", request({ generation: { maxOutputTokens: 100 } }), 100],
      ["no room for nonsense", request({ generation: { maxOutputTokens: -5 } }), 0],
    ]
    for (const [what, given, tokens] of cases) expect([what, await tokensOf(given)]).toEqual([what, tokens])
  })

  test("of a text longer than the buffer counts every byte", async () => {
    expect(await tokensOf(request({}, turn("user", text("é".repeat(100_000)))))).toBe(4 + 50_000)
    expect(await tokensOf(request({}, turn("user", text("漢a".repeat(50_000)))))).toBe(4 + 50_000)
  })
})

const opaque = (text?: string): Block => ({
  type: "opaque",
  dialect: "x",
  value: {},
  ...(text !== undefined && { text }),
})

describe("a band", () => {
  const given = request({ generation: { maxOutputTokens: 1000 } })

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
})
