import { expect, test } from "vitest"
import { createModelFigures } from "../../../ts/kernel/pipeline/model-figures.ts"

const attempt = (changes: object = {}) => ({ model: "m", backend: "b", startMs: 100, ...changes })
const usage = { inputTokens: 1, outputTokens: 10, cachedInputTokens: 0 }

test("a model is in flight from its beginning to its end, and remembers how fast it answered", () => {
  const figures = createModelFigures()
  expect(figures.read("m")).toEqual({ inFlight: 0, firstByteMs: [], perTokenMs: [] })
  const [first, second] = [figures.begin("m"), figures.begin("m")]
  expect(figures.read("m").inFlight).toBe(2)
  first(attempt({ firstByteMs: 130, endMs: 230, usage }))
  expect(figures.read("m")).toEqual({ inFlight: 1, firstByteMs: [30], perTokenMs: [10] })
  second(attempt({ endMs: 200 }))
  expect(figures.read("m")).toEqual({ inFlight: 0, firstByteMs: [30], perTokenMs: [10] })
  expect(figures.read("other").inFlight).toBe(0)
})

test("a reply without tokens has no time for each", () => {
  const figures = createModelFigures()
  figures.begin("m")(attempt({ firstByteMs: 130, endMs: 230, usage: { ...usage, outputTokens: 0 } }))
  figures.begin("m")(attempt({ firstByteMs: 130, endMs: 230 }))
  expect(figures.read("m")).toMatchObject({ firstByteMs: [30, 30], perTokenMs: [] })
})

test("the last hundred answers count, oldest first", () => {
  const figures = createModelFigures()
  for (let number = 1; number <= 150; number++) figures.begin("m")(attempt({ firstByteMs: 100 + number }))
  const { firstByteMs } = figures.read("m")
  expect([firstByteMs.length, firstByteMs[0], firstByteMs.at(-1)]).toEqual([100, 51, 150])
})
