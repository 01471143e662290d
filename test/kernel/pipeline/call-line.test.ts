import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type CallLine, createCallLine } from "../../../ts/kernel/pipeline/call-line.ts"
import type { Inference, InferenceAnswer, InferenceOptions, InferenceTask } from "../../../ts/kernel/types/inference.ts"
import { createFakeInference } from "rtr/testing"

const signal = new AbortController().signal
const task: InferenceTask = { kind: "embed", deployment: "default", text: "a" }
const vector: InferenceAnswer = { kind: "embed", vector: new Float32Array([1]) }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Sent {
  readonly options: InferenceOptions | undefined
  readonly answer: (answer: InferenceAnswer) => void
}

/** A line over a worker that answers when it is told to, and what was sent there. */
function openLine(deadlineMs: number): { line: CallLine; sent: Sent[]; add: (calls: number) => Promise<unknown>[] } {
  const sent: Sent[] = []
  const inference: Inference = {
    ...createFakeInference(),
    bundle: (_tasks, options) =>
      new Promise((resolve) => sent.push({ options, answer: (answer) => resolve([answer]) })),
  }
  const line = createCallLine(inference, {
    deadlineAt: performance.now() + deadlineMs,
    call: { signal, client: signal },
  })
  const add = (calls: number): Promise<unknown>[] => {
    const given = Array.from({ length: calls }, () => Promise.withResolvers<unknown>())
    line.add(given.map(({ resolve, reject }) => ({ tasks: [task], resolve, reject })))
    // Who looks at them later; the runner fails a test for a rejection that nobody has seen.
    given.forEach(({ promise }) => promise.catch(() => {}))
    return given.map(({ promise }) => promise)
  }
  return { line, sent, add }
}

/** Answers what runs, after a time. */
async function answerAll(sent: Sent[], afterMs: number, answer = vector): Promise<void> {
  await vi.advanceTimersByTimeAsync(afterMs)
  for (const each of sent.splice(0)) each.answer(answer)
  await vi.advanceTimersByTimeAsync(0)
}

test("calls of one request have one source, those of another have another", async () => {
  const [first, second] = [openLine(1000), openLine(1000)]
  first.add(3)
  second.add(2)
  const names = [first, second].map(({ sent }) => sent.map(({ options }) => options?.source))
  expect(names.map((those) => new Set(those).size)).toEqual([1, 1])
  expect(names[0]?.[0]).toMatch(/^[ -~]{1,128}$/)
  expect(names[0]?.[0]).not.toBe(names[1]?.[0])
})

test("a single call names no source", () => {
  const { sent, add } = openLine(1000)
  add(1)
  expect(sent.map(({ options }) => options)).toEqual([{ deadlineMs: 1000, signal }])
})

test("four calls run at a time", async () => {
  const { sent, add } = openLine(60_000)
  const answers = add(9)
  for (const running of [4, 4, 1]) {
    expect(sent).toHaveLength(running)
    await answerAll(sent, 10)
  }
  expect(await Promise.all(answers)).toEqual(answers.map(() => [vector]))
})

test("after a refusal for overload the rest is not sent", async () => {
  const { sent, add } = openLine(60_000)
  const answers = add(10)
  const error = new RtrError("overloaded", "256 requests wait")
  await answerAll(sent, 10, { kind: "error", error })
  const settled = await Promise.allSettled(answers)
  expect(sent).toEqual([])
  expect(settled.slice(4)).toEqual(Array.from({ length: 6 }, () => ({ status: "rejected", reason: error })))
})

test("another error is no reason to send less", async () => {
  const { sent, add } = openLine(60_000)
  add(10)
  await answerAll(sent, 10, { kind: "error", error: new RtrError("invalid_request", "no such head") })
  expect(sent).toHaveLength(4)
})

test("what cannot be answered in time is given up early", async () => {
  const { sent, add } = openLine(10_000)
  const answers = add(100)
  // Four calls a second: the rest would take 24 of the 9 seconds that are left.
  await answerAll(sent, 1000)
  expect(sent).toEqual([])
  const settled = await Promise.allSettled(answers)
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(4)
  expect(settled.at(-1)).toMatchObject({ reason: { code: "overloaded" } })
})

test("what may be answered in time is sent to its end", async () => {
  const { sent, add } = openLine(10_000)
  const answers = add(40)
  for (let call = 0; call < 40; call += 4) await answerAll(sent, 900)
  expect(await Promise.all(answers)).toHaveLength(40)
})
