import { describe, expect, test } from "vitest"
import { decide, evaluate } from "../../../ts/kernel/pipeline/decide.ts"
import { traceDecisions } from "../../../ts/kernel/pipeline/preview/trace.ts"
import type { Facts, UnknownPolicy } from "../../../ts/kernel/types/call.ts"
import type { Fact } from "../../../ts/kernel/types/fact.ts"
import type { PlannedDecision, RuleNode } from "../../../ts/kernel/types/plan.ts"
import { and, createDecision, leaf, match, noMatch, not, or, unknown } from "../../fakes/plan.ts"
import { createRandom, type Random } from "../../fakes/random.ts"

/** What one tree says: a confidence when it matches. */
function read(rules: RuleNode, facts: Facts): number | "no match" | "unknown" {
  const [trace] = traceDecisions({ signals: [], decisions: [createDecision("d", { rules })] }, facts, evaluate)
  if (trace === undefined) return "unknown"
  return trace.state === "match" ? trace.confidence : trace.state === "no_match" ? "no match" : "unknown"
}

const decideOver = (
  decisions: readonly PlannedDecision[],
  facts: Facts = [],
  strategy: "priority" | "confidence" = "priority",
) => {
  const { decision, ...rest } = decide({ decisions, strategy }, facts)
  return { winner: decision === undefined ? undefined : decisions[decision]?.name, ...rest }
}

describe("one condition", () => {
  test.each<[string, Fact | undefined, number | "no match" | "unknown"]>([
    ["a match has the fact's confidence", match(0.7), 0.7],
    ["a match without confidence is still a match", match(0), 0],
    ["no match", noMatch(0.9), "no match"],
    ["unknown", unknown(), "unknown"],
    ["a fact that is missing is unknown", undefined, "unknown"],
  ])("%s", (_, fact, result) => expect(read(leaf(0), [fact])).toBe(result))

  test.each<["match" | "no_match", number | "no match"]>([
    ["match", 1],
    ["no_match", "no match"],
  ])("on_error: %s settles what is unknown and nothing else", (onError, result) => {
    const rules = leaf(0, { onError })
    expect([read(rules, [unknown()]), read(rules, []), read(rules, [match(0.3)]), read(rules, [noMatch()])]).toEqual([
      result,
      result,
      0.3,
      "no match",
    ])
  })

  test("a text in a language that a guard does not know is left to the policy that holds where nothing is blocked", () => {
    const fact: Fact = { ...unknown(), reason: "unsupported_language" }
    const blocking = { onError: "match", blocksUnscanned: true } as const
    expect(read(leaf(0, blocking), [unknown()])).toBe(1)
    expect(read(leaf(0, blocking), [fact])).toBe("unknown")
    expect(read(leaf(0, { ...blocking, onLanguage: "match" }), [fact])).toBe(1)
    expect(read(leaf(0, { onError: "match" }), [fact])).toBe(1)
  })

  test.each<[string, Fact, number | "no match" | "unknown"]>([
    ["the value, when there is one", match(0.1, 5), 1],
    ["the value of a rule that did not match by itself", noMatch(0, 5), 1],
    ["a value that misses it", match(1, 2), "no match"],
    ["the confidence of a match without a value", match(4), 1],
    ["a match whose confidence misses it", match(0.9), "no match"],
    ["no match without a value", noMatch(4), "no match"],
    ["unknown", unknown(), "unknown"],
  ])("a predicate compares %s", (_, fact, result) =>
    expect(read(leaf(0, { predicate: { gte: 3 } }), [fact])).toBe(result),
  )

  test("a predicate is unknown where a part that was not read could settle it", () => {
    const seen = { ...match(0.6), value: 0.6, atLeast: true }
    const of = (predicate: object) => read(leaf(0, { predicate }), [seen])
    expect([of({ gte: 0.5 }), of({ gte: 0.9 }), of({ lt: 0.5 })]).toEqual([1, "unknown", "no match"])
  })

  test("a predicate from above does not hold for a rule that has nothing to compare", () => {
    expect(read(leaf(0, { predicate: { lt: 0.5 } }), [noMatch(0)])).toBe("no match")
  })

  test("on_error: match matches where the predicate's value is unknown", () => {
    expect(read(leaf(0, { predicate: { gte: 3 }, onError: "match" }), [unknown()])).toBe(1)
  })
})

