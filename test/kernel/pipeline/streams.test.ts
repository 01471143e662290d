import { expect, test } from "vitest"
import { passStream, streamOf } from "../../../ts/kernel/pipeline/streams.ts"
import type { ChatStream, StreamBatch } from "../../../ts/kernel/types/chat.ts"

const batch = (done = false): StreamBatch => ({ events: [{ type: "ping" }], done })

/** A stream of these batches that writes down when it is closed; an error breaks it. */
function source(batches: readonly (StreamBatch | Error)[], log: string[] = []): ChatStream {
  const rest = [...batches]
  return {
    async next() {
      const next = rest.shift()
      if (next instanceof Error) throw next
      return next
    },
    cancel: () => void log.push("source closed"),
  }
}

async function readAll(stream: ChatStream): Promise<readonly StreamBatch[]> {
  const batches: StreamBatch[] = []
  for (let next = await stream.next(); next !== undefined; next = await stream.next()) batches.push(next)
  return batches
}

test("a stage sees each batch, and its end once, however often it is asked", async () => {
  const ends: unknown[] = []
  const stream = passStream(source([batch(), batch(true)]), {
    onBatch: async (each) => ({ ...each, events: [] }),
    onEnd: (...end) => ends.push(end),
  })
  expect(await readAll(stream)).toEqual([
    { events: [], done: false },
    { events: [], done: true },
  ])
  await stream.next()
  stream.cancel()
  expect(ends).toEqual([["complete", undefined]])
})

test("a stage that only watches passes the same batches", async () => {
  const batches = [batch(), batch(true)]
  const passed = await readAll(passStream(source(batches), {}))
  expect(passed.map((each, index) => each === batches[index])).toEqual([true, true])
})

test("a failure of the source or of the stage closes the source first and then ends the stage", async () => {
  const broken = new Error("broken")
  const known = new Error("known")
  const failing = (): never => {
    throw broken
  }
  for (const [batches, onBatch] of [
    [[broken], undefined],
    [[batch()], failing],
    [[batch()], () => Promise.reject(broken)],
  ] as const) {
    const log: unknown[] = []
    const stream = passStream(source(batches, log as string[]), {
      ...(onBatch !== undefined && { onBatch }),
      onError: (error) => (error === broken ? known : error),
      onEnd: (how, error) => log.push(how, error),
    })
    await expect(stream.next()).rejects.toBe(known)
    stream.cancel()
    expect(log.slice(0, 3)).toEqual(["source closed", "failed", known])
    expect(log.filter((entry) => entry === "left" || entry === "failed")).toEqual(["failed"])
  }
})

test("a reader that leaves closes the source before the stage ends, also before the first batch", () => {
  const log: unknown[] = []
  passStream(source([batch()], log as string[]), { onEnd: (how) => log.push(how) }).cancel()
  expect(log).toEqual(["source closed", "left"])
})

test("a stream of events that are all there gives them at once, or nothing after it was left", async () => {
  expect(await readAll(streamOf([{ type: "ping" }]))).toEqual([{ events: [{ type: "ping" }], done: true }])
  const left = streamOf([{ type: "ping" }])
  left.cancel()
  expect(await left.next()).toBeUndefined()
})
