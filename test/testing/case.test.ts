import { awkwardTexts, deepFreeze } from "rtr/testing"
import { describe, expect, test, vi } from "vitest"
import { contractCase, expectThat } from "../../ts/testing/case.ts"

test("a case runs what it is given, now or later", async () => {
  const ran: string[] = []
  const cases = [
    contractCase("now", () => void ran.push("now")),
    contractCase("later", async () => void ran.push("later")),
  ]
  for (const { run } of cases) await run()
  expect([cases.map(({ name }) => name), ran]).toEqual([
    ["now", "later"],
    ["now", "later"],
  ])
})

test("a case fails by rejecting, never by throwing at once", async () => {
  const { run } = contractCase("x", () => {
    throw new Error("broken")
  })
  const running = run()
  await expect(running).rejects.toThrow("broken")
})

test("a case that never settles fails in time and says why", async () => {
  vi.useFakeTimers()
  try {
    const running = contractCase("waits", () => new Promise(() => {})).run()
    const failed = running.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(4000)
    expect(String(await failed)).toBe(
      'Error: Expected "waits" to end within 4 seconds; a promise that the module returned or waits for does not settle',
    )
    await contractCase("ends", async () => {}).run()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test("an expectation that does not hold says what was expected", () => {
  expect(() => expectThat(false, "a cat")).toThrow("Expected a cat")
  expect(() => expectThat(true, "a cat")).not.toThrow()
})

describe("deepFreeze", () => {
  test("freezes all the way down and returns the same value", () => {
    const value = { list: [{ inner: { a: 1 } }], nothing: null }
    expect(deepFreeze(value)).toBe(value)
    for (const node of [value, value.list, value.list[0], value.list[0]?.inner])
      expect(Object.isFrozen(node)).toBe(true)
  })

  test("leaves arrays of numbers alone, which cannot be frozen", () => {
    const vector = new Float32Array([1])
    expect(deepFreeze({ vector }).vector).toBe(vector)
  })

  test("takes a value that holds itself", () => {
    const value: { self?: unknown } = {}
    value.self = value
    expect(Object.isFrozen(deepFreeze(value))).toBe(true)
  })
})

test("awkward texts hold the awkward kinds", () => {
  const has = (isKind: (text: string) => boolean): boolean => awkwardTexts.some(isKind)
  expect([
    has((text) => text === ""),
    has((text) => text !== "" && text.trim() === ""),
    has((text) => text.includes("\0")),
    has((text) => !text.isWellFormed()),
    has((text) => /\p{Script=Han}/u.test(text)),
    has((text) => text.length >= 1_000_000),
    has((text) => text.length >= 100_000 && !text.includes(" ")),
  ]).toEqual([true, true, true, true, true, true, true])
})