describe("combinations", () => {
  const [yes, no, open] = [match(0.8), noMatch(), unknown()]
  const low = match(0.4)

  test.each<[string, Facts, number | "no match" | "unknown"]>([
    ["two matches: the mean", [yes, low], 0.6],
    ["a match and no match", [yes, no], "no match"],
    ["no match and a match", [no, yes], "no match"],
    ["two without a match", [no, no], "no match"],
    ["a match and unknown", [yes, open], "unknown"],
    ["unknown and a match", [open, yes], "unknown"],
    ["no match settles it beside unknown", [open, no], "no match"],
    ["no match settles it before unknown", [no, open], "no match"],
    ["two unknown", [open, open], "unknown"],
  ])("AND of %s", (_, facts, result) => {
    const found = read(and(leaf(0), leaf(1)), facts)
    expect(typeof found === "number" ? Number(found.toFixed(12)) : found).toBe(result)
  })

  test.each<[string, Facts, number | "no match" | "unknown"]>([
    ["two matches: the highest", [low, yes], 0.8],
    ["a match and no match", [yes, no], 0.8],
    ["no match and a match", [no, low], 0.4],
    ["two without a match", [no, no], "no match"],
    ["a match settles it beside unknown", [open, low], 0.4],
    ["a match without confidence settles it beside unknown", [open, match(0)], 0],
    ["no match and unknown", [no, open], "unknown"],
    ["two unknown", [open, open], "unknown"],
  ])("OR of %s", (_, facts, result) => expect(read(or(leaf(0), leaf(1)), facts)).toBe(result))

  test.each<[string, Facts, number | "no match" | "unknown"]>([
    ["a match", [low], "no match"],
    ["no match", [no], 1],
    ["unknown", [open], "unknown"],
  ])("NOT of %s", (_, facts, result) => expect(read(not(leaf(0)), facts)).toBe(result))

  test("nothing at all matches without confidence", () => expect(read(and(), [])).toBe(0))

  test("OR of nothing does not match", () => expect(read(or(), [])).toBe("no match"))

  test("inner combinations count as one condition", () => {
    const rules = and(leaf(0), and(leaf(1), leaf(2)), or(leaf(1), not(leaf(3))))
    expect(read(rules, [match(0.9), match(0.6), match(0.2), noMatch()])).toBeCloseTo((0.9 + 0.4 + 1) / 3, 12)
  })
})

