import type { Fact } from "rtr"
import { readerOf, signalContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/structure.ts"

type Rule = Parameters<typeof signal.setup>[0][number]
type Feature = Rule["feature"]
type Source = Feature["source"]

const rule = (type: Feature["type"], source: Source, predicate?: Rule["predicate"]): Rule => ({
  name: "rule",
  feature: { type, source },
  ...(predicate !== undefined && { predicate }),
})
const read = async (given: Rule, text: string): Promise<Fact | undefined> =>
  (await (await readerOf(signal as never, { rules: [given] as never }))(text))[0]

const questions: Source = { type: "keyword_set", keywords: ["how", "why"] }
const digits: Source = { type: "regex", pattern: "[0-9]" }
const steps: Source = {
  type: "sequence",
  sequences: [
    ["first", "then", "finally"],
    ["1.", "2."],
  ],
}
const bytes: Source = { type: "text_bytes" }

describe("contract", () => {
  const named = (name: string, given: Rule): Rule => ({ ...given, name })
  for (const { name, run } of signalContract(signal, {
    rules: [
      named("exists", rule("exists", digits)),
      named("count", rule("count", questions, { gte: 2 })),
      named("density", rule("density", digits, { gt: 0.1 })),
      named("sequence", rule("sequence", steps)),
      named("bytes", rule("count", bytes, { lt: 1000 })),
    ],
    invalidRules: [
      rule("exists", digits, { gt: 0 }),
      rule("count", { type: "regex", pattern: "(" }),
      rule("count", steps),
    ],
  }))
    test(name, run)
})

describe("exists", () => {
  test.each([
    ["year 2024", "match", 1],
    ["no number", "no_match", 0],
    ["", "no_match", 0],
  ])("%j: %s", async (text, state, value) => {
    expect(await read(rule("exists", digits), text)).toEqual({ rule: "rule", state, confidence: 1, value })
  })
})

describe("count", () => {
  test.each<[string, Source, string, number]>([
    ["of a pattern", digits, "1 22 333", 6],
    ["of a pattern in any case", { type: "regex", pattern: "ab" }, "abABaB", 3],
    ["of a pattern in its own case", { type: "regex", pattern: "ab", case_sensitive: true }, "abABaB", 1],
    ["of words", questions, "How and why, and how?", 3],
    ["of whole words", questions, "however somehow", 0],
    ["of words in their own case", { ...questions, case_sensitive: true }, "How and why, and how?", 2],
    ["of words in scripts without spaces", { type: "keyword_set", keywords: ["退款"] }, "我要退款，退款！", 2],
    ["of words of symbols", { type: "keyword_set", keywords: ["```"] }, "```js\n```", 2],
    ["of bytes", bytes, "aé漢👩", 10],
    ["of no bytes", bytes, "", 0],
  ])("%s", async (_, source, text, count) => expect((await read(rule("count", source), text))?.value).toBe(count))

  test("without a predicate matches from one on", async () => {
    expect(await read(rule("count", digits), "a1")).toEqual({ rule: "rule", state: "match", confidence: 1, value: 1 })
    expect(await read(rule("count", digits), "a")).toEqual({ rule: "rule", state: "no_match", confidence: 1, value: 0 })
  })

  test.each<[NonNullable<Rule["predicate"]>, "match" | "no_match"]>([
    [{ gte: 3 }, "match"],
    [{ gt: 3 }, "no_match"],
    [{ lte: 3 }, "match"],
    [{ lt: 3 }, "no_match"],
    [{ gt: 1, lt: 4 }, "match"],
    [{ gte: 0, lte: 2 }, "no_match"],
  ])("of 3 with %j: %s", async (predicate, state) => {
    expect((await read(rule("count", digits, predicate), "1 2 3"))?.state).toBe(state)
  })
})

describe("density", () => {
  test.each<[string, Source, string, number]>([
    ["per word", { type: "regex", pattern: "!" }, "stop now please go!!", 2 / 4],
    ["per character in scripts without spaces", { type: "keyword_set", keywords: ["退款"] }, "我要退款", 1 / 4],
    ["of nothing", digits, "", 0],
    ["without any word", { type: "regex", pattern: "!" }, "!!!", 3],
  ])("%s", async (_, source, text, value) =>
    expect((await read(rule("density", source), text))?.value).toBeCloseTo(value, 9),
  )
})

describe("sequence", () => {
  test.each([
    ["First do this, THEN that, finally rest", 1],
    ["first then", 0],
    ["then first finally", 0],
    ["1. one\n2. two", 1],
    ["2. two 1. one", 0],
    ["firstthenfinally", 1],
    ["", 0],
  ])("%j: %i", async (text, value) => expect((await read(rule("sequence", steps), text))?.value).toBe(value))

  test("in its own case", async () => {
    const exact: Source = { type: "sequence", sequences: [["A", "B"]], case_sensitive: true }
    expect((await read(rule("sequence", exact), "A b B"))?.value).toBe(1)
    expect((await read(rule("sequence", exact), "a b"))?.value).toBe(0)
  })

  test("does not read one marker as two", async () => {
    const twice: Source = { type: "sequence", sequences: [["aa", "aa"]] }
    expect((await read(rule("sequence", twice), "aaa"))?.value).toBe(0)
    expect((await read(rule("sequence", twice), "aaaa"))?.value).toBe(1)
  })
})

describe("confidence with a predicate", () => {
  const certainty = (distance: number): number => Math.max(0.5, 1 / (1 + Math.exp(-4 * distance)))

  test.each<[NonNullable<Rule["predicate"]>, number]>([
    [{ gte: 3 }, 0],
    [{ gt: 2 }, 1],
    [{ gt: 2.75 }, 0.25],
    [{ gte: 5 }, 2],
    [{ lt: 4 }, 1],
    [{ lte: 3.5 }, 0.5],
    [{ gt: 1, lt: 4 }, 2],
    [{ gte: 3, lte: 100 }, 0],
  ])("of 3 with %j comes from the distance %d to its first bound", async (predicate, distance) => {
    expect((await read(rule("count", digits, predicate), "1 2 3"))?.confidence).toBeCloseTo(certainty(distance), 9)
  })
})

describe("rules", () => {
  const problems = async (given: Rule): Promise<readonly string[]> => {
    const reported: string[] = []
    await signal.check?.([rule("exists", digits), given], (path, message) =>
      reported.push(`${path.join(".")}: ${message}`),
    )
    return reported
  }

  test.each<[string, Rule, readonly string[]]>([
    ["every type of source", rule("exists", questions), []],
    ["density of a pattern", rule("density", digits, { gt: 0.1 }), []],
    [
      "a pattern that is missing",
      rule("count", { type: "regex" }),
      ["1.feature.source.pattern: is missing; a source of type regex needs it"],
    ],
    [
      "words that are missing",
      rule("count", { type: "keyword_set", pattern: "x" }),
      [
        "1.feature.source.keywords: is missing; a source of type keyword_set needs it",
        "1.feature.source.pattern: does not belong to a source of type keyword_set",
      ],
    ],
    [
      "sequences that are missing",
      rule("sequence", { type: "sequence" }),
      ["1.feature.source.sequences: is missing; a source of type sequence needs it"],
    ],
    [
      "a field of another source",
      rule("count", { ...bytes, keywords: ["x"] }),
      ["1.feature.source.keywords: does not belong to a source of type text_bytes"],
    ],
    [
      "a pattern that is broken",
      rule("count", { type: "regex", pattern: "[" }),
      ["1.feature.source.pattern: is not a valid pattern: error parsing regexp: missing closing ]: `[`"],
    ],
    [
      "a sequence that is counted",
      rule("count", steps),
      ["1.feature.type: sequence features and sequence sources go together"],
    ],
    [
      "a pattern as sequence",
      rule("sequence", digits),
      ["1.feature.type: sequence features and sequence sources go together"],
    ],
    ["bytes that exist", rule("exists", bytes), ["1.feature.type: must be count for a source of type text_bytes"]],
    ["a predicate of exists", rule("exists", digits, { gt: 0 }), ["1.predicate: is not allowed with exists"]],
    [
      "a predicate without a bound",
      rule("count", digits, {}),
      ["1.predicate: must have at least one of gt, gte, lt, lte"],
    ],
    [
      "a predicate that cannot hold",
      rule("count", digits, { gt: 2, lt: 1 }),
      ["1.predicate: can never hold: no number is above 2 and below 1"],
    ],
  ])("%s", async (_, given, reported) => expect(await problems(given)).toEqual(reported))

  test.each([
    [{ feature: { type: "count", source: digits } }, true],
    [{ feature: { type: "mean", source: digits } }, false],
    [{ feature: { type: "count", source: { type: "words" } } }, false],
    [{ feature: { type: "count", source: { type: "keyword_set", keywords: [] } } }, false],
    [{ feature: { type: "count", source: { type: "keyword_set", keywords: [""] } } }, false],
    [{ feature: { type: "sequence", source: { type: "sequence", sequences: [["one"]] } } }, false],
    [{ feature: { type: "count", source: digits, normalize_by: "x" } }, false],
    [{ feature: { type: "count", source: digits }, predicate: { eq: 1 } }, false],
    [{}, false],
  ])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
})
