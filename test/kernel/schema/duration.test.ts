import { expect, test } from "vitest"
import { durationMs, durationPattern } from "../../../ts/kernel/schema/duration.ts"

test.each([
  ["300s", 300_000],
  ["1m30s", 90_000],
  ["1h2m3s4ms", 3_723_004],
  ["0.5s", 500],
  ["1.5h", 5_400_000],
  ["250ms", 250],
  ["100us", 0.1],
  ["100µs", 0.1],
  ["1000000ns", 1],
  ["0s", 0],
  ["596h", 2_145_600_000],
  // A timer for longer ends at once.
  ["99999999999h", 2_147_483_647],
])("%s is %d ms", (text, ms) => {
  expect(new RegExp(durationPattern, "u").test(text)).toBe(true)
  expect(durationMs(text)).toBeCloseTo(ms, 9)
})

test.each(["", "300", "s", "5 s", "-5s", "5s ", "1.s", ".5s", "5S", "5d", "five", "5s\n"])(
  "%j is no duration",
  (text) => expect(new RegExp(durationPattern, "u").test(text)).toBe(false),
)
