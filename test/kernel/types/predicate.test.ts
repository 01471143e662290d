import { describe, expect, test } from "vitest"
import {
  type Predicate,
  predicateHolds,
  predicateHoldsFrom,
  predicateProblem,
} from "../../../ts/kernel/types/predicate.ts"

test.each<[Predicate, number, boolean | undefined]>([
  [{ gte: 0.5 }, 0.6, true],
  [{ gte: 0.9 }, 0.6, undefined],
  [{ lt: 0.9 }, 0.6, undefined],
  [{ lt: 0.9 }, 0.9, false],
  [{ lte: 0.9 }, 0.9, undefined],
  [{ gt: 0.5, lte: 0.9 }, 0.3, undefined],
  [{ gt: 0.5, lte: 0.9 }, 0.95, false],
])("%o of at least %d is %s", (predicate, least, holds) => expect(predicateHoldsFrom(predicate, least)).toBe(holds))

describe("predicateHolds", () => {
  test.each<[Predicate, number, boolean]>([
    [{ gt: 1 }, 1, false],
    [{ gt: 1 }, 1.001, true],
    [{ gte: 1 }, 1, true],
    [{ gte: 1 }, 0.999, false],
    [{ lt: 1 }, 1, false],
    [{ lt: 1 }, 0.999, true],
    [{ lte: 1 }, 1, true],
    [{ lte: 1 }, 1.001, false],
    [{ gte: 1, lt: 2 }, 1, true],
    [{ gte: 1, lt: 2 }, 2, false],
    [{ gt: 0 }, Number.NaN, false],
    [{ lt: 0 }, Number.NaN, false],
  ])("%o of %d is %s", (predicate, value, holds) => expect(predicateHolds(predicate, value)).toBe(holds))
})

describe("predicateProblem", () => {
  test.each<[Predicate, string | undefined]>([
    [{}, "must have at least one of gt, gte, lt, lte"],
    [{ gt: 1, gte: 1 }, "must not have both gt and gte"],
    [{ lt: 1, lte: 1 }, "must not have both lt and lte"],
    [{ gt: 2, lt: 1 }, "can never hold: no number is above 2 and below 1"],
    [{ gte: 1, lt: 1 }, "can never hold: no number is above 1 and below 1"],
    [{ gt: 1, lte: 1 }, "can never hold: no number is above 1 and below 1"],
    [{ gte: 1, lte: 1 }, undefined],
    [{ gt: 1, lt: 1.5 }, undefined],
    [{ gte: 0 }, undefined],
    [{ lt: -1 }, undefined],
  ])("%o: %s", (predicate, problem) => expect(predicateProblem(predicate)).toBe(problem))
})
