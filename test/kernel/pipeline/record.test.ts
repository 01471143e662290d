import { RtrError, type Usage } from "rtr"
import { expect, test } from "vitest"
import { closeRecord, createRecord, toRecordedError } from "../../../ts/kernel/pipeline/record.ts"
import { createCall } from "../../fakes/call.ts"

const usage = (changes: Partial<Usage> = {}): Usage => ({
  inputTokens: 10,
  outputTokens: 5,
  cachedInputTokens: 0,
  ...changes,
})
const attempt = (used?: Usage) => ({ model: "m", backend: "b", startMs: 0, ...(used && { usage: used }) })

test("a record begins with who asks and what for, and as a failure until something else is known", () => {
  const record = createRecord(createCall("x", { model: "large" }, { id: "req-7", listener: "public" }), 3)
  expect(record).toMatchObject({
    id: "req-7",
    listener: "public",
    endpoint: "/v1/chat/completions",
    generation: 3,
    requestedModel: "large",
    path: "error",
    attempts: [],
    plugins: [],
    status: 0,
  })
})

test("it is closed with status, error, time, and the usage of all attempts together", () => {
  const record = createRecord(createCall("x", {}, { startedAt: performance.now() - 1000 }), 1)
  const error = new RtrError("upstream_error", "x")
  record.attempts.push(
    attempt(usage({ cachedInputTokens: 2, reasoningTokens: 3 })),
    attempt(),
    attempt(usage({ cacheWriteTokens: 4 })),
  )
  closeRecord(record, { status: 502, error })
  expect(record).toMatchObject({
    status: 502,
    error,
    usage: { inputTokens: 20, outputTokens: 10, cachedInputTokens: 2, cacheWriteTokens: 4, reasoningTokens: 3 },
  })
  expect(record.totalMs).toBeGreaterThanOrEqual(1000)
})

test("an error that is a bug is kept without its message", () => {
  const known = new RtrError("overloaded", "busy")
  expect(toRecordedError(known)).toBe(known)
  const bug = new TypeError("secret detail")
  const recorded = toRecordedError(bug)
  expect([recorded.code, recorded.status, recorded.message, recorded.cause]).toEqual([
    "internal_error",
    500,
    "Unexpected error",
    bug,
  ])
})
