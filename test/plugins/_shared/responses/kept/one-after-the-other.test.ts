import { expect, test } from "vitest"
import { oneAfterTheOther } from "../../../../../ts/plugins/_shared/responses/kept/one-after-the-other.ts"

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

test("work of one name waits for what was given before, whether that fails or not; other names do not wait", async () => {
  const told: string[] = []
  const work =
    (say: string, fails = false) =>
    async (): Promise<string> => {
      told.push(`begin ${say}`)
      await pause()
      await pause()
      told.push(`end ${say}`)
      if (fails) throw new Error(say)
      return say
    }
  const ends = await Promise.allSettled([
    oneAfterTheOther("a", work("1", true)),
    oneAfterTheOther("a", work("2")),
    oneAfterTheOther("b", work("3")),
  ])
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"])
  expect(told.indexOf("begin 2")).toBeGreaterThan(told.indexOf("end 1"))
  expect(told.indexOf("begin 3")).toBeLessThan(told.indexOf("end 1"))
})
