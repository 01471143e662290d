import { defineSignal, type Fact, Type } from "rtr"
import { readerOf, signalContract, signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

type Definition = Omit<Parameters<typeof defineSignal>[0], "needs">

const fact = (rule: string, changes: object = {}): Fact => ({ rule, state: "match", confidence: 1, ...changes })

/** A signal that keeps the contract. */
const good = {
  about: "matches everything",
  rule: Type.Object({ word: Type.Optional(Type.String()) }),
  check: (
    rules: readonly { word?: string }[],
    report: (path: readonly (string | number)[], message: string) => void,
  ) => {
    rules.forEach(({ word }, index) => {
      if (word === "bad") report([index, "word"], "is bad")
    })
  },
  setup: (rules: readonly { name: string }[]) => ({ read: () => rules.map(({ name }) => fact(name)) }),
}
const options = { rules: [{ name: "a" }, { name: "b", word: "x" }], invalidRules: [{ name: "c", word: "bad" }] }

const failures = (changes: object, given: object = {}): Promise<readonly string[]> =>
  failuresOf(
    signalContract(
      defineSignal({ ...good, ...changes } as unknown as Definition) as never,
      { ...options, ...given } as never,
    ),
  )

/** A reader whose facts are these, whatever the rules. */
const reading = (read: (rules: readonly { name: string }[]) => unknown) => ({
  setup: (rules: readonly { name: string }[]) => ({ read: () => read(rules) }),
})

const says = "says what it does in one line"
const accepts = "accepts its sample rules"
const reports = "reports rules that cannot work"
const gives = "gives one well-formed fact for every rule, whatever the text"
const same = "says the same of the same text"
const neverMatches = "never turns a failing model into a match"

test("a signal that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
  expect(signalContract(defineSignal(good as never) as never, options as never).map(({ name }) => name)).toEqual([
    says,
    accepts,
    reports,
    gives,
    same,
    neverMatches,
  ])
})

describe("is broken by a signal", () => {
  test.each<[string, object, object, readonly string[]]>([
    ["that is of another kind", { kind: "plugin" }, {}, [says]],
    ["that does not say what it does", { about: " " }, {}, [says]],
    ["that says it in two lines", { about: "a\nb" }, {}, [says]],
    ["that has no sample rules", {}, { rules: [] }, [accepts]],
    ["whose schema refuses a sample rule", { rule: Type.Object({ word: Type.String() }) }, {}, [accepts]],
    [
      "whose check reports a sample rule",
      { check: (_: unknown, report: (path: unknown, message: string) => void) => report([0], "x") },
      {},
      [accepts],
    ],
    ["whose check misses a rule that cannot work", { check: () => {} }, {}, [reports]],
    ["that has no check for a rule that cannot work", { check: undefined }, {}, [reports]],
    [
      "whose check reports a path that is not the rule's",
      {
        check: (rules: readonly { word?: string }[], report: (path: unknown, message: string) => void) =>
          rules[0]?.word === "bad" && report(["word"], "x"),
      },
      {},
      [reports],
    ],
    ["that leaves a fact out", reading(([first]) => [fact(first?.name ?? "")]), {}, [gives]],
    [
      "that gives a fact too many",
      reading((rules) => [...rules.map(({ name }) => fact(name)), fact("c")]),
      {},
      [gives],
    ],
    ["that gives a fact twice", reading(([first]) => [fact(first?.name ?? ""), fact(first?.name ?? "")]), {}, [gives]],
    [
      "with a confidence above 1",
      reading((rules) => rules.map(({ name }) => fact(name, { confidence: 1.1 }))),
      {},
      [gives],
    ],
    [
      "with a negative confidence",
      reading((rules) => rules.map(({ name }) => fact(name, { confidence: -0.1 }))),
      {},
      [gives],
    ],
    [
      "with a confidence that is no number",
      reading((rules) => rules.map(({ name }) => fact(name, { confidence: Number.NaN }))),
      {},
      [gives],
    ],
    [
      "with a value that is no number",
      reading((rules) => rules.map(({ name }) => fact(name, { value: Number.NaN }))),
      {},
      [gives],
    ],
    [
      "with a state of its own",
      reading((rules) => rules.map(({ name }) => fact(name, { state: "maybe" }))),
      {},
      [gives],
    ],
    [
      "that is unknown without a reason",
      reading((rules) => rules.map(({ name }) => fact(name, { state: "unknown" }))),
      {},
      [gives],
    ],
    [
      "that has a reason without being unknown",
      reading((rules) => rules.map(({ name }) => fact(name, { reason: "failed" }))),
      {},
      [gives],
    ],
    [
      "that throws on an awkward text",
      {
        setup: (rules: readonly { name: string }[]) => ({
          read: ({ text }: { text: string }) => {
            if (text.includes("\0")) throw new Error("NUL")
            return rules.map(({ name }) => fact(name))
          },
        }),
      },
      {},
      [gives],
    ],
    [
      "that says something else each time",
      {
        setup: (rules: readonly { name: string }[]) => {
          let round = 0
          return { read: () => rules.map(({ name }) => fact(name, { confidence: 1 / (round += 1) })) }
        },
      },
      {},
      [same],
    ],
    [
      "that changes its input",
      {
        setup: (rules: readonly { name: string }[]) => ({
          read: (input: { text: string }) => {
            input.text = "changed"
            return rules.map(({ name }) => fact(name))
          },
        }),
      },
      {},
      [gives, same],
    ],
    [
      "whose setup throws",
      {
        setup: () => {
          throw new Error("broken")
        },
      },
      {},
      [gives, same],
    ],
  ])("%s", async (_, changes, given, failed) => expect(await failures(changes, given)).toEqual(failed))
})

