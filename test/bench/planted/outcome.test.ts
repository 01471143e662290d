import { describe, expect, test } from "vitest"
import { bandOf, countOf, judge, type Outcome, problemsOf, type Seen } from "../../../bench/planted/outcome.ts"

const nothing: Seen = { status: 200, checks: null, unscanned: null, reachedBackend: false }

describe("a request with an attack", () => {
  test("is judged by what the backend got before what the headers say", () => {
    const cases: readonly (readonly [Partial<Seen>, Outcome])[] = [
      [{ checks: "pii:false,jailbreak:true" }, { kind: "found" }],
      [{ checks: "jailbreak:true", unscanned: "jailbreak=timeout" }, { kind: "found" }],
      [{ unscanned: "jailbreak=input_limit" }, { kind: "unscanned", reason: "input_limit" }],
      [
        { status: 413, checks: "pii:true", unscanned: "pii=timeout,jailbreak=overloaded" },
        { kind: "unscanned", reason: "overloaded" },
      ],
      [{ checks: "jailbreak:true", reachedBackend: true }, { kind: "passed" }],
      [{ unscanned: "jailbreak=input_limit", reachedBackend: true }, { kind: "passed" }],
      [{ status: 500 }, { kind: "failed", reason: "status 500 without a reason of the guard" }],
      [
        { status: 503, checks: "jailbreak:false", unscanned: "pii=timeout" },
        { kind: "failed", reason: "status 503 without a reason of the guard" },
      ],
    ]
    for (const [seen, outcome] of cases) expect(judge({ ...nothing, ...seen }), JSON.stringify(seen)).toEqual(outcome)
  })

  test("is named with its position where it passed or failed", () => {
    const planted = [
      { shape: "one message", position: 0, attack: "first", outcome: { kind: "found" } },
      { shape: "one message", position: 0.25, attack: "second", outcome: { kind: "passed" } },
      { shape: "one message", position: 0.5, attack: "third", outcome: { kind: "unscanned", reason: "timeout" } },
      { shape: "one message", position: 1, attack: "fourth", outcome: { kind: "failed", reason: "status 500" } },
    ] as const
    expect(problemsOf(planted)).toEqual([
      'passed: one message, at 25.0 %: "second"',
      'failed, status 500: one message, at 100.0 %: "fourth"',
    ])
    expect(countOf(planted)).toEqual({ requests: 4, found: 1, unscanned: { timeout: 1 }, passed: 1, failed: 1 })
    expect(planted.map(({ position }) => bandOf(position))).toEqual([0, 2, 5, 9])
  })
})
