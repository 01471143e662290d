import { describe, expect, test } from "vitest"
import type { GatewayMinute } from "../../../bench/soak/gateway/gateway.ts"
import { findProblems, type Limits } from "../../../bench/soak/gateway/problems.ts"

const limits: Limits = { healthMs: 250, liveMib: 4, descriptors: 8, handles: 8, residentShare: 0.25, workerShare: 0.1 }

const fine: GatewayMinute = {
  good: 100,
  p99Ms: 20,
  streams: 10,
  hostile: 50,
  wrong: [],
  documents: 2,
  health: { polls: 100, failures: 0, slowestMs: 40 },
  twice: 0,
  residentMib: 130,
  liveMib: 30,
  descriptors: 40,
  handles: 9,
  workerMib: 290,
  workers: [7],
}

/** Problems of a warm-up of one minute and four minutes after it, each with its changes. */
function problemsOf(
  changes: readonly Partial<GatewayMinute>[],
  closing = { exit: 0 as number | string, left: [] as number[] },
) {
  const table = [fine, ...Array.from({ length: 4 }, (_, at) => ({ ...fine, ...changes[at] }))]
  return findProblems({ table, warmUp: 1, closing }, limits).problems
}

describe("a soaked gateway", () => {
  test("that stays as it was has no problem", () => {
    expect(problemsOf([])).toEqual([])
  })

  test("is told what grew in every later minute, and may have one high minute", () => {
    expect(problemsOf([{}, {}, { liveMib: 60, descriptors: 90, residentMib: 400 }])).toEqual([])
    const grown = { liveMib: 36, descriptors: 90, handles: 60, residentMib: 200, workerMib: 400 }
    expect(problemsOf([{}, {}, grown, grown])).toEqual([
      "liveMib grew by 6.00, at most 4 is allowed",
      "descriptors grew by 50.00, at most 8 is allowed",
      "handles grew by 51.00, at most 8 is allowed",
      "residentShare grew by 0.54, at most 0.25 is allowed",
      "workerShare grew by 0.38, at most 0.1 is allowed",
    ])
  })

  test("is told of a silence, of wrong replies, of a restarted worker and of a document that never came", () => {
    expect(problemsOf([{ health: { polls: 3, failures: 2, slowestMs: 900 } }])).toEqual([
      "/health took 900 ms, at most 250 are allowed",
      "2 polls of /health failed",
    ])
    expect(problemsOf([{ health: { polls: 0, failures: 0, slowestMs: 0 } }])).toEqual([
      "/health was not answered at all",
    ])
    expect(problemsOf([{ wrong: ["no JSON: 500"], twice: 3, workers: [8], documents: 1 }])).toEqual([
      "hostile client: no JSON: 500",
      "3 good requests reached the backend twice",
      "a worker ended or was started again",
      "no new document was activated",
    ])
  })

  test("is told how it ended and what it left behind", () => {
    expect(problemsOf([], { exit: "SIGKILL", left: [7, 8] })).toEqual([
      "the router ended with SIGKILL",
      "2 worker processes outlive the router",
    ])
  })
})
