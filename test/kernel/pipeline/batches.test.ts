import { describe, expect, test } from "vitest"
import { type BatchStage, passBatches } from "../../../ts/kernel/pipeline/batches.ts"
import { batchesOf, chunk, collect, watchedBatches } from "../../fakes/batches.ts"

const batches = batchesOf(chunk("a"), chunk("b"), chunk("c"))

/** A stage that remembers how it ended. */
function watching(stage: BatchStage = {}) {
  const ends: unknown[] = []
  return { ends, stage: { ...stage, onEnd: (...end: readonly unknown[]) => void ends.push(end) } satisfies BatchStage }
}

test("batches pass as they are, and the end is told once", async () => {
  const { ends, stage } = watching()
  expect(await collect(passBatches(watchedBatches(batches), stage))).toEqual(batches)
  expect(ends).toEqual([["complete", undefined]])
})

test("batches can be changed on their way", async () => {
  const passed = passBatches(watchedBatches(batches), { onBatch: (batch) => ({ ...batch, chunks: [] }) })
  expect((await collect(passed)).map(({ chunks }) => chunks.length)).toEqual([0, 0, 0])
})

describe("a reader that leaves", () => {
  test("in the middle closes the source", async () => {
    const source = watchedBatches(batches)
    const { ends, stage } = watching()
    for await (const _ of passBatches(source, stage)) break
    expect([ends, source.left.count]).toEqual([[["left", undefined]], 1])
  })

  test("before the first batch closes the source too", async () => {
    const source = watchedBatches(batches)
    const { ends, stage } = watching()
    const iterator = passBatches(passBatches(source, {}), stage)[Symbol.asyncIterator]()
    expect(await iterator.return?.()).toEqual({ value: undefined, done: true })
    expect([ends, source.left.count]).toEqual([[["left", undefined]], 1])
    expect(await iterator.next()).toEqual({ value: undefined, done: true })
  })

  test("after the end changes nothing", async () => {
    const { ends, stage } = watching()
    const iterator = passBatches(watchedBatches([]), stage)[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    expect(ends).toEqual([["complete", undefined]])
  })
})

describe("an error", () => {
  test("of the source can be put into other words", async () => {
    const broken = new Error("broken")
    const { ends, stage } = watching({ onError: (error) => new Error("words", { cause: error }) })
    const passed = passBatches(watchedBatches(batches, broken), stage)
    await expect(collect(passed)).rejects.toMatchObject({ message: "words", cause: broken })
    expect(ends).toEqual([["failed", expect.objectContaining({ message: "words" })]])
  })

  test("of the stage closes the source", async () => {
    const source = watchedBatches(batches)
    const broken = new Error("broken")
    const { ends, stage } = watching({
      onBatch: () => {
        throw broken
      },
    })
    await expect(collect(passBatches(source, stage))).rejects.toBe(broken)
    expect([ends, source.left.count]).toEqual([[["failed", broken]], 1])
  })
})
