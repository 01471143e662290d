import { expect, test } from "vitest"
<<<<<<<< HEAD:test/cli/throttled.test.ts
import { throttled } from "../../ts/cli/throttled.ts"
========
import { createThrottledWarning } from "../../../ts/kernel/pipeline/throttled-warning.ts"
>>>>>>>> signals:test/kernel/pipeline/throttled-warning.test.ts

test("the first refusal warns at once, the others of a minute with the next one after it", () => {
  const told: unknown[] = []
  let now = 0
<<<<<<<< HEAD:test/cli/throttled.test.ts
  const refused = throttled(
========
  const refused = createThrottledWarning(
>>>>>>>> signals:test/kernel/pipeline/throttled-warning.test.ts
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