describe("unknown facts", () => {
  const decision = (onUnknown: UnknownPolicy, changes: Partial<PlannedDecision> = {}): PlannedDecision =>
    createDecision(onUnknown, { rules: leaf(0), onUnknown, ...changes })
  const sure = (changes: Partial<PlannedDecision> = {}): PlannedDecision =>
    createDecision("sure", { rules: leaf(1), ...changes })
  const facts = [unknown(), match(0.5)]
  const applied = (name: UnknownPolicy) => [{ decision: name, policy: name }]

  test("no_match passes the decision by", () => {
    expect(decideOver([decision("no_match", { priority: 9 }), sure()], facts)).toEqual({
      winner: "sure",
      confidence: 0.5,
      appliedPolicies: applied("no_match"),
      unresolved: undefined,
    })
  })

  test("match takes the decision without confidence", () => {
    expect(decideOver([decision("match", { priority: 9 }), sure()], facts)).toEqual({
      winner: "match",
      confidence: 0,
      appliedPolicies: applied("match"),
      unresolved: undefined,
    })
  })

  test("fail_request leaves the request unresolved when the decision could have won", () => {
    expect(decideOver([decision("fail_request", { priority: 9 }), sure()], facts)).toMatchObject({
      appliedPolicies: applied("fail_request"),
      unresolved: "fail_request",
    })
    expect(decideOver([decision("fail_request")], facts)).toEqual({
      winner: undefined,
      confidence: 0,
      appliedPolicies: applied("fail_request"),
      unresolved: "fail_request",
    })
  })

  test("fail_request changes nothing when the decision could not have won", () => {
    expect(decideOver([decision("fail_request"), sure({ priority: 9 })], facts)).toEqual({
      winner: "sure",
      confidence: 0.5,
      appliedPolicies: applied("fail_request"),
      unresolved: undefined,
    })
  })

  test("a decision that is open could have matched with full confidence", () => {
    const rivals = [decision("fail_request"), sure()]
    expect(decideOver(rivals, [unknown(), match(0.99)], "confidence").unresolved).toBe("fail_request")
    expect(
      decideOver([decision("fail_request"), sure({ priority: 1 })], [unknown(), match(1)], "confidence").unresolved,
    ).toBe(undefined)
  })

  test("an open decision with a tier does not switch the others to tiers", () => {
    const decisions = [
      createDecision("first", { rules: leaf(1), priority: 10 }),
      createDecision("second", { rules: leaf(2), priority: 1 }),
      decision("fail_request", { tier: 3 }),
    ]
    expect(decideOver(decisions, [unknown(), match(0.5), match(0.9)])).toMatchObject({
      winner: "first",
      unresolved: undefined,
    })
  })

  test("the strongest of several open decisions is named", () => {
    const decisions = [
      createDecision("weak", { rules: leaf(0), onUnknown: "fail_request" }),
      createDecision("strong", { rules: leaf(0), onUnknown: "fail_request", priority: 1 }),
    ]
    expect(decideOver(decisions, [unknown()]).unresolved).toBe("strong")
  })

  test("policies say nothing where the facts are known", () => {
    expect(decideOver([decision("fail_request")], [noMatch()])).toEqual({
      winner: undefined,
      confidence: 0,
      appliedPolicies: [],
      unresolved: undefined,
    })
  })
})

describe("order", () => {
  const facts = [match(0.2), match(0.9), match(0.9)]
  const low = (changes: Partial<PlannedDecision> = {}) => createDecision("b-low", { rules: leaf(0), ...changes })
  const high = (changes: Partial<PlannedDecision> = {}) => createDecision("c-high", { rules: leaf(1), ...changes })
  const same = (changes: Partial<PlannedDecision> = {}) => createDecision("a-same", { rules: leaf(2), ...changes })

  test.each<[string, readonly PlannedDecision[], "priority" | "confidence", string]>([
    ["priority: the larger number", [low({ priority: 2 }), high({ priority: 1 })], "priority", "b-low"],
    ["priority: negative numbers", [low({ priority: -1 }), high({ priority: -2 })], "priority", "b-low"],
    ["priority: confidence among equals", [low(), high()], "priority", "c-high"],
    ["priority: the name among equals", [high(), same()], "priority", "a-same"],
    ["confidence: the larger one", [low({ priority: 9 }), high()], "confidence", "c-high"],
    ["confidence: priority among equals", [same(), high({ priority: 1 })], "confidence", "c-high"],
    ["confidence: the name among equals", [high(), same()], "confidence", "a-same"],
    ["tiers: the smaller number", [high({ tier: 2, priority: 9 }), low({ tier: 1 })], "priority", "b-low"],
    ["tiers: 0 before 1", [high({ tier: 1, priority: 9 }), low()], "priority", "b-low"],
    ["tiers: confidence before priority", [low({ tier: 1, priority: 9 }), high({ tier: 1 })], "priority", "c-high"],
    ["tiers: priority among equals", [same({ tier: 1 }), high({ tier: 1, priority: 1 })], "priority", "c-high"],
    ["tiers: the name among equals", [high({ tier: 1 }), same({ tier: 1 })], "priority", "a-same"],
    ["tiers go before the strategy", [high({ tier: 2 }), low({ tier: 1 })], "confidence", "b-low"],
  ])("%s", (_, decisions, strategy, winner) => {
    expect(decideOver(decisions, facts, strategy).winner).toBe(winner)
    expect(decideOver(decisions.toReversed(), facts, strategy).winner).toBe(winner)
  })

  test("a tier of a decision that did not match changes nothing", () => {
    const decisions = [low({ priority: 2 }), high({ priority: 1 }), createDecision("out", { rules: leaf(3), tier: 1 })]
    expect(decideOver(decisions, [...facts, noMatch()]).winner).toBe("b-low")
  })

  test("nothing matches: nobody wins", () => {
    expect(decideOver([low()], [noMatch()])).toEqual({
      winner: undefined,
      confidence: 0,
      appliedPolicies: [],
      unresolved: undefined,
    })
    expect(decideOver([])).toMatchObject({ winner: undefined })
  })
})

