import { expect, test } from "vitest"
import { createThrottledWarning } from "../../../ts/kernel/pipeline/throttled-warning.ts"

test("the first refusal warns at once, the others of a minute with the next one after it", () => {
  const told: unknown[] = []
  let now = 0
  const refused = createThrottledWarning(
    (...call) => told.push(call),
    () => now,
  )
  for (const [at, id] of [
    [0, "a"],
    [1, "b"],
    [59_999, "c"],
    [60_000, "d"],
    [60_001, "e"],
  ] as const) {
    now = at
    refused(id)
  }
  expect(told).toEqual([
    ["a", 1],
    ["d", 3],
  ])
})
