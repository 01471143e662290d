import { expect, test } from "vitest"
import { textOf, toSignalInput } from "../../../ts/kernel/pipeline/input.ts"
import type { ChatMessage } from "../../../ts/kernel/types/chat.ts"

const request = (...messages: readonly ChatMessage[]) => ({ model: "MoM", messages })

test.each<[string, readonly ChatMessage[], string]>([
  [
    "the last user message",
    [
      { role: "user", content: "one" },
      { role: "assistant", content: "x" },
      { role: "user", content: "two" },
    ],
    "two",
  ],
  [
    "the last user message before a tool's answer",
    [
      { role: "user", content: "one" },
      { role: "tool", content: "x" },
    ],
    "one",
  ],
  ["nothing without a user message", [{ role: "system", content: "x" }], ""],
  ["nothing without messages", [], ""],
  [
    "no system message",
    [
      { role: "user", content: "one" },
      { role: "system", content: "x" },
    ],
    "one",
  ],
])("the text is that of %s", (_, messages, text) => {
  const given = request(...messages)
  expect(toSignalInput(given)).toEqual({ text, request: given })
})

test.each<[string, ChatMessage["content"], string]>([
  ["plain text", "hello", "hello"],
  ["no content", undefined, ""],
  ["null", null, ""],
  ["an empty list", [], ""],
  [
    "text parts",
    [
      { type: "text", text: "a" },
      { type: "input_text", text: "b" },
    ],
    "a\nb",
  ],
  [
    "text among other parts",
    [
      { type: "image_url", image_url: {} },
      { type: "text", text: "b" },
    ],
    "b",
  ],
  [
    "parts of other types with a text",
    [
      { type: "output_text", text: "a" },
      { type: "x", text: 5 as never },
    ],
    "a",
  ],
  ["a text part without text", [{ type: "text" }], ""],
  ["a part that is null", [null as never, { type: "text", text: "b" }], "b"],
  ["another value", 5 as never, ""],
])("%s reads", (_, content, text) => expect(textOf({ role: "user", content })).toBe(text))
