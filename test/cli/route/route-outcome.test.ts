import { describe, expect, test } from "vitest"
import { changedSignals } from "../../../ts/cli/route/compare-routes.ts"
import { decisionText, differences, expectationOf, modelText, outcomeOf } from "../../../ts/cli/route/route-outcome.ts"
import type { RoutingPreviewReply } from "../../../ts/cli/management-client.gen.ts"

const leaf = (name: string, state: string) => ({ node_type: "leaf", signal_type: "pii", signal_name: name, state })

/** What a router says whose guard did not answer in time, and which takes that for found. */
const late = {
  routing_decision: "private",
  selected_model: "small",
  recipe: "support",
  eval_trace: [{ decision_name: "private", root_trace: leaf("personal-data", "match") }],
  signal_errors: { "pii:personal-data": "timeout" },
} as unknown as RoutingPreviewReply

describe("what could not be read", () => {
  test("stands in the outcome, with its reason", () => {
    expect(outcomeOf(late)).toEqual({
      decision: "private",
      model: "small",
      recipe: "support",
      signals: { "pii:personal-data": "match" },
      unread: { "pii:personal-data": "timeout" },
    })
  })

  test("is told where a test fails, and not where it passes", () => {
    const outcome = outcomeOf(late)
    expect(differences({ decision: "long" }, outcome)).toEqual([
      'decision: expected "long", got "private"',
      "unread: pii:personal-data (timeout)",
    ])
    expect(differences({ decision: "private" }, outcome)).toEqual([])
  })
})

test("an update keeps what is expected of a signal that no decision asks for, and its test goes on to fail", () => {
  const outcome = outcomeOf(late)
  const updated = expectationOf({ signals: { "domain:law": "match", "pii:personal-data": "no_match" } }, outcome)
  expect(updated).toEqual({ signals: { "domain:law": "match", "pii:personal-data": "match" } })
  expect(differences(updated, outcome)[0]).toBe("domain:law: expected match, got nothing: no decision asks for it")
})

describe("signals that changed between documents", () => {
  const outcome = (signals: object, unread?: object) =>
    ({ decision: "", model: "m", signals, ...(unread !== undefined && { unread }) }) as never

  test.each([
    [{ a: "match" }, { a: "no_match" }, "a match → no_match"],
    [{}, { b: "match" }, "b (not there) → match"],
    [{ b: "unknown" }, {}, "b unknown → (not there)"],
    [{ a: "match" }, { a: "match", b: "no_match" }, ""],
  ])("%j and then %j: %s", (before, after, text) => {
    expect(changedSignals(outcome(before), outcome(after))).toBe(text)
  })

  test("stand beside those that could not be read", () => {
    expect(changedSignals(outcome({ a: "no_match" }), outcome({ a: "match" }, { a: "timeout" }))).toBe(
      "a no_match → match, after unread: a (timeout)",
    )
  })
})

const replied = (reply: Partial<RoutingPreviewReply>) =>
  outcomeOf({
    recipe: "default",
    routing_decision: "stay",
    selection_method: "static",
    ...reply,
  } as RoutingPreviewReply)

test("a decision of another recipe is told with both names", () => {
  const texts = [{}, { recipe: undefined }, { recipe: "private" }, { recipe: "private", routing_decision: "" }].map(
    (reply) => decisionText(replied(reply)),
  )
  expect(texts).toEqual(["stay", "stay", "private::stay", ""])
})

test("what stands in the place of a model is told in brackets", () => {
  const looping = replied({ selection_method: "confidence" })
  const none = replied({ selection_method: undefined })
  expect([replied({ selected_model: "small" }), looping, none].map(modelText)).toEqual(["small", "(confidence)", ""])
  expect([looping, none].map((each) => differences({ model: "large" }, each))).toEqual([
    ['model: expected "large", got (confidence)'],
    ['model: expected "large", got none'],
  ])
})

test("a request that is refused is no route: it fails a test that does not expect it", () => {
  const refused = outcomeOf({
    ...late,
    routing_decision: "",
    selected_model: undefined,
    signal_errors: undefined,
    decision_error: "The text is too long",
  } as never)
  const routed = outcomeOf(late)
  expect(modelText(refused)).toBe("(refused)")
  const problem = "refused: The text is too long"
  expect(differences({ decision: "" }, refused)).toEqual([problem])
  expect(differences({ decision: "", refused: false }, refused)).toEqual([problem])
  expect(differences({ refused: true, decision: "" }, refused)).toEqual([])
  expect(differences({ signals: {} }, refused)).toEqual([])
  expect(differences({ refused: true }, routed)).toEqual([
    "refused: expected, but the request is routed",
    "unread: pii:personal-data (timeout)",
  ])
  expect(expectationOf({ decision: "long" }, refused)).toEqual({ refused: true })
  expect(expectationOf({ refused: true }, routed)).toEqual({ decision: "private", model: "small" })
})
