import { type Candidate, RtrError, type SignalInput } from "rtr"
import { chatRequest, createFakeStores, selectorContract, selectorReaderOf, signalInput, textTurn } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { cacheAffinity } from "../../../ts/plugins/_shared/selection/cache-affinity.ts"
import { rated } from "../../../ts/plugins/_shared/selection/experience.ts"
import { blend } from "../../../ts/plugins/_shared/selection/hybrid-blend.ts"
import selector from "../../../ts/plugins/selectors/hybrid.ts"
import { referenceCases } from "./reference/cases.ts"

describe("contract", () => {
  for (const { name, run } of selectorContract(selector, {
    options: { experience_weight: 0.4, router_dc_weight: 0.4, automix_weight: 0.2, cost_weight: 0.1 },
    invalidOptions: [{ experience_weight: 0, router_dc_weight: 0, automix_weight: 0, cost_weight: 0 }],
  }))
    test(name, run)
})

test("parts are weighted means of scores on one scale, and a cheap model gains", () => {
  const parts = [
    { weight: 0.3, scores: [10, 30, 20], best: 1, confidence: 1 },
    { weight: 0.1, scores: [0.2, 0.2, 0.2], best: 0, confidence: 1 },
  ]
  // On scale: 0, 1, 0.5 and 0.5 each. (0.3 · 0 + 0.1 · 0.5) / 0.4 = 0.125, (0.3 + 0.05) / 0.4 = 0.875, 0.5.
  const close = [0.125, 0.875, 0.5].map((score) => expect.closeTo(score, 12))
  const unpriced = [undefined, undefined, undefined]
  expect(blend(parts, unpriced, { normalized: true, costWeight: 0.1 })).toEqual(close)
  // Prices 1, 3, unknown: the cheapest gains a tenth of its score, the dearest nothing.
  expect(blend(parts, [1, 3, undefined], { normalized: true, costWeight: 0.1 })).toEqual([
    expect.closeTo(0.1375, 12),
    ...close.slice(1),
  ])
  expect(blend(parts, [2, 2, 2], { normalized: true, costWeight: 0.1 })).toEqual(close)
  expect(blend(parts, unpriced, { normalized: false, costWeight: 0 })[1]).toBeCloseTo((9 + 0.02) / 0.4, 12)
})

describe("cache affinity", () => {
  const models = [
    { name: "a", window: 8192 },
    { name: "b", window: undefined },
  ]
  const conversation = { context: 4096, history: 2048, turns: 2, previousModel: "a", hasPreviousResponse: false }

  test("stays with the model that has answered, by as much as there is to reuse", () => {
    // reuse 0.5, mass 0.5, depth 0.5: W = 0.225 + 0.15 + 0.125 = 0.5; gap 0: strength 0.14 · 0.5 = 0.07.
    // a: fit 1, E = 0.5 + 0.175 + 0.075 + 0.075 = 0.825, C = 0.15 + 0.175 + 0.1 + 0.075 + 0.15 + 0.15 = 0.8.
    // b: fit 0.5, E = -0.35 · 0.5 = -0.175, C = 0.725.
    expect(cacheAffinity(conversation, models, [0.6, 0.6])).toEqual([
      expect.closeTo(0.07 * 0.8 * Math.tanh(0.825), 12),
      expect.closeTo(0.07 * 0.725 * Math.tanh(-0.175), 12),
    ])
  })

  test("says little where nobody knows who has answered, and nothing where a model is clearly better or nothing goes on", () => {
    const unknown = cacheAffinity({ ...conversation, previousModel: undefined }, models, [0.6, 0.6])
    // a: E = -0.175 + 0.075 = -0.1, C = (0.8 - 0.15) · 0.6 = 0.39.
    expect(unknown[0]).toBeCloseTo(0.07 * 0.39 * Math.tanh(-0.1), 12)
    expect(cacheAffinity(conversation, models, [0.4, 0.61]).map(Math.abs)).toEqual([0, 0])
    expect(cacheAffinity({ ...conversation, history: 0, turns: 0 }, models, [1, 1])).toEqual([0, 0])
  })

  test("a response that is continued counts, though its history is not sent", () => {
    const [same = 0] = cacheAffinity(
      { ...conversation, context: 100, history: 0, turns: 0, hasPreviousResponse: true },
      models,
      [0.5, 0.5],
    )
    // W 0.15, strength 0.021; E = 0.5 + 0.075, C = 0.15 + 0.15 + 0.15.
    expect(same).toBeCloseTo(0.021 * 0.45 * Math.tanh(0.575), 12)
  })
})

