import type { ChatRequest, Fact } from "rtr"
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
describe("a prompt of 1000 tokens", () => {
  // "the" is 0.98 tokens, each further " winter" 1.1, and a turn 4: 4 + 0.98 + 904 * 1.1 = 999.38.
  const given = chatRequest([{ role: "user", blocks: [{ type: "text", text: `the${" winter".repeat(904)}` }] }])
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

  test.each<[Omit<Rule, "name">, ChatRequest["generation"], number]>([
    [{ min_tokens: 1500 }, { maxOutputTokens: 500 }, 1000],
    [{ min_tokens: 1500, include_output: false }, { maxOutputTokens: 500 }, 1000],
    [{ min_tokens: 1500, include_output: true }, { maxOutputTokens: 500 }, 1500],
    [{ min_tokens: 1500, include_output: true }, { maxOutputTokens: -5 }, 1000],
    [{ min_tokens: 1500, include_output: true }, {}, 1000],
  ])("and room for the answer, %j %j: %d", async (rule, generation, value) => {
    const state = value >= 1500 ? "match" : "no_match"
    expect(await read(rule, { ...given, generation })).toEqual({ rule: "rule", state, confidence: 1, value })
  })
})

test("a request of many parts is counted in slices", async () => {
  const block = { type: "text", text: "the winter" } as const
  const given = chatRequest(Array.from({ length: 200_000 }, () => ({ role: "user", blocks: [block] }) as const))
  expect((await read({ min_tokens: 0 }, given))?.value).toBe(200_000 * 4 + 416_000)
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
