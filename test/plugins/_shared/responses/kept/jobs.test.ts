import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { beatMs, createJobs } from "../../../../../ts/plugins/_shared/responses/kept/jobs.ts"
import { refusalOf } from "../../../../fakes/refusal.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const job = (id: string, owner = "ann", beat = async () => {}) => ({ id, owner, beat })
const untilStopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))

test("a job runs until its work has ended, and can be stopped", async () => {
  const jobs = createJobs()
  jobs.start(job("a"), untilStopped)
  jobs.start(job("b"), untilStopped)
  expect([jobs.has("a"), jobs.has("b"), jobs.has("c")]).toEqual([true, true, false])
  jobs.stop("a")
  jobs.stop("c")
  await vi.advanceTimersByTimeAsync(0)
  expect([jobs.has("a"), jobs.has("b")]).toEqual([false, true])
})

test("every job is told now and then that it still runs, and no timer is left behind the last one", async () => {
  const jobs = createJobs()
  const beat = vi.fn<() => Promise<void>>(async () => {})
  jobs.start(job("a", "ann", beat), untilStopped)
  await vi.advanceTimersByTimeAsync(2 * beatMs)
  expect(beat).toHaveBeenCalledTimes(2)
  jobs.stop("a")
  await vi.advanceTimersByTimeAsync(0)
  expect(vi.getTimerCount()).toBe(0)
})

test("one client has some of the jobs, and all together have a limit", async () => {
  const jobs = createJobs()
  for (let index = 0; index < 20; index++) jobs.start(job(`${index}`), untilStopped)
  expect(refusalOf(() => jobs.start(job("more"), untilStopped))).toMatch(/^overloaded:/)
  for (let index = 0; index < 80; index++) jobs.start(job(`other ${index}`, `owner ${index}`), untilStopped)
  expect(refusalOf(() => jobs.start(job("more", "bob"), untilStopped))).toMatch(/^overloaded:/)
  jobs.stop("0")
  await vi.advanceTimersByTimeAsync(0)
  jobs.start(job("more"), untilStopped)
  expect(jobs.has("more")).toBe(true)
})