describe("experience", () => {
  test("a failed call is a lost game against each of the others, a good one a draw", () => {
    // Expected 0.5 against each: 32 · (0 - 0.5) / 2 = -8 twice.
    expect(rated({}, ["a", "b", "c"], "a", false)).toEqual({ a: 1484, b: 1508, c: 1508 })
    expect(rated({}, ["a", "b"], "a", true)).toEqual({ a: 1500, b: 1500 })
    // 400 less: expected 1/11; 32 · (0.5 - 1/11) = 13.09 back.
    expect(rated({ a: 1300, b: 1700 }, ["a", "b"], "a", true)).toEqual({
      a: expect.closeTo(1313.0909, 4),
      b: expect.closeTo(1686.9091, 4),
    })
  })

  test("a model that fails again and again is chosen no longer, also by another router over the same store", async () => {
    const options = { router_dc_weight: 0.01, automix_weight: 0.01, cost_weight: 0.01 }
    const host = createFakeStores()
    const first = await selectorReaderOf(selector, { options, host })
    const { candidate } = await first.select(signalInput("x"))
    for (let call = 0; call < 20; call++) {
      first.onOutcome?.({
        candidate,
        model: ["small", "medium", "large"][candidate] as string,
        status: 502,
        totalMs: 1,
      })
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    const second = await selectorReaderOf(selector, { options, host })
    expect((await second.select(signalInput("x"))).candidate).not.toBe(candidate)
  })
})

test("a conversation stays with the model that has answered; the choice itself remembers nothing", async () => {
  const candidates = ["a", "b"].map((model): Candidate => ({ model, score: 1, pricing: undefined, card: undefined }))
  const host = createFakeStores()
  const reader = await selectorReaderOf(selector, { host }, candidates)
  const turns = [
    textTurn("user", "word ".repeat(900)),
    textTurn("assistant", "reply ".repeat(900)),
    textTurn("user", "on"),
  ]
  const inSession = (id: string, name = "client"): SignalInput => ({
    ...signalInput("on"),
    request: chatRequest(turns),
    principal: { role: "client", permissions: undefined, name },
    header: (header) => (header === "x-session-id" ? id : undefined),
  })
  const chosen = await reader.select(inSession("one"))
  expect([chosen.candidate, typeof chosen.note]).toEqual([0, "string"])
  expect((await reader.select(inSession("one"))).candidate).toBe(0)
  reader.onOutcome?.({ candidate: 1, model: "b", status: 200, totalMs: 1, note: chosen.note })
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect((await reader.select(inSession("one"))).candidate).toBe(1)
  expect((await reader.select(inSession("two"))).candidate).toBe(0)
  expect((await reader.select(inSession("one", "somebody else"))).candidate).toBe(0)
  expect(JSON.stringify(await host.kv.keys())).not.toContain("one")
})

test("without an answer of the embedding model the other parts decide", async () => {
  let isDown = false
  const embed = (): readonly number[] => {
    if (isDown) throw new RtrError("unavailable", "down")
    return [1, 0]
  }
  const reader = await selectorReaderOf(selector, { inference: { embed } })
  expect((await reader.select(signalInput("x"))).reason).toMatch(/^the best of 3 weighted parts/)
  isDown = true
  expect((await reader.select(signalInput("x"))).reason).toMatch(/^the best of 2 weighted parts/)
})

test("a weight of 0 is as if it were left out, and says so", () => {
  const warned: unknown[] = []
  selector.check?.({ router_dc_weight: 0 }, (...given) => warned.push(given), { document: {}, modelRefs: [] })
  expect(warned).toEqual([[["router_dc_weight"], expect.stringContaining("0 is as if it were left out"), "warning"]])
})

test("a thousand random choices are those of the reference", async () => {
  interface Model {
    readonly quality: number | null
    readonly price: number | null
    readonly window: number | null
    readonly rating: number | null
    readonly vector: readonly number[]
  }
  interface Input {
    readonly options: Readonly<Record<string, unknown>>
    readonly shared: object
    readonly models: readonly Model[]
    readonly turns: readonly { readonly role: "user" | "assistant"; readonly characters: number }[]
    readonly previous: number | null
    readonly responded: boolean
    readonly asked: readonly number[]
  }
  let compared = 0
  for (const { input, expected } of referenceCases<Input, { candidate: number; confidence: number; margin: number }>(
    "hybrid",
  )) {
    // Vectors are float32: what is nearer than that may fall either way.
    if (expected.margin < 1e-4) continue
    compared += 1
    const { options, shared, models, turns, previous, responded, asked } = input
    const candidates = models.map(({ quality, price, window }, index): Candidate => ({
      model: `m${index}`,
      score: 1,
      pricing:
        price === null
          ? undefined
          : { currency: "USD", promptPer1m: price, completionPer1m: price, cachedInputPer1m: price },
      card: {
        description: `d${index}`,
        ...(quality !== null && { quality_score: quality }),
        ...(window !== null && { context_window_size: window }),
      },
    }))
    const host = createFakeStores()
    await host.kv.set(
      "ratings:test",
      Object.fromEntries(models.flatMap(({ rating }, index) => (rating === null ? [] : [[`m${index}`, rating]]))),
    )
    const embed = (text: string): readonly number[] =>
      text.startsWith("d") ? (models[Number(text.slice(1))] as Model).vector : asked
    const reader = await selectorReaderOf(
      selector,
      { options, settings: { hybrid: shared }, host, inference: { embed } },
      candidates,
    )
    const request = chatRequest(turns.map(({ role, characters }) => textTurn(role, "x".repeat(characters))))
    const given: SignalInput = {
      ...signalInput("x"),
      request: { ...request, session: responded ? { previousResponseId: "r" } : {} },
      header: (name) => (name === "x-session-id" ? "s" : undefined),
    }
    if (previous !== null) {
      const { note } = await reader.select(given)
      await host.kv.set(`conversation:${note}`, `m${previous}`)
    }
    expect(await reader.select(given), JSON.stringify(input)).toMatchObject({
      candidate: expected.candidate,
      confidence: expect.closeTo(expected.confidence, 4),
    })
  }
  expect(compared).toBeGreaterThan(980)
})
