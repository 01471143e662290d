import { expect, test } from "vitest"
import { settingsFor } from "../../fakes/hub.ts"
import { retryAfterMs, TryAgain, withRetries } from "../../../ts/models/hub/retry.ts"

test("progress starts the count anew, so that a long download survives many cuts", async () => {
  const settings = settingsFor({ endpoint: "http://hub" })
  let attempts = 0
  const value = await withRetries(settings, "fetch", async () => {
    attempts += 1
    if (attempts < 30) throw new TryAgain("cut", { progressed: true })
    return "whole"
  })
  expect([value, attempts]).toEqual(["whole", 30])
  expect(Math.max(...settings.waits)).toBeLessThanOrEqual(1250)
})

test("waits double up to their bound, and then it gives up", async () => {
  const settings = settingsFor({ endpoint: "http://hub" }, { attempts: 8 })
  const never = withRetries(settings, "fetch org/model", async () => Promise.reject(new TryAgain("hub answers 500")))
  await expect(never).rejects.toThrow("Cannot fetch org/model: hub answers 500; tried 8 times")
  expect(settings.waits.map((wait) => [1, 2, 4, 8, 16, 30].findLast((seconds) => wait >= seconds * 1000))).toEqual([
    1, 2, 4, 8, 16, 30, 30,
  ])
})

test("other errors are not tried again", async () => {
  const settings = settingsFor({ endpoint: "http://hub" })
  await expect(withRetries(settings, "fetch", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken")
  expect(settings.waits).toEqual([])
})

test.each([
  [undefined, undefined],
  ["12", 12_000],
  ["Thu, 01 Jan 2026 00:00:10 GMT", 10_000],
  ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ["soon", undefined],
])("Retry-After %s is %s ms", (value, expected) => {
  expect(retryAfterMs(value, Date.parse("2026-01-01T00:00:00Z"))).toBe(expected)
})
