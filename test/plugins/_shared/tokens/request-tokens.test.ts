import type { Block, ChatRequest, Turn } from "rtr"
import { chatRequest } from "rtr/testing"
import { expect, test } from "vitest"
import { countingTokens, requestTokens } from "../../../../ts/plugins/_shared/tokens/request-tokens.ts"
import { textTokens } from "../../../../ts/plugins/_shared/tokens/text-tokens.ts"

const request = (fields: Partial<ChatRequest> = {}, ...turns: readonly Turn[]): ChatRequest =>
  chatRequest(turns, fields)
const turn = (role: Turn["role"], ...blocks: readonly Block[]): Turn => ({ role, blocks })
const text = (characters: string): Block => ({ type: "text", text: characters })
const jsonTokens = (value: unknown): number => textTokens(JSON.stringify(value))

const image: Block = { type: "image", source: { kind: "url", url: "https://a.example/i.png" } }
const call = { type: "tool_call", id: "1", name: "weather", arguments: '{"city":"Graz"}' } as const
const callTokens = 8 + textTokens("weather") + textTokens('{"city":"Graz"}')
const grammar = { syntax: "regex", definition: "a+" }
const result = (...blocks: readonly Block[]): Block => ({ type: "tool_result", callId: "1", blocks })
const opaque = (given?: string): Block => ({
  type: "opaque",
  dialect: "x",
  value: {},
  ...(given !== undefined && { text: given }),
})

// "the" is 0.98 tokens, "the winter" 2.08.
test.each<readonly [what: string, given: ChatRequest, tokens: number]>([
  ["no turns", request(), 0],
  ["an empty turn", request({}, turn("user", text(""))), 4],
  ["a turn without blocks", request({}, turn("assistant")), 4],
  ["a text", request({}, turn("user", text("the winter"))), 4 + 3],
  ["all turns together", request({}, turn("user", text("the winter")), turn("assistant", text("the"))), 8 + 4],
  ["several texts", request({}, turn("user", text("the winter"), text("the winter"))), 4 + 5],
  ["text of another protocol's block", request({}, turn("user", opaque("the winter"))), 4 + 3],
  ["another protocol's block without text", request({}, turn("user", opaque())), 4],
  ["images", request({}, turn("user", image, image)), 4 + 2 * 1600],
  ["a file", request({}, turn("user", { type: "file", source: { kind: "id", id: "f" } })), 4 + 1600],
  ["audio", request({}, turn("user", { type: "audio", source: { kind: "base64", data: "" } })), 4 + 1600],
  ["no refusals", request({}, turn("assistant", { type: "refusal", text: "never" })), 4],
  ["no thoughts", request({}, turn("assistant", { type: "reasoning", text: "hm" })), 4],
  [
    "tools",
    request({ tools: [{ name: "f", description: "d", parameters: { type: "object" } }, { name: "g" }] }),
    jsonTokens({ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }) +
      jsonTokens({ type: "function", function: { name: "g" } }),
  ],
  [
    "other tools",
    request({
      tools: [
        { name: "c", form: "custom", grammar },
        { name: "web_search", form: "opaque", parameters: { type: "web_search", max: 1 } },
        { name: "bare", form: "opaque" },
      ],
    }),
    jsonTokens({ type: "custom", custom: { name: "c", format: { type: "grammar", grammar } } }) +
      jsonTokens({ type: "web_search", max: 1 }) +
      jsonTokens({ type: "bare" }),
  ],
  ["calls", request({}, turn("assistant", call, { ...call, form: "custom" })), 4 + 2 * callTokens],
  ["results", request({}, turn("tool", result(text("the winter")), result())), 4 + 2 * 8 + 2.08],
  ["an image that a tool gives", request({}, turn("tool", result(image))), 4 + 8 + 1600],
  ["no format", request({ output: { type: "text" } }), 0],
  ["JSON", request({ output: { type: "json" } }), jsonTokens({ type: "json_object" })],
  [
    "a schema",
    request({ output: { type: "json_schema", name: "s", schema: { a: 1 }, strict: true } }),
    jsonTokens({ type: "json_schema", json_schema: { name: "s", schema: { a: 1 }, strict: true } }),
  ],
  [
    "another format",
    request({ output: { type: "opaque", value: { type: "grammar" } } }),
    jsonTokens({ type: "grammar" }),
  ],
  ["no room for the answer", request({ generation: { maxOutputTokens: 100 } }), 0],
])("a prompt's tokens are those of %s", (_, given, tokens) => expect(requestTokens(given)).toBe(Math.ceil(tokens)))

test("many texts are counted in steps, and the later ones by their beginning and end", () => {
  const long = `${"word ".repeat(200)}${"12 ".repeat(3000)}${"word ".repeat(200)}`
  const given = request({}, ...Array.from({ length: 100 }, () => turn("user", text(long))))
  const steps = [...countingTokens(given)]
  expect(steps).toHaveLength(1)
  const first = textTokens(long)
  const later = textTokens(long, 1024)
  expect(later).toBeLessThan(0.9 * first)
  // 7 texts of 11,000 characters pass 65,536.
  expect(long).toHaveLength(11_000)
  expect(requestTokens(given)).toBe(Math.ceil(100 * 4 + 6 * first + 94 * later))
  expect(requestTokens(given, 1)).toBe(Math.ceil(100 * 4 + first + 99 * later))
})
