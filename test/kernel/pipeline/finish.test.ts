import { type CallRecord, type Reply, RtrError, textReply } from "rtr"
import { describe, expect, test } from "vitest"
import { finishCall } from "../../../ts/kernel/pipeline/finish.ts"
import { createRecord } from "../../../ts/kernel/pipeline/record.ts"
import type { ChatStream, StreamBatch } from "../../../ts/kernel/types/chat.ts"
import { createCall } from "../../fakes/call.ts"

const batch = (done = false): StreamBatch => ({ events: [], done })
const ms = expect.any(Number)

async function finish(work: () => Promise<Reply>) {
  const record = createRecord(createCall("x", {}, { startedAt: performance.now() - 1000 }), 1)
  const told: CallRecord[] = []
  const running = finishCall({ onRecord: (each) => told.push({ ...each }) }, record, work)
  const outcome = await running.catch(() => undefined)
  return { told, outcome, running, record }
}

async function stream(batches: readonly (StreamBatch | Error)[]) {
  const rest = [...batches]
  let closed = 0
  const source: ChatStream = {
    async next() {
      const next = rest.shift()
      if (next instanceof Error) throw next
      return next
    },
    cancel: () => void (closed += 1),
  }
  const { told, outcome } = await finish(async () => ({
    kind: "stream",
    status: 200,
    stream: source,
    headers: { a: "1" },
  }))
  if (outcome?.reply.kind !== "stream") throw new Error("there is no stream")
  return { told, outcome, stream: outcome.reply.stream, closed: () => closed }
}

describe("a whole reply", () => {
  test("and an upstream's failure end at once and stay as they are", async () => {
    const replies: readonly Reply[] = [
      { kind: "whole", status: 200, reply: textReply({ text: "x", model: "m" }) },
      { kind: "failure", status: 500, message: "x", original: { dialect: "lines", body: {} } },
      { kind: "failure", status: 418, message: "x", code: "teapot" },
    ]
    for (const reply of replies) {
      const { told, outcome, record } = await finish(async () => reply)
      expect([outcome?.reply === reply, outcome?.record === record]).toEqual([true, true])
      expect(told).toMatchObject([{ status: reply.status, error: undefined, firstByteMs: ms, totalMs: ms }])
      expect(told[0]?.totalMs).toBeGreaterThanOrEqual(1000)
    }
  })
})

test("a failure that the router tells in its own words has the code that the client gets", async () => {
  const { told, outcome } = await finish(async () => ({ kind: "failure", status: 502, message: "x" }))
  expect(outcome?.reply).toMatchObject({ kind: "failure", status: 502 })
  expect(told).toMatchObject([{ status: 502, error: { code: "upstream_error" } }])
})

describe("a streamed reply", () => {
  test("ends after its last batch, and passes everything as it is", async () => {
    const batches = [batch(), batch(true)]
    const { told, outcome, stream: watched } = await stream(batches)
    const passed = [await watched.next(), await watched.next()]
    expect(passed.map((each, index) => each === batches[index])).toEqual([true, true])
    expect(told).toEqual([])
    expect(await watched.next()).toBeUndefined()
    expect(told).toMatchObject([{ status: 200, error: undefined, firstByteMs: ms, totalMs: ms }])
    expect(outcome.reply).toMatchObject({ kind: "stream", status: 200, headers: { a: "1" } })
  })

  test("that breaks ends with the error", async () => {
    const error = new RtrError("upstream_error", "cut")
    const { told, stream: watched } = await stream([batch(), error])
    await watched.next()
    await expect(watched.next()).rejects.toBe(error)
    expect(told).toMatchObject([{ status: 502, error, firstByteMs: ms }])
  })

  test("that breaks with a bug ends with an internal error and says no more", async () => {
    const bug = new TypeError("secret detail")
    const { told, stream: watched } = await stream([bug])
    await expect(watched.next()).rejects.toMatchObject({
      code: "internal_error",
      message: "Unexpected error",
      cause: bug,
    })
    expect(told).toMatchObject([{ status: 500, error: { code: "internal_error" }, firstByteMs: undefined }])
  })

  test("that the client leaves ends as that, and closes the source", async () => {
    for (const read of [0, 1]) {
      const { told, stream: watched, closed } = await stream([batch(), batch(true)])
      for (let count = 0; count < read; count++) await watched.next()
      watched.cancel()
      expect(told).toMatchObject([{ status: 499, error: { code: "client_closed_request" } }])
      expect([told.length, closed()]).toEqual([1, 1])
    }
  })

  test("that the client leaves after the end mark is complete, and is told once however often it is asked", async () => {
    const { told, stream: watched } = await stream([batch(), batch(true)])
    await watched.next()
    await watched.next()
    watched.cancel()
    watched.cancel()
    await watched.next()
    expect(told).toMatchObject([{ status: 200, error: undefined }])
    expect(told).toHaveLength(1)
  })
})

test("a call without a reply ends with the status of its error, and rejects with what was thrown", async () => {
  const error = new RtrError("overloaded", "busy")
  const failed = await finish(() => Promise.reject(error))
  expect(failed.told).toMatchObject([{ status: error.status, error }])
  await expect(failed.running).rejects.toBe(error)
  const bug = new TypeError("secret detail")
  const broken = await finish(() => Promise.reject(bug))
  expect(broken.told).toMatchObject([{ status: 500, error: { code: "internal_error", message: "Unexpected error" } }])
  await expect(broken.running).rejects.toBe(bug)
})
