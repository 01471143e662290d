import { signalInput } from "rtr/testing"
import { expect, test } from "vitest"
import { select } from "../../../ts/kernel/pipeline/select.ts"
import type { Choice } from "../../../ts/kernel/types/module.ts"
import { createCandidate, createDecision } from "../../fakes/plan.ts"

const input = signalInput("hello")
const two = [createCandidate("small"), createCandidate("large")]
const choose = (choice: Choice | (() => Choice | Promise<Choice>)) =>
  select(
    createDecision("d", {
      algorithm: "dice",
      candidates: two,
      select: typeof choice === "function" ? choice : () => choice,
    }),
    input,
  )

test("a decision without candidates has nothing to choose", async () => {
  expect(await select(createDecision("d"), input)).toBeUndefined()
})

test("the only candidate is taken without asking", async () => {
  const decision = createDecision("d", {
    algorithm: "dice",
    candidates: [createCandidate("small")],
    select: () => expect.unreachable("the selector was asked"),
  })
  expect(await select(decision, input)).toEqual({
    candidate: 0,
    algorithm: "dice",
    confidence: 1,
    reason: "the only candidate",
  })
})

test("the selector's choice carries the algorithm's name", async () => {
  const choice = { candidate: 1, confidence: 0.8, reason: "it is cheaper" }
  expect(await choose(choice)).toEqual({ ...choice, algorithm: "dice" })
  expect(await choose(async () => choice)).toEqual({ ...choice, algorithm: "dice" })
})

test("the selector sees the input", async () => {
  const seen: unknown[] = []
  const decision = createDecision("d", {
    candidates: two,
    select: (given) => {
      seen.push(given)
      return { candidate: 0, confidence: 1, reason: "x" }
    },
  })
  await select(decision, input)
  expect(seen).toEqual([input])
})

test.each([2, -1, 0.5, Number.NaN, undefined])(
  "index %s names nobody, so the first candidate is taken",
  async (candidate) => {
    expect(await choose({ candidate: candidate as number, confidence: 1, reason: "x" })).toEqual({
      candidate: 0,
      algorithm: "dice",
      confidence: 0,
      reason: "the selector named no candidate",
    })
  },
)

const failed = { candidate: 0, algorithm: "dice", confidence: 0, reason: "the selector failed" }

test.each<[string, () => Choice | Promise<Choice>]>([
  [
    "throws",
    () => {
      throw new Error("x")
    },
  ],
  ["rejects", () => Promise.reject(new Error("x"))],
  ["returns nothing", () => undefined as never],
])("a selector that %s leaves the first candidate", async (_, choice) => expect(await choose(choice)).toEqual(failed))
