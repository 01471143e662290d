import { expect, test, vi } from "vitest"
import { createPause, finishInTurns } from "../../../ts/kernel/host/work.ts"

/** Runs work on a clock on which every look takes ten milliseconds, and counts the turns that others got meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let now = 0
  vi.spyOn(performance, "now").mockImplementation(() => (now += 10))
  let turns = 0
  const others = setInterval(() => (turns += 1))
  try {
    await work()
  } finally {
    clearInterval(others)
    vi.restoreAllMocks()
  }
  return turns
}

test("work in turns lets others have a turn for each slice, however many there are", async () => {
  const work = function* (): Generator<void, string, void> {
    for (let step = 0; step < 500; step++) yield
    return "done"
  }
  let result: string | undefined
  expect(await turnsDuring(async () => (result = await finishInTurns(work())))).toBeGreaterThan(50)
  expect(result).toBe("done")
})

test("a pause gives others a turn when a slice has passed", async () => {
  const work = async (): Promise<void> => {
    const pause = createPause()
    for (let step = 0; step < 20; step++) await pause()
  }
  expect(await turnsDuring(work)).toBeGreaterThan(5)
})
