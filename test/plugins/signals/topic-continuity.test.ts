import type { Block, Fact, Turn } from "rtr"
import { chatRequest, signalContract, signalInput } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/topic-continuity.ts"

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [{ name: "topic" }, { name: "strict", include_assistant: false, thresholds: { change: 0 } }],
    invalidRules: [
      { name: "r", thresholds: { continuation: 1 } },
      { name: "r", thresholds: { change: 0.5 } },
      { name: "r", limits: { max_prior_turns: 32, max_turn_bytes: 65_536 } },
      { name: "r", limits: { max_input_bytes: 2048 } },
    ],
  }))
    test(name, run)
})

type Rule = Parameters<typeof signal.setup>[0][number]

const says = (role: "user" | "assistant", ...texts: readonly string[]): Turn => ({
  role,
  blocks: texts.map((text): Block => ({ type: "text", text })),
})
const calls = (id: string, name = "read_file"): Turn => ({
  role: "assistant",
  blocks: [{ type: "tool_call", id, name, arguments: "{}" }],
})
const answers = (callId: string, role: "tool" | "user" = "tool"): Turn => ({
  role,
  blocks: [{ type: "tool_result", callId, blocks: [{ type: "text", text: "unrelated" }] }],
})

async function factsOf(turns: readonly Turn[], rule: Omit<Rule, "name"> = {}): Promise<readonly Fact[]> {
  const reader = await signal.setup([{ name: "r", ...rule }], { settings: {} })
  return reader.read({ ...signalInput(""), request: chatRequest(turns) }, {})
}
/** `change 0.90`, by the one fact that matches. */
async function judge(turns: readonly Turn[], rule: Omit<Rule, "name"> = {}): Promise<string> {
  const matching = (await factsOf(turns, rule)).filter(({ state }) => state === "match")
  expect(matching).toHaveLength(1)
  const [{ rule: name, confidence } = { rule: "", confidence: 0 }] = matching
  return `${name.slice("r:".length)} ${confidence.toFixed(2)}`
}
/** Messages of the user and of the assistant in turn. */
const talk = (...texts: readonly string[]): readonly Turn[] =>
  texts.map((text, index) => says(index % 2 === 0 ? "user" : "assistant", text))
const parser = ["Why does the parser drop trailing commas?", "It uses a strict mode."] as const

test("each rule has three facts, one of which matches", async () => {
  expect(await factsOf(talk(...parser, "thanks"))).toEqual([
    { rule: "r:continuation", state: "match", confidence: 0.5, value: 0.5 },
    { rule: "r:change", state: "no_match", confidence: 0, value: 0 },
    { rule: "r:unknown", state: "no_match", confidence: 0, value: 0 },
  ])
})

describe("likeness, worked out by hand", () => {
  // The terms of the last message: loader, handles, commas, strings, today. Three of them were there before.
  const before = ["The loader handles commas", "Yes."]
  test.each<[string, readonly string[], Omit<Rule, "name">, string]>([
    ["3 of 5 words", [...before, "loader handles commas strings today"], {}, "continuation 0.69"],
    [
      "an exchange between: 0.6 × 0.85",
      [...before, "Bake bread", "Done.", "loader handles commas strings today"],
      {},
      "continuation 0.62",
    ],
    [
      "a lower bound",
      [...before, "loader handles commas strings today"],
      { thresholds: { continuation: 0.2 } },
      "continuation 0.75",
    ],
    [
      "between the bounds",
      [...before, "loader handles commas strings today"],
      { thresholds: { continuation: 0.7 } },
      "unknown 0.00",
    ],
    ["none of 5 words", [...before, "bake sourdough bread without yeast"], {}, "change 0.60"],
    [
      "1 of 20 words",
      [...before, "commas a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1 m1 n1 o1 p1 q1 r1 s1"],
      {},
      "change 0.41",
    ],
    ["none allowed", [...before, "bake sourdough bread without yeast"], { thresholds: { change: 0 } }, "change 0.60"],
    ["too few words", [...before, "bake bread"], {}, "unknown 0.00"],
    [
      "a name of a file",
      ["Fix auth.ts now", "Done.", "does auth.ts also log headers somewhere"],
      {},
      "continuation 0.74",
    ],
  ])("%s", async (_, texts, rule, expected) => expect(await judge(talk(...texts), rule)).toBe(expected))
})