describe("a signal that asks a model", () => {
  const asking = (need: string, read: (rules: readonly { name: string }[], ask: never) => unknown) => ({
    needs: [need],
    setup: (rules: readonly { name: string }[]) => ({ read: (_: unknown, ask: never) => read(rules, ask) }),
  })
  const matches = (rules: readonly { name: string }[]): readonly Fact[] => rules.map(({ name }) => fact(name))

  test("may throw when the model fails", async () => {
    const read = async (rules: readonly { name: string }[], ask: { classify(text: string): Promise<unknown> }) => {
      await ask.classify("x")
      return matches(rules)
    }
    expect(await failures(asking("inference.classify", read as never))).toEqual([])
  })

  test("may say unknown when the model fails", async () => {
    const read = (rules: readonly { name: string }[], ask: { embed(text: string): Promise<unknown> }) =>
      ask.embed("x").then(
        () => matches(rules),
        () => rules.map(({ name }) => fact(name, { state: "unknown", confidence: 0, reason: "failed" })),
      )
    expect(await failures(asking("inference.embed", read as never))).toEqual([])
  })

  test.each(["match", "no_match"])("must not say %s when the model fails", async (state) => {
    const read = (rules: readonly { name: string }[], ask: { embed(text: string): Promise<unknown> }) =>
      ask.embed("x").then(
        () => matches(rules),
        () => rules.map(({ name }) => fact(name, { state })),
      )
    expect(await failures(asking("inference.embed", read as never))).toEqual([neverMatches])
  })
})

test("signalInput is frozen and holds the text as last user message", () => {
  const input = signalInput("hello")
  expect(input).toEqual({
    text: "hello",
    request: {
      model: "MoM",
      messages: [
        { role: "system", content: "Be kind" },
        { role: "user", content: "hello" },
      ],
    },
  })
  expect(Object.isFrozen(input.request.messages)).toBe(true)
})

test("readerOf sets a signal up with settings and asking functions", async () => {
  const seen: unknown[] = []
  const module = defineSignal({
    about: "spies",
    rule: Type.Object({}),
    needs: ["inference.embed"],
    setup: (rules, host) => {
      seen.push([rules, Object.keys(host).toSorted()])
      return { read: async ({ text }, ask) => [fact("a", { value: (await ask.embed(text)).length })] }
    },
  })
  const read = await readerOf(module as never, { rules: [{ name: "a" }] as never, settings: { x: 1 } })
  expect(await read("hello")).toEqual([fact("a", { value: 64 })])
  expect(seen).toEqual([[[{ name: "a" }], ["classify", "embed", "embedAll", "settings", "spans"]]])
})
