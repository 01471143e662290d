import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/fact-check.ts"

const labels = ["no_fact_check", "fact_check"]
const rules = [{ name: "needs_fact_check" }, { name: "no_fact_check_needed" }]

async function read(needed: number, settings = {}, text = "Who won in 1998?"): Promise<readonly Fact[]> {
  const inference = { labels, classify: () => [1 - needed, needed] }
  return (await readerOf(signal as never, { rules, settings, inference }))(text)
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    invalidRules: [{ name: "fact_check" }, { name: "NEEDS_FACT_CHECK" }],
    inference: { labels },
  }))
    test(name, run)
})

test("a verdict counts fully, with the probability as value", async () => {
  expect(await read(0.75)).toEqual([
    { rule: "needs_fact_check", state: "match", confidence: 1, value: 0.75 },
    { rule: "no_fact_check_needed", state: "no_match", confidence: 0, value: 0.25 },
  ])
})

test("below the threshold the verdict is that none is needed", async () => {
  expect(await matching(0.75, { threshold: 0.75 })).toEqual(["needs_fact_check"])
  expect(await matching(0.74, { threshold: 0.75 })).toEqual(["no_fact_check_needed"])
})

test("the likelier label decides, whatever the threshold", async () => {
  expect(await matching(0.4, { threshold: 0.1 })).toEqual(["no_fact_check_needed"])
})

test("the threshold is 0.6 when left out and 0.7 for 0", async () => {
  expect([await matching(0.61), await matching(0.59)]).toEqual([["needs_fact_check"], ["no_fact_check_needed"]])
  expect([await matching(0.71, { threshold: 0 }), await matching(0.69, { threshold: 0 })]).toEqual([
    ["needs_fact_check"],
    ["no_fact_check_needed"],
  ])
})

test.each(["", " \n"])("nothing to read (%j) matches nothing", async (text) => {
  expect(await matching(0.9, {}, text)).toEqual([])
})

test("a model made for something else has no answer", async () => {
  const inference = { labels: ["yes", "no"], classify: () => [0.9, 0.1] }
  const reader = await readerOf(signal as never, { rules, inference })
  await expect(reader("text")).rejects.toMatchObject({ code: "invalid_model_output" })
})

test.each([
  [{}, true],
  [{ threshold: 1 }, true],
  [{ threshold: -0.1 }, false],
  [{ threshold: 1.1 }, false],
  [{ model_ref: "x" }, false],
])("options of all: %j are valid: %s", (options, valid) =>
  expect(Value.Check(signal.settings?.schema as never, options)).toBe(valid),
)
