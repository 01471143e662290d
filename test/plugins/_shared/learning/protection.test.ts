import { describe, expect, test } from "vitest"
import {
  continuationMass,
  protect,
  type ProtectionInput,
  suppressedBy,
} from "../../../../ts/plugins/_shared/learning/protection.ts"
import { learningOf } from "../../../../ts/plugins/_shared/learning/settings.ts"

const minute = 60_000
const session = { model: "a", decision: "d", turns: 2, switches: 0, at: 0 }
const input: ProtectionInput = {
  settings: learningOf({}).protection,
  session,
  decision: "d",
  now: minute,
  inToolLoop: false,
  hasProviderState: false,
  tokens: { context: 1000, history: 0, turns: 0 },
  models: ["a", "b"],
  prices: [undefined, undefined],
  proposal: 1,
  scores: undefined,
  isRescue: () => false,
}
const said = (changes: Partial<ProtectionInput>) => {
  const { winner, action, reason } = protect({ ...input, ...changes })
  return `${input.models[winner]} ${action} ${reason}`
}

test("a conversation begins with what is proposed, and stays with it", () => {
  expect(said({ session: undefined })).toBe("b establish_baseline new")
  expect(said({ session: { ...session, model: "gone" } })).toBe("b establish_baseline other_candidates")
  expect(said({ excluded: [0] })).toBe("b establish_baseline other_candidates")
  expect(said({ proposal: 0 })).toBe("a stay same_model")
  expect(said({})).toBe("a stay gain_unknown")
})

test("tools that run and state at a backend lock the model, whatever else is true", () => {
  const more = { isRescue: () => true, now: 600 * minute, scores: [0, 1] }
  expect(said({ ...more, inToolLoop: true })).toBe("a hard_lock tool_loop")
  expect(said({ ...more, hasProviderState: true })).toBe("a hard_lock provider_state")
  expect(said({ session: { ...session, turns: 0 }, scores: [0, 1] })).toBe("a hard_lock min_turns")
})

test("rest, another decision and a model that is known to be bad let it go", () => {
  expect(said({ now: 5 * minute })).toBe("b switch idle")
  expect(said({ now: 5 * minute - 1 })).toBe("a stay gain_unknown")
  expect(said({ decision: "other" })).toBe("b switch other_decision")
  expect(said({ isRescue: () => true })).toBe("b switch rescue")
  const wide = learningOf({ protection: { scope: "session" } }).protection
  expect(said({ settings: wide, decision: "other", scores: [0, 1] })).toBe("a stay session_scope")
  expect(said({ settings: wide, now: 5 * minute })).toBe("b switch idle")
  expect(said({ settings: { ...wide, idleMs: 0 }, now: 500 * minute })).toBe("a stay session_scope")
})

describe("what a switch has to gain", () => {
  const least = (changes: Partial<ProtectionInput>): number => {
    let [low, high] = [0, 5]
    for (let step = 0; step < 40; step++) {
      const middle = (low + high) / 2
      if (protect({ ...input, ...changes, scores: [0, middle] }).action === "switch") high = middle
      else low = middle
    }
    return high
  }
  const fresh = { ...session, turns: 0 }
  const noTurns = { ...input.settings, minTurns: 0 }

  test("without anything to lose is the margin, the bias and the hand-over", () => {
    expect(least({ session: fresh, settings: noTurns })).toBeCloseTo(0.05 + 0.1 + 0.05, 8)
    const heavy = learningOf({}, { protection: { stability_weight: 3, switch_margin: 0.2 } }).protection
    expect(least({ session: fresh, settings: { ...heavy, minTurns: 0 } })).toBeCloseTo(0.2 + 0.1 + 3 * 0.05, 8)
  })

  test("grows with the part of the prompt that is cached, its price and earlier switches", () => {
    // reuse 0.5, history 4096 of 8192, 4 turns of 8: 0.225 + 0.175 + 0.1 = 0.5.
    const tokens = { context: 8192, history: 4096, turns: 4 }
    expect(continuationMass(tokens, { turns: 2 }, false)).toBeCloseTo(0.5, 12)
    // 0.2 · 0.5 · warmth 0.5 = 0.05; a price that is not known counts one half: 1 + 1.5 · 0.5 = 1.75, kept and lost.
    expect(least({ tokens })).toBeCloseTo(0.2 + 2 * 0.05 * 1.75, 8)
    // The dearest of the two is lost: kept 1 + 1.5 · 0.25 = 1.375, lost 2.5; the cache is warm: 0.1.
    const warm = { ...session, warmth: 1 }
    expect(least({ tokens, session: warm, prices: [2, 8] })).toBeCloseTo(0.2 + 0.1 * (1.375 + 2.5), 8)
    // Four of eight switches: 0.04 · 0.5.
    expect(least({ tokens, session: { ...session, switches: 4 } })).toBeCloseTo(0.2 + 0.175 + 0.02, 8)
  })

  test("a response that is continued counts as reuse, though its history is not sent", () => {
    expect(continuationMass({ context: 10, history: 0, turns: 0 }, { turns: 0 }, true)).toBeCloseTo(0.45 * 0.15, 12)
  })
})

test("nothing is tried out while tools run or a conversation goes on", () => {
  const quiet = { ...input, session: undefined }
  expect(suppressedBy(quiet)).toBeUndefined()
  expect(suppressedBy({ ...quiet, session })).toBe("steady_state")
  expect(suppressedBy({ ...quiet, session, now: 5 * minute })).toBeUndefined()
  expect(suppressedBy({ ...quiet, inToolLoop: true })).toBe("tool_or_protocol_state")
  expect(suppressedBy({ ...quiet, hasProviderState: true })).toBe("tool_or_protocol_state")
})
