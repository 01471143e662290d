import { defineSignal, type Fact, RtrError, Type } from "rtr"
import { createFakeInference, type FakeInferenceOptions } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { watchedKernel, type WatchedOptions } from "../../fakes/watched-kernel.ts"

const labels = ["benign", "jailbreak"]
const gone = new RtrError("unavailable", "gone")
const guard = { type: "jailbreak", name: "attack" }
const refused = { plugins: [{ type: "fast_response", configuration: { message: "No." } }] }

interface Guarded extends FakeInferenceOptions {
  /** Of the decision, around one condition on the guard. */
  readonly rules?: object
  readonly rule?: object
  readonly settings?: object
}

/** A kernel whose guard decision answers by itself, and whose other requests go to the default model. */
const guarded = ({ rules = guard, rule = {}, settings = {}, ...inference }: Guarded, options: WatchedOptions = {}) =>
  watchedKernel({
    inference: createFakeInference({ labels, classify: () => [0.9, 0.1], failWith: gone, ...inference }),
    changes: {
      "routing.signals.jailbreak": [{ name: "attack", ...rule }],
      "routing.decisions": [{ name: "guard", priority: 9, rules, ...refused }],
      "global.model_catalog.modules.prompt_guard": settings,
    },
    ...options,
  })

/** Who answered, and what the reply says of the guards. */
async function outcomeOf(given: Guarded) {
  const { ask, sent } = await guarded(given)
  const { status, headers } = await ask("hello")
  return [status, sent().length === 0 ? "refused" : "sent", headers.get("x-rtr-unscanned")]
}

describe("what a guard did not read", () => {
  const blocked = [200, "refused", "jailbreak=unavailable"]
  const passed = [200, "sent", "jailbreak=unavailable"]
  const failed = [503, "refused", "jailbreak=unavailable"]
  const allow = { rule: { on_unscanned: "allow" } } as const
  const low = { ...guard, predicate: { lt: 0.5 } }
  const high = { ...guard, predicate: { gte: 0.5 } }
  const not = (condition: object) => ({ operator: "NOT", conditions: [condition] })
  const cases: readonly (readonly [Guarded, readonly unknown[]])[] = [
    [{}, blocked],
    [{ rules: { ...guard, on_unknown: "no_match" } }, blocked],
    [{ rules: { ...guard, on_error: "no_match" } }, blocked],
    [{ rules: { ...guard, on_unknown: "match" } }, blocked],
    [{ rules: { ...guard, on_unknown: "fail_request" } }, failed],
    [{ rules: { ...guard, on_error: "no_match", on_unknown: "fail_request" } }, failed],
    [{ settings: { on_error: "allow" } }, blocked],
    // A number that nobody knows counts as the highest.
    [{ rules: high }, blocked],
    [{ rules: low }, passed],
    [{ rules: { ...low, on_error: "match" } }, passed],
    [{ rules: not(guard) }, passed],
    [{ rules: not(low) }, blocked],
    [allow, passed],
    [{ settings: { on_unscanned: "allow" } }, passed],
    [{ settings: { on_unscanned: "allow" }, rule: { on_unscanned: "block" } }, blocked],
    [{ settings: { on_unscanned: "block" }, ...allow }, passed],
    [{ ...allow, settings: { on_error: "block" } }, blocked],
    [{ ...allow, settings: { on_error: "block" }, rules: { ...guard, on_error: "no_match" } }, passed],
    [{ ...allow, rules: { ...guard, on_error: "match" } }, blocked],
    [{ ...allow, rules: { ...guard, on_unknown: "match" } }, blocked],
    [{ ...allow, rules: { ...guard, on_unknown: "fail_request" } }, failed],
    [{ ...allow, rules: not(guard) }, passed],
  ]

  test("counts as found, unless the rule or the guard's settings allow it", async () => {
    for (const [given, outcome] of cases) expect([given, await outcomeOf(given)]).toEqual([given, outcome])
  })

  test("is refused for every reason", async () => {
    const reasons: readonly (readonly [FakeInferenceOptions, reason: string])[] = [
      [{ failWith: new RtrError("scan_budget_exceeded", "x") }, "input_limit"],
      [{ failWith: new RtrError("deadline_exceeded", "x") }, "timeout"],
      [{ failWith: new RtrError("overloaded", "x") }, "overloaded"],
      [{ failWith: new RtrError("invalid_input", "x") }, "rejected"],
      [{ failWith: new RtrError("internal_error", "x") }, "failed"],
      [{ failWith: undefined as never, unknownTokens: () => 1 }, "unread_words"],
      [{ failWith: undefined as never, labels: ["cat", "dog"] }, "failed"],
    ]
    for (const [given, reason] of reasons)
      expect([reason, await outcomeOf(given)]).toEqual([reason, [200, "refused", `jailbreak=${reason}`]])
  })

  test("matches with full confidence, and is no finding of a check", async () => {
    const { ask, records } = await guarded({})
    const { headers } = await ask("hello")
    expect([headers.get("x-rtr-selected-decision"), headers.get("x-routing-confidence")]).toEqual(["guard", "1.0000"])
    expect(headers.get("x-security-checks")).toBeNull()
    expect(records.map(({ unscanned }) => unscanned)).toEqual([
      [{ guard: "jailbreak", rule: "attack", reason: "unavailable" }],
    ])
  })
})

test("a request that every guard has read says nothing of it", async () => {
  const { ask, records } = await guarded({ failWith: undefined as never })
  const { headers } = await ask("hello")
  expect([headers.get("x-rtr-unscanned"), records[0]?.unscanned]).toEqual([null, []])
})

test("a guard from outside is held to the same, and one that found nothing in a part has found nothing yet", async () => {
  const given: { facts: readonly Fact[] } = { facts: [] }
  const outside = defineSignal({
    about: "Says what the test wants",
    guard: true,
    rule: Type.Object({}),
    setup: () => ({ read: () => given.facts }),
  })
  const outcomes: unknown[] = []
  for (const [rule, facts] of [
    [{}, []],
    [{ on_unscanned: "allow" }, []],
    [{}, [{ rule: "x", state: "no_match", confidence: 0, atLeast: true, reason: "input_limit" }]],
    [{}, [{ rule: "x", state: "no_match", confidence: 0 }]],
  ] as const) {
    given.facts = facts
    const { ask, sent } = await watchedKernel({
      modules: { outside },
      changes: {
        "routing.signals.outside": [{ name: "x", ...rule }],
        "routing.decisions": [{ name: "guard", rules: { type: "outside", name: "x" }, ...refused }],
      },
    })
    const { headers } = await ask("hello")
    outcomes.push([sent().length, headers.get("x-rtr-unscanned")])
  }
  expect(outcomes).toEqual([
    [0, "outside=failed"],
    [1, "outside=failed"],
    [0, "outside=input_limit"],
    [1, null],
  ])
})
