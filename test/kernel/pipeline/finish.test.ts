import { describe, expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { failedEnd, tokenCounts, watchEnd } from "../../../ts/kernel/pipeline/finish.ts"
import type { CallEnd, Routing } from "../../../ts/kernel/types/call.ts"
import type { ChunkBatch, Reply } from "../../../ts/kernel/types/chat.ts"
import { batchesOf, chunk, collect, type WatchedBatches, watchedBatches } from "../../fakes/batches.ts"

const routing: Routing = {
  path: "upstream",
  model: "small",
  decision: "d",
  algorithm: "static",
  confidence: 1,
  appliedPolicies: [],
  signalMs: 1,
  familyMs: {},
  automatic: true,
}
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const counts = { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 0 }
const startedAt = performance.now() - 1000

function watch(reply: Reply) {
  const ends: CallEnd[] = []
  const outcome = watchEnd({ routing, reply }, { startedAt }, (end) => ends.push(end))
  return { outcome, ends }
}

function watchStream(source: WatchedBatches) {
  const { outcome, ends } = watch({ kind: "stream", status: 200, batches: source, headers: { a: "1" } })
  return { batches: (outcome.reply as Extract<Reply, { kind: "stream" }>).batches, outcome, ends }
}

const ms = expect.any(Number)

describe("a whole reply", () => {
  test("ends at once and stays as it is", () => {
    const reply: Reply = { kind: "json", status: 200, body: { usage } }
    const { outcome, ends } = watch(reply)
    expect(outcome.reply).toBe(reply)
    expect(ends).toEqual([{ routing, status: 200, firstByteMs: ms, totalMs: ms, usage: counts }])
    expect(ends[0]?.totalMs).toBeGreaterThanOrEqual(1000)
    expect(ends[0]?.firstByteMs).toBe(ends[0]?.totalMs)
  })

  test("without usage has none", () => {
    expect(watch({ kind: "json", status: 500, body: { error: {} } }).ends).toEqual([
      { routing, status: 500, firstByteMs: ms, totalMs: ms },
    ])
  })
})

describe("a streamed reply", () => {
  const batches = batchesOf(chunk("a"), chunk("b"), chunk("", { usage }))

  test("ends after its last batch, and passes everything as it is", async () => {
    const { batches: watched, outcome, ends } = watchStream(watchedBatches(batches))
    expect(ends).toEqual([])
    expect(await collect(watched)).toEqual(batches)
    expect(ends).toEqual([{ routing, status: 200, firstByteMs: ms, totalMs: ms, usage: counts }])
    expect(outcome).toMatchObject({ routing, reply: { kind: "stream", status: 200, headers: { a: "1" } } })
  })

  test("keeps the last usage", async () => {
    const { batches: watched, ends } = watchStream(
      watchedBatches(
        batchesOf(
          chunk("a", { usage: { ...usage, completion_tokens: 1 } }),
          chunk("b", { usage }),
          chunk("c", { usage: null }),
        ),
      ),
    )
    await collect(watched)
    expect(ends[0]?.usage).toEqual(counts)
  })

  test("that breaks ends with the error", async () => {
    const error = new RtrError("upstream_error", "cut")
    const { batches: watched, ends } = watchStream(watchedBatches(batches.slice(0, 1), error))
    await expect(collect(watched)).rejects.toBe(error)
    expect(ends).toEqual([{ routing, status: 502, error, firstByteMs: ms, totalMs: ms }])
  })

  test("that breaks with a bug ends with an internal error and says no more", async () => {
    const bug = new TypeError("secret detail")
    const { batches: watched, ends } = watchStream(watchedBatches([], bug))
    await expect(collect(watched)).rejects.toMatchObject({
      code: "internal_error",
      message: "Unexpected error",
      cause: bug,
    })
    expect(ends).toEqual([
      { routing, status: 500, error: expect.objectContaining({ code: "internal_error" }), totalMs: ms },
    ])
  })

  const leave = async (watched: AsyncIterable<ChunkBatch>, after: number): Promise<void> => {
    let seen = 0
    for await (const _ of watched) {
      seen += 1
      if (seen === after) return
    }
  }

  test("that the client leaves ends as that, and closes the source", async () => {
    const source = watchedBatches(batches)
    const { batches: watched, ends } = watchStream(source)
    await leave(watched, 1)
    expect(ends).toEqual([
      {
        routing,
        status: 499,
        error: expect.objectContaining({ code: "client_closed_request" }),
        firstByteMs: ms,
        totalMs: ms,
      },
    ])
    expect(source.left.count).toBe(1)
  })

  test("that the client leaves before the first batch ends too", async () => {
    const source = watchedBatches(batches)
    const { batches: watched, ends } = watchStream(source)
    await watched[Symbol.asyncIterator]().return?.()
    expect(ends).toEqual([
      { routing, status: 499, error: expect.objectContaining({ code: "client_closed_request" }), totalMs: ms },
    ])
    expect(source.left.count).toBe(1)
  })

  test("that the client leaves after the end mark is complete", async () => {
    const { batches: watched, ends } = watchStream(watchedBatches(batches))
    await leave(watched, 3)
    expect(ends).toEqual([{ routing, status: 200, firstByteMs: ms, totalMs: ms, usage: counts }])
  })

  test("ends once, however often it is asked", async () => {
    const { batches: watched, ends } = watchStream(watchedBatches(batches))
    const iterator = watched[Symbol.asyncIterator]()
    for (let round = 0; round < 5; round++) await iterator.next()
    await iterator.return?.()
    await iterator.return?.()
    expect(ends).toHaveLength(1)
  })
})

describe("a call without a reply", () => {
  test("ends with the status of its error", () => {
    const error = new RtrError("overloaded", "busy")
    expect(failedEnd({ startedAt }, error)).toEqual({ routing: undefined, status: 429, error, totalMs: ms })
  })

  test("ends as an internal error when it is a bug", () => {
    const end = failedEnd({ startedAt }, new TypeError("secret detail"))
    expect(end).toMatchObject({ routing: undefined, status: 500, error: { code: "internal_error" } })
    expect(JSON.stringify([end, end.error?.message])).not.toContain("secret")
  })
})

test.each<[unknown, unknown]>([
  [usage, counts],
  [
    { ...usage, prompt_tokens_details: { cached_tokens: 4 } },
    { ...counts, cached_tokens: 4 },
  ],
  [{ ...usage, prompt_tokens_details: null }, counts],
  [{ ...usage, prompt_tokens_details: { cached_tokens: "4" } }, counts],
  [
    { prompt_tokens: 0, completion_tokens: 0 },
    { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
  ],
  [undefined, undefined],
  [null, undefined],
  ["usage", undefined],
  [{}, undefined],
  [{ prompt_tokens: 1 }, undefined],
  [{ prompt_tokens: "1", completion_tokens: 1 }, undefined],
  [{ prompt_tokens: -1, completion_tokens: 1 }, undefined],
  [{ prompt_tokens: Number.NaN, completion_tokens: 1 }, undefined],
])("usage %j counts as %j", (given, expected) => expect(tokenCounts(given)).toEqual(expected))