describe("words that tell", () => {
  test.each<[string, string]>([
    ["thanks!", "continuation 0.50"],
    ["ok, got it", "continuation 0.50"],
    ["ok ok ok ok ok", "unknown 0.00"],
    ["Can you sort the list above by size?", "continuation 0.80"],
    ["Use a map instead", "continuation 0.80"],
    ["New topic: which trees grow well near the sea?", "change 0.90"],
    ["Thanks. Unrelated question: which trees grow near the sea?", "change 0.90"],
    ["Now which trees grow well in salty wind near the sea?", "unknown 0.00"],
    ["These trees are not unrelated to pears and plums and cherries", "unknown 0.00"],
    ['Call the menu "new topic" for pears and plums and cherries', "change 0.60"],
    ["Call the menu 'new topic' for pears and plums and cherries", "unknown 0.00"],
    ["Which trees grow near the sea, in sand and wind, or is that a new topic?", "unknown 0.00"],
    ["Different topic, but does your code handle tabs?", "unknown 0.00"],
    ["why?", "unknown 0.00"],
  ])("%s: %s", async (text, expected) => {
    expect(await judge(talk(...parser, text))).toBe(expected)
  })
})

describe("languages without spaces", () => {
  test.each([
    ["数据库索引应该怎么优化", "continuation"],
    ["今天天气很好适合去公园散步", "change"],
  ])("%s: %s", async (text, expected) => {
    expect(await judge(talk("我们讨论数据库索引优化方案", "可以先分析慢查询日志", text))).toMatch(expected)
  })
})

describe("the shape of the conversation", () => {
  test("results of tools that the model waits for go on", async () => {
    expect(await judge([says("user", "List files"), calls("1"), answers("1")])).toBe("continuation 1.00")
    expect(await judge([says("user", "List files"), calls("1"), answers("1", "user")])).toBe("continuation 1.00")
    expect(await judge([says("user", "List files"), calls("1"), answers("2")])).toBe("unknown 0.00")
  })

  test.each<[string, readonly Turn[]]>([
    ["a first message", talk("Hello there, which trees grow near the sea?")],
    ["no message", []],
    ["an answer at the end", talk(...parser, "Why is it so strict?", "It was written so.")],
    [
      "an image alone",
      [...talk(...parser), { role: "user", blocks: [{ type: "image", source: { kind: "id", id: "i" } }] }],
    ],
  ])("%s is unknown", async (_, turns) => expect(await judge(turns)).toBe("unknown 0.00"))

  test("names of tools that were called count, what they gave does not", async () => {
    const before = [says("user", "Which file is it"), calls("1", "read_config"), answers("1"), says("assistant", "b")]
    expect(await judge([...before, says("user", "does read_config follow symbolic links on disk")])).toBe(
      "continuation 0.62",
    )
  })

  test("answers count, unless the rule leaves them out", async () => {
    const turns = talk("Hello", "The loader handles commas", "loader handles commas strings today")
    expect(await judge(turns)).toBe("continuation 0.69")
    expect(await judge(turns, { include_assistant: false })).toBe("change 0.60")
  })
})

describe("limits", () => {
  const other = "bake sourdough bread without yeast"

  test("exchanges beyond them make a change unknown", async () => {
    const turns = talk("The loader", "Yes.", "It handles", "Yes.", other)
    expect(await judge(turns)).toBe("change 0.60")
    expect(await judge(turns, { limits: { max_prior_turns: 2 } })).toBe("change 0.60")
    expect(await judge(turns, { limits: { max_prior_turns: 1 } })).toBe("unknown 0.00")
  })

  test("a text that is cut keeps its beginning and its end, and makes a change unknown", async () => {
    const long = `loader ${"é".repeat(1000)} handles commas`
    const limits = { max_turn_bytes: 256 }
    expect(await judge(talk(long, "Yes.", other), { limits })).toBe("unknown 0.00")
    expect(await judge(talk(long, "Yes.", "loader handles commas strings today"), { limits })).toBe("continuation 0.69")
  })

  test("what is more than all may have is not read", async () => {
    const limits = { max_turn_bytes: 1024, max_input_bytes: 1024 }
    const turns = talk("loader handles commas", "y ".repeat(500), "loader handles commas strings today")
    expect(await judge(turns, { limits })).toBe("unknown 0.00")
  })
})

test.each([
  [{ max_prior_turns: 32 }, true],
  [{ max_prior_turns: 33 }, false],
  [{ max_prior_turns: 0 }, false],
  [{ max_turn_bytes: 255 }, false],
  [{ max_input_bytes: 1_048_577 }, false],
])("limits %j are valid: %s", (limits, valid) => expect(Value.Check(signal.rule, { limits })).toBe(valid))

test("more than eight rules are too many", () => {
  const reported: unknown[] = []
  const rules = Array.from({ length: 9 }, (_, index) => ({ name: `r${index}` }))
  signal.check?.(rules, (path, message) => reported.push([path, message]))
  expect(reported).toEqual([[[8], "is the ninth rule; at most 8 are read"]])
})
