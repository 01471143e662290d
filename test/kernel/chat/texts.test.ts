import { type Block, conversationTexts, lastUserText, textOf, type Turn } from "rtr"
import { chatRequest, textTurn } from "rtr/testing"
import { describe, expect, test } from "vitest"

const turn = (role: Turn["role"], ...blocks: readonly Block[]): Turn => ({ role, blocks })
const text = (words: string): Block => ({ type: "text", text: words })
const opaque = (words?: string): Block => ({
  type: "opaque",
  dialect: "x",
  value: {},
  ...(words !== undefined && { text: words }),
})
const image: Block = { type: "image", source: { kind: "url", url: "https://example.com/a.png" } }
const call = (given: string): Block => ({ type: "tool_call", id: "1", name: "f", arguments: given })
const result = (...blocks: readonly Block[]): Block => ({ type: "tool_result", callId: "1", blocks })

test("the text of a turn is that of its text blocks, and of opaque ones that have a text", () => {
  const cases: readonly (readonly [blocks: readonly Block[], text: string])[] = [
    [[], ""],
    [[text("hello")], "hello"],
    [[text("a"), text("b")], "a\nb"],
    [[image, text("b")], "b"],
    [[image], ""],
    [[opaque("a"), opaque(), text("b")], "a\nb"],
    [[opaque()], ""],
    [[text("a"), call("b"), { type: "refusal", text: "c" }, { type: "reasoning", text: "d" }, result(text("e"))], "a"],
  ]
  for (const [blocks, expected] of cases) expect([blocks, textOf({ blocks })]).toEqual([blocks, expected])
})

test("signals read the last user turn, wherever it stands", () => {
  const cases: readonly (readonly [turns: readonly Turn[], text: string])[] = [
    [[], ""],
    [[textTurn("system", "x")], ""],
    [[textTurn("user", "one"), textTurn("assistant", "x"), textTurn("user", "two")], "two"],
    [[textTurn("user", "one"), turn("tool", result(text("x")))], "one"],
    [[textTurn("user", "one"), textTurn("system", "x")], "one"],
    [
      [textTurn("user", "one"), textTurn("other", "x"), textTurn("assistant", "y"), textTurn("other", "z")],
      "one\nx\nz",
    ],
    [[textTurn("other", "x"), textTurn("user", "one")], "one"],
    [[textTurn("system", "x"), textTurn("other", "one")], "one"],
    [[textTurn("user", "one"), turn("user", image)], ""],
  ]
  for (const [turns, expected] of cases) expect([turns, lastUserText(chatRequest(turns))]).toEqual([turns, expected])
})

describe("the conversation", () => {
  const textsOf = (except: string, ...turns: readonly Turn[]): readonly string[] =>
    conversationTexts(chatRequest(turns), except)

  test("is every turn but the last of the user, in order and whatever its role", () => {
    const turns = [
      textTurn("system", "be kind"),
      textTurn("user", "first"),
      textTurn("assistant", "answer"),
      textTurn("other", "notes"),
      textTurn("user", "second"),
      turn("tool", result(text("result"))),
    ]
    expect(textsOf("second", ...turns)).toEqual(["be kind", "first", "answer", "notes", "result"])
  })

  test("has each text once, and the last user turn not again", () => {
    const turns = [
      textTurn("user", "again"),
      textTurn("assistant", "no"),
      textTurn("user", "other"),
      textTurn("assistant", "no"),
      textTurn("user", "again"),
    ]
    expect(textsOf("again", ...turns)).toEqual(["no", "other"])
    expect(textsOf("hello", textTurn("user", "hello"))).toEqual([])
  })

  test("joins text blocks and leaves turns without text out", () => {
    const turns = [
      turn("user", text("a"), image, text("b"), opaque("c")),
      turn("assistant"),
      turn("tool", result(text("  "))),
      textTurn("user", "now"),
    ]
    expect(textsOf("now", ...turns)).toEqual(["a\nb\nc"])
  })

  test("has what tools were given and what they gave, reasoning, refusals and transcripts", () => {
    const turns = [
      turn("assistant", text("wait"), call('{"to":"ann"}'), call("a\ud83d"), { type: "reasoning", text: "hm" }),
      turn("tool", result(text("one"), image, text("two"), { type: "refusal", text: "denied" })),
      turn("user", result(text("three")), text("and")),
      turn(
        "assistant",
        { type: "refusal", text: "never" },
        { type: "audio", source: { kind: "id", id: "a" }, transcript: "said" },
      ),
      textTurn("user", "now"),
    ]
    expect(textsOf("now", ...turns)).toEqual([
      "wait",
      '{"to":"ann"}',
      "a\ufffd",
      "hm",
      "one\ntwo",
      "denied",
      "and",
      "three",
      "never",
      "said",
    ])
  })

  test("has arguments with escaped letters as their tool reads them too", () => {
    const turns = [turn("assistant", call('{"to":"\\u0061nn"}'), call("\\u0061")), textTurn("user", "now")]
    expect(textsOf("now", ...turns)).toEqual(['{"to":"\\u0061nn"}', '{"to":"ann"}', "\\u0061"])
  })
})
