import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createHeldMemory } from "../../../ts/kernel/http/held-memory.ts"
import { returnMemory } from "../../../ts/kernel/runtime/return-memory.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("garbage is collected once after a time of large requests, when it is quiet", () => {
  const memory = createHeldMemory(1000)
  let collected = 0
  const stop = returnMemory(memory, () => (collected += 1), 100)
  const after = (ms: number): number => {
    vi.advanceTimersByTime(ms)
    return collected
  }
  memory.take(50)
  expect(after(100)).toBe(0)
  memory.take(400)
  memory.giveBack(200)
  expect(after(300)).toBe(0)
  memory.giveBack(250)
  expect(after(100)).toBe(1)
  expect(after(1000)).toBe(1)
  memory.take(400)
  memory.giveBack(400)
  expect(after(100)).toBe(2)
  stop()
  memory.take(400)
  memory.giveBack(400)
  expect(after(1000)).toBe(2)
})

test("Node's own collector can be called", async () => {
  vi.useRealTimers()
  const memory = createHeldMemory(1000)
  const stop = returnMemory(memory, undefined, 5)
  memory.take(400)
  memory.giveBack(400)
  await new Promise((resolve) => setTimeout(resolve, 30))
  stop()
  expect(memory.peak()).toBe(0)
})
