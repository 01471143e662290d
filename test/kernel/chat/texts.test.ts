import { type Block, lastUserText, textOf, type Turn } from "rtr"
import { chatRequest, textTurn } from "rtr/testing"
import { expect, test } from "vitest"

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

test("signals read the last user turn that says something, wherever it stands", () => {
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
    // What shows nothing does not hide what was said before.
    [[textTurn("user", "one"), turn("user", image)], "one"],
    [[textTurn("user", "one"), textTurn("user", "")], "one"],
    [[textTurn("user", "one"), textTurn("user", " \n")], "one\n \n"],
    [[textTurn("user", "one"), textTurn("user", "\u200b\u3164")], "one\n\u200b\u3164"],
    [[textTurn("user", "one"), textTurn("other", "x"), textTurn("user", ""), textTurn("other", "y")], "one\nx\ny"],
    [[turn("user", image)], ""],
  ]
  for (const [turns, expected] of cases) expect([turns, lastUserText(chatRequest(turns))]).toEqual([turns, expected])
})

test("behind very many blanks nobody looks for more, and what stands before them is read too", () => {
  const blanks = "\u3164".repeat(200_000)
  const long = `${blanks}x`
  expect(lastUserText(chatRequest([textTurn("user", "one"), textTurn("user", long)]))).toBe(`one\n${long}`)
  const parts = Array.from({ length: 4 }, () => textTurn("user", blanks.slice(0, 50_000)))
  // The look ends in the second of them, so that the first, which says something, is not the last one that is read.
  const turns = [textTurn("user", "zero"), textTurn("user", "one"), ...parts]
  expect(lastUserText(chatRequest(turns)).startsWith("zero\none\n\u3164")).toBe(true)
})
