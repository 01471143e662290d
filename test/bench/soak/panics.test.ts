import { expect, test } from "vitest"
import { findProblems, type PanicMinute } from "../../../bench/soak/panics/problems.ts"

const fine: PanicMinute = {
  replies: { 200: 1000, 500: 8, 503: 20 },
  longestWaitMs: 900,
  longestDownMs: 1500,
  healthPolls: 1000,
  residentMib: 300,
  anonymousMib: 200,
  weightsMib: 25,
  queued: 0,
  restarts: 5,
}

function problemsOf(changes: readonly Partial<PanicMinute>[], isBack = true) {
  const table = [fine, ...Array.from({ length: 4 }, (_, at) => ({ ...fine, ...changes[at] }))]
  return findProblems({ table, warmUp: 1, deadlineMs: 5000, isBack }).problems
}

test("a worker that stands its panics has no problem", () => {
  expect(problemsOf([])).toEqual([])
  expect(problemsOf([{}, { residentMib: 500 }, { longestWaitMs: 5900 }])).toEqual([])
})

test("what a soak with panics finds is told", () => {
  expect(problemsOf([{ longestWaitMs: 6100 }])).toEqual(["a client waited for 6100 ms, the deadline is 5000 ms"])
  expect(problemsOf([{ longestDownMs: 40_000 }])).toEqual([
    "/health was not 200 for 40000 ms, at most 30000 are allowed",
  ])
  expect(problemsOf([{ replies: { 200: 5, broken: 2 } }])).toEqual(["2 replies were broken"])
  expect(problemsOf([{}, {}, {}, { residentMib: 340 }])).toEqual(["resident memory grew by 13 %"])
  expect(problemsOf([{}, {}, {}, { restarts: 1 }])).toEqual(["the worker panicked 1 times in 5 minutes"])
  expect(problemsOf([], false)).toEqual(["the worker does not answer after the load"])
})
