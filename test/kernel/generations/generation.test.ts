import { expect, test } from "vitest"
import { createGeneration } from "../../../ts/kernel/generations/generation.ts"

test("a generation is closed when it is retired and its last lease has ended", async () => {
  const closed: string[] = []
  const generation = createGeneration(1, "hash", "content", (content) => void closed.push(content))
  const [one, two] = [generation.lease(), generation.lease()]
  const retired = generation.retire()
  one()
  one()
  await Promise.resolve()
  expect(closed).toEqual([])
  two()
  await retired
  expect(closed).toEqual(["content"])
  await generation.retire()
  expect(closed).toEqual(["content"])
})

test("a generation that serves is not closed when nobody uses it for a moment", async () => {
  const closed: string[] = []
  const generation = createGeneration(1, "hash", "content", (content) => void closed.push(content))
  generation.lease()()
  await Promise.resolve()
  expect(closed).toEqual([])
})
