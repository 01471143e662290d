import { expect, test } from "vitest"
import { throttled } from "../../ts/cli/throttled.ts"

test("the first refusal is told at once, the others of a minute with the next one after it", () => {
  const told: unknown[] = []
  let now = 0
  const refused = throttled(
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
