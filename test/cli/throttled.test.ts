import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { throttled } from "../../ts/cli/throttled.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("the first of a kind is told at once, the others together every few seconds, and nothing when there are none", () => {
  const told: unknown[] = []
  const tell = throttled<string>((...call) => told.push(call), 5000)
  tell("a", "a1")
  tell("b", "b1")
  tell("a", "a2")
  tell("a", "a3")
  expect(told.splice(0)).toEqual([
    ["a1", 1],
    ["b1", 1],
  ])
  vi.advanceTimersByTime(5000)
  expect(told.splice(0)).toEqual([["a3", 2]])
  tell("a", "a4")
  tell("b", "b2")
  expect(told.splice(0)).toEqual([["b2", 1]])
  vi.advanceTimersByTime(5000)
  expect(told.splice(0)).toEqual([["a4", 1]])
  vi.advanceTimersByTime(50_000)
  tell("a", "a5")
  expect(told.splice(0)).toEqual([["a5", 1]])
})

test("what waits is told at the end", () => {
  const told: unknown[] = []
  const tell = throttled<string>((...call) => told.push(call))
  for (const event of ["1", "2", "3"]) tell("a", event)
  tell.end()
  tell.end()
  expect(told).toEqual([
    ["1", 1],
    ["3", 2],
  ])
  expect(vi.getTimerCount()).toBe(0)
})
