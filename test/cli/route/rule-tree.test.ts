import { describe, expect, test } from "vitest"
import {
  changesFor,
  conditionOf,
  type DecisionTrace,
  goesBefore,
  type RuleTrace,
  wayToWin,
} from "../../../ts/cli/route/rule-tree.ts"

type State = RuleTrace["state"]

const leaf = (name: string, state: State): RuleTrace => ({
  node_type: "leaf",
  signal_type: "keyword",
  signal_name: name,
  state,
  matched: state === "match",
  confidence: state === "match" ? 1 : 0,
})
const node = (type: "AND" | "OR" | "NOT", ...children: readonly RuleTrace[]): RuleTrace => ({
  node_type: type,
  state: "no_match",
  matched: false,
  confidence: 0,
  children,
})
const decision = (name: string, root: RuleTrace, more: Partial<DecisionTrace> = {}): DecisionTrace => ({
  decision_name: name,
  priority: 0,
  tier: 0,
  state: "no_match",
  matched: false,
  confidence: 0,
  root_trace: root,
  ...more,
})
const named = (changes: ReturnType<typeof changesFor>) =>
  changes?.map(({ leaf: changed, to }) => `${conditionOf(changed)} ${to}`)

const yes = leaf("yes", "match")
const no = leaf("no", "no_match")
const other = leaf("other", "no_match")
const unread = leaf("unread", "unknown")

describe("the fewest changes", () => {
  test.each<[string, RuleTrace, boolean, readonly string[] | undefined]>([
    ["none for what is so already", yes, true, []],
    ["a condition that does not match", no, true, ["keyword:no match"]],
    ["a condition that is unknown, to match", unread, true, ["keyword:unread match"]],
    ["a condition that is unknown, not to match", unread, false, ["keyword:unread no_match"]],
    ["an AND needs all", node("AND", yes, no, other), true, ["keyword:no match", "keyword:other match"]],
    ["an AND falls by one", node("AND", yes, leaf("too", "match")), false, ["keyword:yes no_match"]],
    ["an OR needs the nearest", node("OR", node("AND", no, other), unread), true, ["keyword:unread match"]],
    [
      "an OR falls by all",
      node("OR", yes, leaf("too", "match")),
      false,
      ["keyword:yes no_match", "keyword:too no_match"],
    ],
    ["a NOT turns it round", node("NOT", yes), true, ["keyword:yes no_match"]],
    ["no conditions always match", node("AND"), true, []],
    ["no conditions can never fail", node("AND"), false, undefined],
    ["nor can they below a NOT", node("NOT", node("AND")), true, undefined],
    ["one that cannot is passed over in an OR", node("OR", node("NOT", node("AND")), no), true, ["keyword:no match"]],
  ])("%s", (_, tree, matches, expected) => {
    expect(named(changesFor(tree, matches))).toEqual(expected)
  })
})

describe("which decision goes before", () => {
  const plain = (more: Partial<DecisionTrace>): DecisionTrace => decision("d", yes, more)

  test.each<[Partial<DecisionTrace>, Partial<DecisionTrace>, "priority" | "confidence", boolean | undefined]>([
    [{ priority: 2 }, { priority: 1 }, "priority", true],
    [{ priority: 1 }, { priority: 2 }, "priority", false],
    [{ priority: 1 }, { priority: 1 }, "priority", undefined],
    [{ priority: 2 }, { priority: 1 }, "confidence", undefined],
    [{ tier: 0, priority: 1 }, { tier: 1, priority: 9 }, "priority", true],
    [{ tier: 2 }, { tier: 1 }, "confidence", false],
    [{ tier: 1, priority: 9 }, { tier: 1, priority: 1 }, "priority", undefined],
  ])("%j against %j by %s", (a, b, strategy, expected) => {
    expect(goesBefore(plain(a), plain(b), strategy)).toBe(expected)
  })
})

describe("a way to win", () => {
  const winner = decision("winner", node("OR", yes), { matched: true, state: "match", priority: 10 })

  test("of a higher priority needs its own conditions", () => {
    const high = decision("high", no, { priority: 20 })
    expect(named(wayToWin(high, [winner, high], "priority")?.changes)).toEqual(["keyword:no match"])
  })

  test("of a lower one needs those before it to fail as well, each condition once", () => {
    const second = decision("second", yes, { matched: true, state: "match", priority: 5 })
    const low = decision("low", no)
    expect(named(wayToWin(low, [winner, second, low], "priority")?.changes)).toEqual([
      "keyword:no match",
      "keyword:yes no_match",
    ])
  })

  test("of an equal one needs more confidence", () => {
    const equal = decision("equal", no, { priority: 10 })
    expect(wayToWin(equal, [winner, equal], "priority")?.surer).toEqual(["winner"])
  })

  test("is none behind a decision without conditions", () => {
    const always = decision("always", node("AND"), { matched: true, state: "match", priority: 10 })
    const low = decision("low", no)
    expect(wayToWin(low, [always, low], "priority")).toBeUndefined()
  })
})
