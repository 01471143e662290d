import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/events.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

const payment: Rule = {
  name: "payment",
  event_types: ["payment_failed", "transaction_declined"],
  severities: ["critical", "high"],
  action_codes: ["TXN_DECLINE"],
  temporal: true,
}
const read = async (text: string, given: Rule = payment): Promise<Fact | undefined> =>
  (await (await readerOf(signal as never, { rules: [given] as never }))(text))[0]

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [payment, { name: "soon", temporal: true }],
    invalidRules: [{ name: "nothing" }, { name: "odd", severities: ["terrible"] }],
  }))
    test(name, run)
})

test.each([
  ["order 12: payment_failed", 0.5 + 0.5 / 4],
  ["PAYMENT_FAILED and transaction_declined", 0.5 + 0.5 / 4],
  ["critical: payment_failed", 0.5 + 1 / 4],
  ["critical: payment_failed, code txn_decline", 0.5 + 1.5 / 4],
  ["critical: payment_failed, code TXN_DECLINE, answer asap", 1],
  ["we are in a critical window", 0.5 + 1 / 4],
])("%j meets one list of the rule for each word of it that it has: %d", async (text, confidence) => {
  expect(await read(text)).toEqual({ rule: "payment", state: "match", confidence })
})

test.each(["", "the payment went through", "highly unusual", "payment_failed_twice", "I know nowhere"])(
  "%j has no whole word of any list",
  async (text) => expect(await read(text)).toEqual({ rule: "payment", state: "no_match", confidence: 0 }),
)

test("severities are the four that there are; others have no effect", async () => {
  expect((await read("a terrible day", { name: "odd", severities: ["terrible", "LOW"] }))?.state).toBe("no_match")
  expect((await read("a low one", { name: "odd", severities: ["terrible", "LOW"] }))?.confidence).toBe(1)
  const reported: unknown[] = []
  signal.check?.(
    [
      { name: "odd", severities: ["terrible", "LOW"] },
      { name: "none", temporal: false },
    ],
    (path, _, how) => reported.push([...path, how]),
  )
  expect(reported).toEqual([
    [0, "severities", 0, "warning"],
    [1, "warning"],
  ])
})

test("a part of a very long text without a hit leaves the question open", async () => {
  expect(await read("x ".repeat(140_000))).toEqual({
    rule: "payment",
    state: "unknown",
    confidence: 0,
    reason: "input_limit",
  })
})

test.each([
  [{ event_types: ["a"], temporal: false }, true],
  [{ event_types: [""] }, false],
  [{ severities: "high" }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
