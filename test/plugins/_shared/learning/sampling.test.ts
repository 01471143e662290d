import { describe, expect, test } from "vitest"
import { betaSample, seededRandom } from "../../../../ts/plugins/_shared/learning/beta-sample.ts"
import { noExperience } from "../../../../ts/plugins/_shared/learning/experience.ts"
import { type Arm, chooseBySampling, posterior } from "../../../../ts/plugins/_shared/learning/sampling.ts"

const arm = (model: string, changes: Partial<Arm> = {}): Arm => ({
  model,
  quality: undefined,
  price: undefined,
  experience: noExperience,
  ...changes,
})
const known = (changes: object) => ({ ...noExperience, ...changes })

test("the posterior counts the quality of the card as two outcomes, and one half where there is none", () => {
  expect(posterior({ quality: 0.75, experience: known({ good: 3, underpowered: 1 }) })).toEqual({
    alpha: 2 * 0.75 + 3 + 1,
    beta: 2 * 0.25 + 1 + 1,
  })
  expect(posterior({ quality: undefined, experience: undefined })).toEqual({ alpha: 2, beta: 2 })
  // A score of another scale is no better than perfect.
  expect(posterior({ quality: 87, experience: undefined })).toEqual({ alpha: 3, beta: 1 })
})

describe("scores", () => {
  const scored = (arms: readonly Arm[], candidateSet: "decision" | "tier" | "global" = "decision", base = 0) =>
    chooseBySampling({ arms, base, candidateSet })
  const close = (...numbers: number[]) => numbers.map((number) => expect.closeTo(number, 10))

  test("are the mean of the posterior without what the price, failures, overuse and latency take", () => {
    const arms = [
      arm("a", { price: 2 }),
      arm("b", {
        price: 8,
        experience: known({
          good: 5,
          underpowered: 1,
          overprovisioned: 2,
          failed: 1,
          latency: 0.5,
          cacheHit: 0.25,
          inputCost: 0.5,
        }),
      }),
    ]
    // a: 2/4 - 0.04 · 2/8 + 0.001. b: α 7, β 3; 0.7 - (0.04 + 0.015) - 0.03 · 2/10 - 0.1 · 1/10 - 0.01 + 0.005.
    expect(scored(arms).scores).toEqual(close(0.5 - 0.01 + 0.001, 0.7 - 0.055 - 0.006 - 0.01 - 0.01 + 0.005))
    expect(scored(arms).winner).toBe(1)
    // The price counts more in a wider set: 0.06 and 0.1.
    expect(scored(arms, "tier").scores).toEqual(close(0.486, 0.624 - 0.02))
    expect(scored(arms, "global").scores).toEqual(close(0.476, 0.624 - 0.06))
  })

  test("of another model have to be better by the margin of the set and by what it costs more", () => {
    // Means 0.5 and 0.6; without prices the margins are 0, 0.03 and 0.08, and the base has 0.001 more.
    const better = arm("b", { experience: known({ good: 1 }) })
    expect(scored([arm("a"), better])).toMatchObject({ winner: 1, reason: "better_experience" })
    expect(scored([arm("a"), better], "global")).toMatchObject({ winner: 1 })
    // α 12, β 10: 0.54545 is better by 0.04445.
    const alittle = arm("b", { experience: known({ good: 10, underpowered: 8 }) })
    expect(scored([arm("a"), alittle], "tier")).toMatchObject({ winner: 1 })
    expect(scored([arm("a"), alittle], "global")).toMatchObject({ winner: 0, reason: "below_margin" })
    // The dearest of the set costs 0.04: 0.54545 - 0.04 is still better than 0.501, but not by another 0.04.
    expect(scored([arm("a"), arm("b", { ...alittle, price: 1 })])).toMatchObject({ winner: 0, reason: "below_margin" })
    expect(scored([arm("a"), arm("b")])).toMatchObject({ winner: 0, reason: "base_is_best" })
  })

  test("of a model that is ruled out do not count", () => {
    const arms = [arm("a"), arm("b", { experience: known({ good: 9 }) }), arm("c", { experience: known({ good: 1 }) })]
    expect(chooseBySampling({ arms, base: 0, candidateSet: "decision", excluded: [1] })).toMatchObject({ winner: 2 })
    const unknown = [arm("a"), arm("b", { experience: undefined })]
    const random = seededRandom(1)
    expect(chooseBySampling({ arms: unknown, base: 0, candidateSet: "decision", excluded: [1], random })).toMatchObject(
      {
        winner: 0,
      },
    )
  })

  test("a model of which nothing is known comes first while something may be tried out, and not otherwise", () => {
    const arms = [arm("a", { experience: known({ good: 50 }) }), arm("b", { experience: undefined })]
    expect(chooseBySampling({ arms, base: 0, candidateSet: "global", random: seededRandom(1) })).toMatchObject({
      winner: 1,
      reason: "cold_start",
    })
    expect(scored(arms)).toMatchObject({ winner: 0, reason: "base_is_best" })
  })
})

test("samples have the mean and the variance of their distribution, and a seed repeats them", () => {
  for (const [alpha, beta] of [
    [1, 1],
    [2, 2],
    [7, 3],
    [1, 101],
  ] as const) {
    const random = seededRandom(7)
    const samples = Array.from({ length: 20_000 }, () => betaSample(alpha, beta, random))
    const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length
    const variance = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0) / samples.length
    expect(mean, `Beta(${alpha}, ${beta})`).toBeCloseTo(alpha / (alpha + beta), 2)
    expect(variance).toBeCloseTo((alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1)), 2)
    expect(samples.every((each) => each >= 0 && each <= 1)).toBe(true)
  }
  const drawn = (seed: number) => Array.from({ length: 3 }, seededRandom(seed))
  expect(drawn(5)).toEqual(drawn(5))
  expect(drawn(5)).not.toEqual(drawn(6))
  // A source that only says 0, or nearly 1, ends all the same.
  for (const broken of [0, 1 - 2 ** -53]) expect(betaSample(2, 3, () => broken)).toSatisfy(Number.isFinite)
})
