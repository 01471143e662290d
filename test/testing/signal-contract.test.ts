import {
  type BatchedQuestions,
  defineSignal,
  type Fact,
  RtrError,
  type SignalInput,
  type TextBlock,
  type Turn,
  Type,
} from "rtr"
import { chatRequest, readerOf, signalContract, signalInput, textTurn } from "rtr/testing"
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
const implies = "implies one rule that fits its schema for every name"
const declares = "reads only facts of the types that it comes after"
const neverAnswers = "never turns a failing model into an answer"
const readsAll = "as a guard reads the texts that each of its rules has to read"
const neverSafe = "as a guard never calls a text safe that it read in part"
const closes = "closes without an error"

test("a signal that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
  expect(signalContract(defineSignal(good as never) as never, options as never).map(({ name }) => name)).toEqual([
    says,
    accepts,
    reports,
    implies,
    gives,
    same,
    declares,
    neverAnswers,
    neverSafe,
    readsAll,
    closes,
  ])
})

/** What authors write who think of texts only. */
function lengthOfText({ request }: SignalInput): number {
  const { blocks } = request.turns.at(-1) as Turn
  return (blocks.find(({ type }) => type === "text") as TextBlock).text.length
}

test("a broken signal is told which message it cannot read", async () => {
  const setup = () => ({ read: (input: SignalInput) => [fact("a", { value: lengthOfText(input) })] })
  const cases = signalContract(defineSignal({ ...good, setup } as never) as never, { rules: [{ name: "a" }] } as never)
  await expect(cases.find(({ name }) => name === gives)?.run()).rejects.toThrow(
    "Expected facts about a request whose last message has only an image: TypeError: ",
  )
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
    ["that returns nothing", reading(() => undefined), {}, [gives]],
    ["that returns no list", reading(() => ({ length: 0 })), {}, [gives]],
    ["whose sample rule has an unknown key", {}, { rules: [{ name: "a", wrd: "x" }] }, [accepts]],
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
      "that takes every text for too long, as a guard",
      {
        guard: true,
        setup: (rules: readonly { name: string }[]) => ({
          read: ({ text, textsFor }: SignalInput) => {
            if (!/^(any|the same) text$/.test(text)) throw new RtrError("scan_budget_exceeded", "too long")
            return rules.map((rule) => textsFor(rule as never) && fact(rule.name))
          },
        }),
      },
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
      "that looks for a text in every message",
      {
        setup: (rules: readonly { name: string }[]) => ({
          read: (input: SignalInput) => rules.map(({ name }) => fact(name, { value: lengthOfText(input) })),
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
      [gives, same, declares],
    ],
    [
      "whose setup throws",
      {
        setup: () => {
          throw new Error("broken")
        },
      },
      {},
      [gives, same, declares, closes],
    ],
    ["that implies rules under other names", { implyRules: () => [{ name: "other" }] }, {}, [implies]],
    [
      "that implies rules that its schema refuses",
      { implyRules: (names: readonly string[]) => names.map((name) => ({ name, word: 5 })) },
      {},
      [implies],
    ],
    [
      "that reads facts that it did not declare",
      {
        after: ["keyword"],
        setup: (rules: readonly { name: string }[]) => ({
          read: ({ factsOf }: SignalInput) => {
            factsOf("keyword")
            factsOf("language")
            return rules.map(({ name }) => fact(name))
          },
        }),
      },
      {},
      [declares],
    ],
    [
      "that throws when it is closed",
      {
        setup: (rules: readonly { name: string }[]) => ({
          read: () => rules.map(({ name }) => fact(name)),
          close: () => {
            throw new Error("still open")
          },
        }),
      },
      {},
      [closes],
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
    expect(await failures(asking("inference.embed", read as never))).toEqual([neverAnswers])
  })

  test("finds no question that it did not declare", async () => {
    const read = async (rules: readonly { name: string }[], ask: { classify(text: string): Promise<unknown> }) => {
      await ask.classify("x")
      return matches(rules)
    }
    expect(await failures(asking("inference.embed", read as never))).toEqual([gives, same, declares])
  })

  test("may ask typed questions and for rankings", async () => {
    const read = async (rules: readonly { name: string }[], { decide, rerank }: BatchedQuestions) => {
      const [decided, { scores }] = [await decide("x", { type: "noul" }), await rerank("x", ["y"])]
      return rules.map(({ name }) => fact(name, { value: decided.type === "noul" ? decided.noul : scores[0] }))
    }
    const both = { ...asking("inference.decide", read as never), needs: ["inference.decide", "inference.rerank"] }
    expect(await failures(both)).toEqual([])
  })

  describe("as a guard", () => {
    const guarding = (whenPartial: object, readsTexts = true) => ({
      ...asking("inference.classify", undefined as never),
      guard: true,
      setup: (rules: readonly { name: string }[]) => ({
        read: async ({ textsFor }: SignalInput, { classify }: BatchedQuestions) => {
          if (readsTexts) for (const rule of rules) textsFor(rule)
          const { truncated } = await classify("x")
          return rules.map(({ name }) => fact(name, truncated === undefined ? {} : whenPartial))
        },
      }),
    })

    test("must not call a text safe that it read in part", async () => {
      expect(await failures(guarding({ state: "no_match", confidence: 0 }))).toEqual([neverSafe])
      expect(await failures(guarding({ state: "unknown", confidence: 0, reason: "unread_words" }))).toEqual([])
      expect(await failures(guarding({ atLeast: true, reason: "unread_words" }))).toEqual([])
    })

    test("must read what its rules have to read", async () => {
      expect(await failures(guarding({ atLeast: true, reason: "unread_words" }, false))).toEqual([readsAll])
    })
  })
})

test("a signal sees the facts of the types that it comes after", async () => {
  const module = defineSignal({
    about: "repeats",
    rule: Type.Object({}),
    after: ["keyword"],
    setup: () => ({ read: ({ factsOf }) => factsOf("keyword") }),
  })
  const facts = { keyword: [fact("a")] }
  expect(await (await readerOf(module as never, { rules: [{ name: "a" }] as never, facts }))("x")).toEqual([fact("a")])
})

test("readerOf refuses rules that a document may not have", async () => {
  const read = (...rules: readonly object[]) => readerOf(defineSignal(good as never) as never, { rules } as never)
  await expect(read({ name: "a", word: 5 })).rejects.toThrow(
    'Expected rule "a" to fit the schema: /word must be string',
  )
  await expect(read({ name: "a", wrd: "x" })).rejects.toThrow('Expected rule "a" to fit the schema: ')
  await expect(read({ name: "a", word: "bad" })).rejects.toThrow("Expected the rules to be valid, got 0.word: is bad")
})

test("signalInput is frozen and holds the text as last user turn", () => {
  const input = signalInput("hello")
  expect(input).toMatchObject({
    text: "hello",
    request: chatRequest([textTurn("system", "Be kind"), textTurn("user", "hello")]),
    principal: { role: "client" },
  })
  expect([input.header("x"), input.factsOf("keyword")]).toEqual([undefined, []])
  expect(Object.isFrozen(input.request.turns)).toBe(true)
})

test("readerOf sets a signal up with settings, vectors and what the test grants", async () => {
  const seen: unknown[] = []
  const module = defineSignal({
    about: "spies",
    rule: Type.Object({}),
    needs: ["inference.embed", "clock"],
    setup: (rules, host) => {
      const { settings, embedAll } = host as { settings?: unknown; embedAll?: unknown }
      seen.push([rules, settings, typeof embedAll])
      return { read: async ({ text }, ask) => [fact("a", { value: (await ask.embed(text)).length + host.clock() })] }
    },
  })
  const given = { rules: [{ name: "a" }], settings: { x: 1 }, host: { clock: () => 1 } }
  expect(await (await readerOf(module as never, given as never))("hello")).toEqual([fact("a", { value: 65 })])
  expect(seen).toEqual([[[{ name: "a" }], { x: 1 }, "function"]])
})