describe("a slow second opinion over random trees and facts", () => {
  type Said = { readonly state: "match" | "no_match" | "unknown"; readonly confidence: number }

  /** The truth tables written out as ranks: AND is the lowest, OR the highest. */
  function say(node: RuleNode, facts: Facts): Said {
    if (node.kind === "leaf") {
      const fact = facts[node.slot]
      if (fact === undefined || fact.state === "unknown") {
        if (node.onError === "match") return { state: "match", confidence: 1 }
        return { state: node.onError === "no_match" ? "no_match" : "unknown", confidence: 0 }
      }
      if (node.predicate?.gte !== undefined) {
        const value = fact.value ?? (fact.state === "match" ? fact.confidence : -Infinity)
        return { state: value >= node.predicate.gte ? "match" : "no_match", confidence: 1 }
      }
      return { state: fact.state, confidence: fact.confidence }
    }
    const said = node.children.map((child) => say(child, facts))
    const ranks = { no_match: 0, unknown: 1, match: 2 } as const
    const states = ["no_match", "unknown", "match"] as const
    const sorted = said.map(({ state }) => ranks[state]).toSorted((a, b) => a - b)
    if (node.kind === "NOT") return { state: states[2 - (sorted[0] ?? 0)] ?? "unknown", confidence: 1 }
    const state =
      states[(node.kind === "AND" ? sorted[0] : sorted.at(-1)) ?? (node.kind === "AND" ? 2 : 0)] ?? "unknown"
    const matching = said.filter((each) => each.state === "match").map(({ confidence }) => confidence)
    const total = matching.reduce((sum, confidence) => sum + confidence, 0)
    return { state, confidence: node.kind === "OR" ? Math.max(0, ...matching) : total / Math.max(1, matching.length) }
  }

  /** Asks of every world in which some of the open decisions match who would win there. */
  function decideSlowly(decisions: readonly PlannedDecision[], facts: Facts, strategy: "priority" | "confidence") {
    const said = decisions.map((decision) => ({ decision, ...say(decision.rules, facts) }))
    const matched = said.flatMap(({ decision, state, confidence }) =>
      state === "match"
        ? [{ decision, confidence }]
        : state === "unknown" && decision.onUnknown === "match"
          ? [{ decision, confidence: 0 }]
          : [],
    )
    const open = said.flatMap(({ decision, state }) =>
      state === "unknown" && decision.onUnknown === "fail_request" ? [{ decision, confidence: 1 }] : [],
    )
    const winnerAmong = (inWorld: typeof matched) => {
      const tiers = inWorld.some(({ decision }) => decision.tier > 0)
      const keys = ({ decision, confidence }: (typeof matched)[number]): readonly number[] =>
        tiers
          ? [decision.tier, -confidence, -decision.priority]
          : strategy === "confidence"
            ? [-confidence, -decision.priority]
            : [-decision.priority, -confidence]
      return inWorld.toSorted((a, b) => {
        const [left, right] = [keys(a), keys(b)]
        const differing = left.findIndex((key, index) => key !== right[index])
        return differing >= 0
          ? (left[differing] ?? 0) - (right[differing] ?? 0)
          : a.decision.name.localeCompare(b.decision.name)
      })[0]
    }
    const worlds = Array.from({ length: 2 ** open.length }, (_, world) =>
      winnerAmong([...matched, ...open.filter((__, index) => (world >> index) % 2 === 1)]),
    )
    const winner = winnerAmong(matched)
    return {
      winner: winner?.decision.name,
      confidence: winner?.confidence ?? 0,
      couldHaveWon: new Set(
        worlds.flatMap((each) => (each !== undefined && open.includes(each) ? [each.decision.name] : [])),
      ),
    }
  }

  const slots = 5

  function randomTree(random: Random, depth: number): RuleNode {
    const kind = depth === 0 ? 0 : random.below(4)
    if (kind === 0)
      return leaf(random.below(slots), {
        ...(random.chance(0.2) && { predicate: { gte: random.pick([0, 0.5, 2]) } }),
        ...(random.chance(0.2) && { onError: random.pick(["match", "no_match"] as const) }),
      })
    if (kind === 1) return not(randomTree(random, depth - 1))
    const children = Array.from({ length: random.below(4) }, () => randomTree(random, depth - 1))
    return kind === 2 ? and(...children) : or(...children)
  }

  const randomFact = (random: Random): Fact | undefined => {
    const confidence = random.pick([0, 0.25, 0.5, 1])
    const value = random.chance(0.3) ? random.below(4) : undefined
    return random.pick([match(confidence, value), match(confidence), noMatch(confidence, value), unknown(), undefined])
  }

  test.each(Array.from({ length: 60 }, (_, seed) => seed))("agrees on the cases of seed %i", (seed) => {
    const random = createRandom(seed)
    for (let round = 0; round < 50; round++) {
      const decisions = Array.from({ length: 1 + random.below(5) }, (_, index) =>
        createDecision(`d${index}`, {
          rules: randomTree(random, 3),
          priority: random.below(3),
          tier: random.chance(0.3) ? random.below(3) : 0,
          onUnknown: random.pick(["no_match", "match", "fail_request"] as const),
        }),
      )
      const facts = Array.from({ length: slots }, () => randomFact(random))
      const strategy = random.pick(["priority", "confidence"] as const)
      const found = decideOver(decisions, facts, strategy)
      const expected = decideSlowly(decisions, facts, strategy)
      expect({ winner: found.winner, unresolved: found.unresolved !== undefined }).toEqual({
        winner: expected.winner,
        unresolved: expected.couldHaveWon.size > 0,
      })
      expect(found.confidence).toBeCloseTo(expected.confidence, 12)
      expect(found.unresolved === undefined || expected.couldHaveWon.has(found.unresolved)).toBe(true)
    }
  })
})

