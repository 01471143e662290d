import type { Candidate } from "rtr"
import { selectorContract, selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import selector from "../../../ts/plugins/selectors/automix.ts"
import { referenceCases } from "./reference/cases.ts"

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, {
    options: { cost_quality_tradeoff: 0.4, max_escalations: 2 },
  }))
    test(name, run)
})

interface Model {
  readonly quality?: number | null
  readonly price?: number | null
}

async function choose(
  options: Readonly<Record<string, unknown>>,
  shared: Readonly<Record<string, unknown>>,
  models: readonly Model[],
) {
  const candidates = models.map(({ quality, price }, index): Candidate => ({
    model: `m${index}`,
    score: 1,
    pricing:
      price == null
        ? undefined
        : { currency: "USD", promptPer1m: price, completionPer1m: price, cachedInputPer1m: price },
    card: quality == null ? undefined : { quality_score: quality },
  }))
  const reader = await selectorReaderOf(selector, { options, settings: { automix: shared } }, candidates)
  return reader.select(signalInput("x"))
}

const two = [
  { quality: 0.9, price: 5 },
  { quality: 0.6, price: 1 },
]

test("the value for its money decides: quality less a part of the price, divided by the price", async () => {
  // 0.9 - 0.5 · 0.3 = 0.75, by 1 + 5 · 0.5 = 3.5, times 1.1: 0.236; 0.6 - 0.1 · 0.3 = 0.57 by 1.5, times 1.1: 0.418.
  expect(await choose({}, {}, two)).toEqual({
    candidate: 1,
    confidence: 0.7,
    reason: "the best quality for its price (0.418)",
  })
  // Above the chance of 0.7 nobody gains a tenth.
  expect(await choose({ verification_threshold: 0.8 }, {}, two)).toMatchObject({
    candidate: 1,
    reason: "the best quality for its price (0.38)",
  })
  // Nothing is divided: 0.75 · 1.1.
  expect(await choose({ cost_quality_tradeoff: 0 }, {}, two)).toMatchObject({
    candidate: 0,
    reason: "the best quality for its price (0.825)",
  })
})

test("without prices the quality decides, which is 0.8 where nobody says it", async () => {
  const models = [{ quality: 0.7, price: 0.1 }, { price: 9 }]
  expect(await choose({}, { cost_aware_routing: false }, models)).toMatchObject({ candidate: 1 })
  expect(await choose({ cost_aware_routing: true }, { cost_aware_routing: false }, models)).toMatchObject({
    candidate: 0,
  })
})

test("keys that nothing reads are warned of", () => {
  const warned: unknown[] = []
  selector.check?.(
    { max_escalations: 2, use_logprob_verification: true, discount_factor: 0.95, verification_threshold: 0.7 },
    (...given) => warned.push(given),
    { document: {}, modelRefs: [] },
  )
  expect(warned).toEqual(
    ["discount_factor", "max_escalations", "use_logprob_verification"].map((key) => [
      [key],
      "has no effect: automix does not read it",
      "warning",
    ]),
  )
})

test("a thousand random choices are those of the reference", async () => {
  type Input = Readonly<Record<"options" | "shared", object>> & { readonly models: readonly Model[] }
  for (const { input, expected } of referenceCases<Input, object>("automix"))
    expect(
      await choose(input.options as never, input.shared as never, input.models),
      JSON.stringify(input),
    ).toMatchObject(expected)
})
