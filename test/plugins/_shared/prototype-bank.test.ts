import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import { type BankOptions, createBank, prototypeScoring } from "../../../ts/plugins/_shared/prototype-bank.ts"

/** A unit vector at this angle, so that the similarity of two is the cosine of their difference. */
const at = (degrees: number): Float32Array =>
  Float32Array.from([Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)])
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)
const bankOf = (angles: Readonly<Record<string, number>>, options?: BankOptions) =>
  createBank(Object.keys(angles), Object.values(angles).map(at), options)

describe("the score", () => {
  const angles = { a: 0, b: 90, c: 60 }

  test("is three quarters of the best and a quarter of the mean of the two best", () => {
    expect(bankOf(angles)(at(0))).toBeCloseTo(0.75 * 1 + 0.25 * ((1 + cos(60)) / 2), 6)
  })

  test.each<[string, BankOptions, number]>([
    ["of the best alone", { best_weight: 1 }, 1],
    ["of the mean of the three best", { best_weight: 0, top_m: 3 }, (1 + 0 + cos(60)) / 3],
    ["of the mean of all", { best_weight: 0, top_m: 0 }, (1 + 0 + cos(60)) / 3],
    ["of the mean of more than there are", { best_weight: 0, top_m: 99 }, (1 + 0 + cos(60)) / 3],
    ["of the mean of the best", { best_weight: 0, top_m: 1 }, 1],
    ["of a half each", { best_weight: 0.5, top_m: 2 }, 0.5 + 0.5 * ((1 + cos(60)) / 2)],
  ])("can be that %s", (_, options, score) => expect(bankOf(angles, options)(at(0))).toBeCloseTo(score, 6))

  test("can be negative, and is not clamped", () => {
    expect(bankOf({ a: 0 })(at(180))).toBeCloseTo(-1, 6)
  })

  test("of a single example is its similarity", () => expect(bankOf({ a: 0 })(at(60))).toBeCloseTo(0.5, 6))
})

describe("examples", () => {
  /** The mean of all prototypes tells which ones there are. */
  const all: BankOptions = { best_weight: 0, top_m: 0 }

  test("that are the same text count once", () => {
    const bank = createBank(["a", "a", "b"], [at(0), at(0), at(90)], all)
    expect(bank(at(0))).toBeCloseTo((1 + 0) / 2, 6)
  })

  test("that are alike are one prototype: the member most like the others", () => {
    const bank = bankOf({ left: 0, middle: 10, right: 20, far: 90 }, all)
    expect(bank(at(10))).toBeCloseTo((1 + cos(80)) / 2, 6)
  })

  test("are alike from the threshold on", () => {
    const angles = { a: 0, b: 30 }
    expect(bankOf(angles, { ...all, cluster_similarity_threshold: 0.86 })(at(0))).toBeCloseTo(1, 6)
    expect(bankOf(angles, { ...all, cluster_similarity_threshold: 0.87 })(at(0))).toBeCloseTo((1 + cos(30)) / 2, 6)
  })

  test("all count when thinning is off", () => {
    const bank = bankOf({ left: 0, middle: 10, right: 20 }, { ...all, enabled: false })
    expect(bank(at(10))).toBeCloseTo((cos(10) + 1 + cos(10)) / 3, 6)
  })

  test("past the most stay out: the largest groups stay", () => {
    const angles = { lone: 180, pair1: 90, pair2: 91, trio1: 0, trio2: 1, trio3: 2 }
    expect(bankOf(angles, { ...all, max_prototypes: 1 })(at(1))).toBeCloseTo(1, 6)
    expect(bankOf(angles, { ...all, max_prototypes: 2 })(at(90))).toBeCloseTo((1 + cos(89)) / 2, 4)
    expect(bankOf(angles, { ...all, max_prototypes: 3 })(at(180))).toBeCloseTo((1 + cos(90) + cos(179)) / 3, 4)
  })

  test("are eight prototypes at most when nothing else is said", () => {
    const angles = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`t${String(index).padStart(2, "0")}`, index * 30]),
    )
    const sum = Array.from({ length: 8 }, (_, index) => cos(index * 30)).reduce((total, each) => total + each, 0)
    expect(bankOf(angles, all)(at(0))).toBeCloseTo(sum / 8, 6)
  })

  test("give the same bank in any order", () => {
    const angles = { a: 0, b: 20, c: 40, d: 60, e: 80, f: 95 }
    const reversed = Object.fromEntries(Object.entries(angles).toReversed())
    for (const degrees of [0, 33, 77, 150])
      expect(bankOf(angles, { max_prototypes: 2 })(at(degrees))).toBe(
        bankOf(reversed, { max_prototypes: 2 })(at(degrees)),
      )
  })

  test("of equal groups, the tighter comes first, then the alphabet decides", () => {
    expect(
      bankOf({ loose1: 0, loose2: 20, tight1: 90, tight2: 92 }, { ...all, max_prototypes: 1 })(at(91)),
    ).toBeCloseTo(cos(1), 4)
    expect(bankOf({ b: 90, a: 0 }, { ...all, max_prototypes: 1 })(at(0))).toBeCloseTo(1, 6)
  })
})

test("a vector of another width, or of another length than 1, is of another model and no answer", () => {
  const bank = createBank(["a"], [Float32Array.from([1, 0, 0])])
  for (const vector of [
    [1, 0],
    [1, 0, 0, 0],
    [7, 0, 0],
    [Number.NaN, 0, 0],
  ])
    expect(() => bank(Float32Array.from(vector)), String(vector)).toThrow(/unit vectors/)
  expect(bank(Float32Array.from([1.000001, 0, 0]))).toBeCloseTo(1, 5)
})

test.each([
  [{}, true],
  [{ enabled: false, cluster_similarity_threshold: 1, max_prototypes: 1, best_weight: 0, top_m: 0 }, true],
  [{ max_prototypes: 0 }, false],
  [{ best_weight: 1.1 }, false],
  [{ top_m: -1 }, false],
  [{ cluster_similarity_threshold: 2 }, false],
  [{ margin_threshold: 0 }, true],
  [{ margin_threshold: -1 }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(prototypeScoring, options)).toBe(valid))