describe("traceDecisions", () => {
  test("tells what every node said", () => {
    const decisions = [
      createDecision("d", {
        rules: and(leaf(0, { type: "keyword", name: "urgent" }), not(leaf(1, { type: "domain", name: "law" }))),
        onUnknown: "fail_request",
      }),
    ]
    expect(traceDecisions({ signals: [], decisions }, [match(0.5), unknown()], evaluate)).toEqual([
      {
        decision_name: "d",
        priority: 0,
        tier: 0,
        state: "unknown",
        matched: false,
        confidence: 0,
        on_unknown: "fail_request",
        root_trace: {
          node_type: "AND",
          state: "unknown",
          matched: false,
          confidence: 0,
          children: [
            {
              node_type: "leaf",
              signal_type: "keyword",
              signal_name: "urgent",
              state: "match",
              matched: true,
              confidence: 0.5,
            },
            {
              node_type: "NOT",
              state: "unknown",
              matched: false,
              confidence: 0,
              children: [
                {
                  node_type: "leaf",
                  signal_type: "domain",
                  signal_name: "law",
                  state: "unknown",
                  matched: false,
                  confidence: 0,
                  reason: "failed",
                },
              ],
            },
          ],
        },
      },
    ])
  })

  test("a match by policy is a match without confidence, and still unknown", () => {
    const decisions = [createDecision("d", { rules: leaf(0), onUnknown: "match" })]
    expect(traceDecisions({ signals: [], decisions }, [unknown()], evaluate)).toMatchObject([
      { state: "unknown", matched: true, confidence: 0, on_unknown: "match" },
    ])
  })

  test("the policy is told only where it was needed", () => {
    const decisions = [createDecision("d", { rules: leaf(0), onUnknown: "match" })]
    expect(traceDecisions({ signals: [], decisions }, [match(0.5)], evaluate)[0]).not.toHaveProperty("on_unknown")
  })
})
