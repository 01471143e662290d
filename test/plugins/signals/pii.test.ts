import { type Turn, type Fact, type Inference, type InferenceTask, RtrError, type TextSpan } from "rtr"
import { createFakeInference, createFakeQuestions, readerOf, signalContract, signalInput, textTurn } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import { assistant, inputOf, toolTurn, user } from "../../fakes/signal-input.ts"
import signal from "../../../ts/plugins/signals/pii.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** A model that marks these words wherever they stand. */
const words: Readonly<Record<string, readonly [label: string, probability: number]>> = {
  Ann: ["PERSON", 0.95],
  Berlin: ["LOCATION", 0.7],
  Acme: ["ORG", 0.4],
}
const spans = (text: string): readonly TextSpan[] =>
  Object.entries(words).flatMap(([word, [label, probability]]) => {
    const start = text.indexOf(word)
    return start === -1 ? [] : [{ label, start, end: start + word.length, probability }]
  })

const read = async (text: string, ...rules: readonly Rule[]): Promise<readonly Fact[]> =>
  (await readerOf(signal as never, { rules: rules as never, inference: { spans } }))(text)

/** A document in which another model than the built-in one answers. */
const bound = {
  global: {
    model_catalog: {
      deployments: { own: { artifact: "ann/names" } },
      bindings: { pii_classifier: { deployment: "own", head: "names" } },
    },
  },
}
const readBound = async (text: string, rules: readonly Rule[], settings: object = {}): Promise<readonly Fact[]> => {
  const reader = await signal.setup(rules, { settings, document: bound } as never)
  return reader.read(signalInput(text, []), createFakeQuestions(createFakeInference({ spans })))
}

const match = (rule: string, value: number): Fact => ({
  rule,
  state: "match",
  confidence: 1,
  value,
  kinds: expect.any(Array) as never,
})
const noMatch = (rule: string): Fact => ({ rule, state: "no_match", confidence: 1, value: 0 })
const unknown = (rule: string, reason: string) => ({ rule, state: "unknown", confidence: 0, reason })

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [
      { name: "any" },
      { name: "most", threshold: 0.5, pii_types_allowed: ["GPE", "ORGANIZATION"], include_history: true },
    ],
    invalidRules: [{ name: "typing", pii_types_allowed: ["PERSONN"] }],
    inference: { spans },
  }))
    test(name, run)
})

describe("a rule", () => {
  test("matches what the model marks, with the highest probability as value", async () => {
    expect(await read("Ann of Acme", { name: "any" })).toEqual([match("any", 0.95)])
  })

  test("matches what a pattern finds, which is certain", async () => {
    expect(await read("Pay with 4111 1111 1111 1111", { name: "any", threshold: 1 })).toEqual([match("any", 1)])
  })

  test("matches what stands behind data, which no model reads", async () => {
    const data = Array.from({ length: 99 }, (_, index) => (index * 7919 * 7919).toString(36)).join("Q")
    const asked: string[] = []
    const inference = {
      spans(text: string) {
        asked.push(text)
        return spans(text)
      },
    }
    const reading = await readerOf(signal as never, { rules: [{ name: "any" }] as never, inference })
    const [fact] = await reading(`See ${data} of Ann`)
    expect(asked).toContain("See  …  of Ann")
    expect(asked.join()).not.toContain(data.slice(0, 40))
    expect(fact).toMatchObject({ state: "match", value: 0.95 })
  })

  test("tells the kinds that it has found, each once", async () => {
    const [fact] = await read("Pay with 4111 1111 1111 1111 or ask ann@acme.io, bob@acme.io", { name: "any" })
    expect(fact?.kinds).toEqual(["CREDIT_CARD", "EMAIL_ADDRESS"])
  })

  test("does not match a text without personal data", async () => {
    expect(await read("What is the capital of France?", { name: "any" })).toEqual([noMatch("any")])
  })

  test("counts what the built-in model marks at its own threshold, where that is higher than the point of the kind", async () => {
    const rules = [{ name: "sure", threshold: 0.96 }, { name: "likely", threshold: 0.1 }, { name: "any" }]
    expect(await read("Ann", ...rules)).toEqual([noMatch("sure"), match("likely", 0.95), match("any", 0.95)])
  })

  test("does not count what the built-in model is not sure enough of, whatever the threshold", async () => {
    const unsure = { spans: () => [{ label: "PERSON", start: 0, end: 3, text: "Ann", probability: 0.5 }] }
    const reading = await readerOf(signal as never, {
      rules: [{ name: "any", threshold: 0.1 }] as never,
      inference: unsure,
    })
    expect(await reading("Ann")).toEqual([noMatch("any")])
  })

  test("looks for private data: no places, organisations, dates, titles and nationalities", async () => {
    expect(await read("Berlin", { name: "any" })).toEqual([noMatch("any")])
    for (const label of ["LOCATION", "ORG", "DATE_TIME", "TITLE", "NRP", "URL"]) {
      const all = { spans: () => [{ label, start: 0, end: 9, text: "Christian", probability: 0.99 }] }
      const reading = await readerOf(signal as never, { rules: [{ name: "any" }] as never, inference: all })
      expect([label, await reading("Christian 5 May")]).toEqual([label, [noMatch("any")]])
    }
  })

  test("leaves alone what has the form of an address and is nobody's, unless it names the kind", async () => {
    const nobodys = [
      "10.0.0.12",
      "172.31.4.9",
      "192.168.1.1",
      "169.254.1.7",
      "100.64.3.2",
      "192.0.2.10",
      "203.0.113.5",
      "8.8.8.8",
      "1.1.1.1",
      "fe80::1ff:fe23:4567:890a",
      "fd12:3456:789a::1",
      "2001:db8::8a2e:370:7334",
      "noreply@anthropic.com",
      "no-reply@acme.io",
      "12345+ann@users.noreply.github.com",
      "user@example.com",
      "your.name@example.org",
    ]
    const somebodys = [
      "172.32.4.9",
      "100.128.3.2",
      "84.112.9.3",
      "2a02:810d:8abf::17",
      "jane.roe@example.com",
      "reply@acme.io",
      "user@acme.io",
    ]
    const named = { name: "named", pii_types: ["IP_ADDRESS", "EMAIL_ADDRESS"] }
    for (const value of nobodys)
      expect([value, ...(await read(`Set it to ${value} there`, { name: "any" }, named))]).toEqual([
        value,
        noMatch("any"),
        match("named", 1),
      ])
    for (const value of somebodys)
      expect([value, ...(await read(`Set it to ${value} there`, { name: "any" }))]).toEqual([value, match("any", 1)])
    expect(await read("Ping 10.0.0.1 and 84.112.9.3", { name: "any" })).toEqual([match("any", 1)])
  })

  test("leaves alone the name that the application gave its assistant, unless it names the kind", async () => {
    const rules = [{ name: "any" }, { name: "named", pii_types: ["PERSON"] }]
    const reader = await signal.setup(rules, { settings: {} } as never)
    const readTurns = async (...turns: readonly Turn[]): Promise<readonly Fact[]> =>
      reader.read(inputOf(turns), createFakeQuestions(createFakeInference({ spans })))
    const named = match("named", 0.95)
    expect(await readTurns(textTurn("system", "You are Ann, a guide."), user("Thanks, Ann!"))).toEqual([
      noMatch("any"),
      named,
    ])
    expect(await readTurns(assistant("Hi, I'm Ann."), user("Thanks, Ann!"))).toEqual([noMatch("any"), named])
    expect(await readTurns(user("I'm Ann."), user("Thanks, Ann!"))).toEqual([match("any", 0.95), named])
  })

  test("leaves alone the values that it allows, of any kind", async () => {
    const rule = { name: "r", values_allowed: ["ann", "shop@acme.io"] }
    expect(await read("Ann writes to shop@acme.io", rule, { ...rule, pii_types: ["PERSON"] })).toEqual([
      noMatch("r"),
      noMatch("r"),
    ])
    expect(await read("Ann writes to lee@acme.io", rule)).toEqual([match("r", 1)])
  })

  test("looks for the kinds that it names instead", async () => {
    expect(await read("Berlin", { name: "r", pii_types: ["GPE"] })).toEqual([match("r", 0.7)])
    expect(await read("Ann pays with 4111 1111 1111 1111", { name: "r", pii_types: ["GPE", "TITLE"] })).toEqual([
      noMatch("r"),
    ])
    expect(
      await read("Ann in Berlin", { name: "r", pii_types: ["PERSON", "GPE"], pii_types_allowed: ["PERSON"] }),
    ).toEqual([match("r", 0.7)])
  })

  test("does not match kinds that it allows, by the names of the configuration", async () => {
    const allowed = { pii_types_allowed: ["GPE", "CREDIT_CARD"] }
    expect(await read("Berlin 4111 1111 1111 1111", { name: "r", ...allowed })).toEqual([noMatch("r")])
    expect(await read("Ann pays with 4111 1111 1111 1111", { name: "r", ...allowed })).toEqual([match("r", 0.95)])
  })

  test("that allows all private data looks for the other kinds that it does not list", async () => {
    const allowed = {
      pii_types_allowed: (
        "AGE CREDIT_CARD DATE_TIME DOMAIN_NAME EMAIL_ADDRESS IBAN_CODE IP_ADDRESS ORGANIZATION PERSON PHONE_NUMBER " +
        "STREET_ADDRESS TITLE US_DRIVER_LICENSE US_SSN ZIP_CODE"
      ).split(" "),
    }
    expect(await read("Ann in Berlin", { name: "r", ...allowed })).toEqual([match("r", 0.7)])
    expect(await read("Ann, ann@example.com", { name: "r", ...allowed })).toEqual([noMatch("r")])
  })

  test("does not match a title alone, nor what cannot be of its kind", async () => {
    const mark = (label: string) => ({ spans: () => [{ label, start: 0, end: 3, text: "CEO", probability: 0.9 }] })
    const readAs = async (label: string): Promise<readonly Fact[]> => {
      const reading = await readerOf(signal as never, { rules: [{ name: "r" }] as never, inference: mark(label) })
      return reading("CEO of Acme")
    }
    expect(await readAs("TITLE")).toEqual([noMatch("r")])
    expect(await readAs("PHONE")).toEqual([noMatch("r")])
    expect(await readAs("PERSON")).toEqual([match("r", 0.9)])
  })

  test("believes a pattern more than the model", async () => {
    const rules = [{ name: "r", pii_types_allowed: ["EMAIL_ADDRESS"] }]
    expect(await read("Ann@example.com", ...rules)).toEqual([noMatch("r")])
    expect(await read("Ann <me@example.com>", ...rules)).toEqual([match("r", 0.95)])
  })
})

describe("a bound model", () => {
  test("has the threshold of the rule, or of the settings, or its own", async () => {
    const kinds = { pii_types: ["GPE"] }
    expect(
      await readBound("Berlin", [
        { name: "sure", threshold: 0.9, ...kinds },
        { name: "likely", threshold: 0.6, ...kinds },
        { name: "any", ...kinds },
      ]),
    ).toEqual([noMatch("sure"), match("likely", 0.7), match("any", 0.7)])
    const rules = [
      { name: "any", ...kinds },
      { name: "likely", threshold: 0.6, ...kinds },
      { name: "model", threshold: 0, ...kinds },
    ]
    expect(await readBound("Berlin", rules, { threshold: 0.9 })).toEqual([
      noMatch("any"),
      match("likely", 0.7),
      match("model", 0.7),
    ])
  })

  test("names kinds with a form, and kinds of its own", async () => {
    const reader = await signal.setup([{ name: "any" }], { settings: {}, document: bound } as never)
    const readAs = async (label: string): Promise<readonly Fact[]> => {
      const mark = { spans: () => [{ label, start: 0, end: 12, text: "555 01234567", probability: 0.4 }] }
      return reader.read(signalInput("555 01234567", []), createFakeQuestions(createFakeInference(mark)))
    }
    expect(await readAs("PHONE")).toEqual([match("any", 0.4)])
    expect(await readAs("LIBRARY_CARD")).toEqual([match("any", 0.4)])
  })
})

describe("a preview", () => {
  const previewIn = async (turns: readonly Turn[], ...rules: readonly Rule[]): Promise<readonly Fact[]> => {
    const reader = await signal.setup(rules, { settings: {} } as never)
    const input = { ...inputOf(turns), preview: {} }
    return reader.read(input, createFakeQuestions(createFakeInference({ spans })))
  }

  test("tells kind, text and place of everything that a rule found, in code points, and not what it says", async () => {
    expect(
      await previewIn([user("😀 ann@example.com is the address of Ann"), user("no more")], { name: "any" }),
    ).toEqual([
      {
        ...match("any", 1),
        findings: [
          { kind: "EMAIL_ADDRESS", text: 0, start: 2, end: 17, confidence: 1 },
          { kind: "PERSON", text: 0, start: 36, end: 39, confidence: 0.95 },
        ],
      },
    ])
  })

  test("tells what matches alone", async () => {
    const [fact] = await previewIn([user("Thanks"), user("Ann moved to Berlin")], {
      name: "places",
      pii_types: ["GPE"],
    })
    expect(fact?.findings).toEqual([{ kind: "GPE", text: 1, start: 13, end: 19, confidence: 0.7 }])
  })

  test("counts what stands in a text of nothing else, as a request does", async () => {
    const text = `😀 ${"jo@li.co ".repeat(110_000)}`
    const [fact] = await previewIn([user(text)], { name: "any" })
    expect(fact).toMatchObject({ state: "match", value: 1 })
    expect(fact?.findings?.length).toBe(110_000)
    expect(fact?.findings?.at(-1)).toEqual({
      kind: "EMAIL_ADDRESS",
      text: 0,
      start: 109_999 * 9 + 2,
      end: 109_999 * 9 + 10,
      confidence: 1,
    })
    expect(await read(text, { name: "any" })).toEqual([match("any", 1)])
  })

  test("is the only one that tells it", async () => {
    expect((await read("ann@example.com", { name: "any" }))[0]).not.toHaveProperty("findings")
  })
})

describe("a name", () => {
  test.each([
    ["Ann moved out in May.", true],
    ["Write a poem about Ann", false],
    ["What did Ann discover?", false],
    ["Write a poem for my wife Ann", true],
    ["Dear Ann,\nwhat is the plan?", true],
    ["What should I answer?\n\nBest regards,\nAnn", true],
    ["Summarise this: Ann, reached at +49 30 901820, moved.", true],
  ])("in %j counts: %s", async (text, counts) => {
    const rule = { name: "r", pii_types: ["PERSON"] }
    expect(await read(text, rule)).toEqual([counts ? match("r", 0.95) : noMatch("r")])
  })
})

describe("the model", () => {
  const tasksOf = (text: string, ...rules: readonly Rule[]): Promise<readonly InferenceTask[]> =>
    tasksIn(undefined, text, rules)

  async function tasksIn(document: object | undefined, text: string, rules: readonly Rule[]) {
    const inference = createFakeInference({ spans })
    const reader = await signal.setup(rules, { settings: {}, document } as never)
    await reader.read(signalInput(text, []), createFakeQuestions(inference))
    return inference.calls.flat()
  }
  const task = { kind: "spans", deployment: "fake", text: "hello" }

  test("is asked once for all rules where it is the built-in one, which has its own threshold", async () => {
    expect(await tasksOf("hello", { name: "a", threshold: 0.5 }, { name: "b" })).toEqual([task])
  })

  test.each([
    [{}, true],
    [{ global: { model_catalog: { deployments: { default: { artifact: "ann/names" } } } } }, false],
    [{ global: { model_catalog: { deployments: { own: { artifact: "ann/names" } } } } }, true],
    [bound, false],
    [{ ...bound, routing: { model_bindings: { pii_classifier: { deployment: "default" } } } }, true],
    [{ global: { model_catalog: { bindings: { pii_classifier: { deployment: "far" } } } } }, false],
  ])("of %j is the built-in one: %s", async (document, isBuiltIn) => {
    const asked = await tasksIn(document, "hello", [{ name: "a", threshold: 0.3 }])
    expect(asked).toEqual([isBuiltIn ? task : { ...task, threshold: 0.3 }])
  })

  test("is asked once for each threshold where a document binds it, and without one where 0 or nothing is given", async () => {
    const rules = [0.5, 0, 0.9, undefined, 0.5].map((threshold, index) => ({
      name: `r${index}`,
      ...(threshold !== undefined && { threshold }),
    }))
    expect(await tasksIn(bound, "hello", rules)).toEqual([
      { ...task, threshold: 0.5 },
      task,
      { ...task, threshold: 0.9 },
    ])
  })

  test("is not asked about nothing, nor for rules that patterns have settled", async () => {
    expect(await tasksOf(" \n", { name: "r" })).toEqual([])
    const text = "ann@example.com"
    expect(await tasksOf(text, { name: "r" })).toEqual([])
    expect(
      await tasksOf(text, { name: "settled", threshold: 0.2 }, { name: "open", pii_types_allowed: ["EMAIL_ADDRESS"] }),
    ).toEqual([{ ...task, text }])
  })

  test("reads texts to their end", () => expect(signal.guard).toBe(true))
})

describe("the history", () => {
  const messages: readonly Turn[] = [
    textTurn("system", "Ann reads the answers"),
    textTurn("user", "I live in Berlin"),
    textTurn("assistant", "Nice"),
    textTurn("user", "Thanks"),
  ]
  const readIn = async (given: readonly Turn[], ...rules: readonly Rule[]): Promise<readonly Fact[]> => {
    const reader = await signal.setup(rules, { settings: {} } as never)
    return reader.read(inputOf(given), createFakeQuestions(createFakeInference({ spans })))
  }

  test("counts for rules that include it, and for no others", async () => {
    expect(
      await readIn(messages, { name: "now", include_history: false }, { name: "all", include_history: true }),
    ).toEqual([noMatch("now"), match("all", 0.95)])
  })

  test("is searched by patterns too", async () => {
    const given = [toolTurn("ann@example.com"), ...messages.slice(2)]
    expect(await readIn(given, { name: "all", include_history: true })).toEqual([match("all", 1)])
  })
})

describe("a text that the model could not read", () => {
  /** Fails for texts that hold the word. */
  const failing = (error: unknown, word = ""): Inference => {
    const fake = createFakeInference({ spans })
    return {
      ...fake,
      bundle: async (tasks, options) => {
        if (!(error instanceof RtrError)) throw error
        const answers = await fake.bundle(tasks, options)
        return answers.map((answer, index) =>
          tasks[index]?.text.includes(word) === true ? { kind: "error", error } : answer,
        )
      },
    }
  }
  const tooLong = new RtrError("scan_budget_exceeded", "too long")
  const readWith = async (inference: Inference, text: string, rules: readonly Rule[], history: string[] = []) => {
    const reader = await signal.setup(rules, { settings: {} } as never)
    return reader.read(inputOf([...history, text].map(user)), createFakeQuestions(inference))
  }

  test("matches by pattern all the same, and is unknown for every other rule", async () => {
    const rules = [{ name: "any" }, { name: "other", pii_types_allowed: ["EMAIL_ADDRESS"] }]
    expect(await readWith(failing(tooLong), "I am ann@example.com", rules)).toEqual([
      match("any", 1),
      unknown("other", "input_limit"),
    ])
  })

  test("leaves every rule unknown when nothing is found: the error is told", async () => {
    await expect(readWith(failing(tooLong), "hello", [{ name: "a" }, { name: "b", threshold: 0.5 }])).rejects.toBe(
      tooLong,
    )
  })

  test("leaves rules alone that do not read it", async () => {
    const rules = [
      { name: "now", include_history: false },
      { name: "all", include_history: true },
    ]
    expect(await readWith(failing(tooLong, "long"), "hello", rules, ["a long text"])).toEqual([
      noMatch("now"),
      unknown("all", "input_limit"),
    ])
  })

  test("takes nothing from what was found in another", async () => {
    const rules = [{ name: "all", include_history: true }]
    expect(await readWith(failing(tooLong, "long"), "hello", rules, ["a long text", "Ann"])).toEqual([
      { ...match("all", 0.95), atLeast: true, reason: "input_limit" },
    ])
  })

  test("because of a fault takes nothing from what patterns found either", async () => {
    const fault = new TypeError("a bug")
    const rules = [{ name: "any" }, { name: "other", pii_types_allowed: ["EMAIL_ADDRESS"] }]
    expect(await readWith(failing(fault), "ann@example.com", rules)).toEqual([
      match("any", 1),
      unknown("other", "failed"),
    ])
    await expect(readWith(failing(fault), "hello", rules)).rejects.toBe(fault)
  })
})

test("a request of more text than guards read is unknown for those who want it all, without a question", async () => {
  const rules = [{ name: "now", include_history: false }, { name: "all" }]
  const reader = await signal.setup(rules, { settings: {} } as never)
  const long = "word ".repeat(100_001)
  const inference = createFakeInference({ spans })
  const input = inputOf([`a ${long}`, `b ${long}`, "now"].map(user))
  expect(await reader.read(input, createFakeQuestions(inference))).toEqual([
    noMatch("now"),
    unknown("all", "input_limit"),
  ])
  expect(inference.calls.flat().map(({ text }) => text)).toEqual(["now"])
})

describe("kinds that are none", () => {
  const problems = (...kinds: readonly string[]): readonly unknown[] => {
    const reported: unknown[] = []
    signal.check?.([{ name: "r", pii_types_allowed: [...kinds] }], (...problem) => reported.push(problem))
    return reported
  }

  test("are reported with their place and what may be meant", () => {
    const place = (position: number): readonly unknown[] => [0, "pii_types_allowed", position]
    expect(problems("PERSON", "EMAIL", "PERSONN", "NO_PII", "PHONE_NUMBER")).toEqual([
      [place(1), '"EMAIL" is no kind of personal data (did you mean "EMAIL_ADDRESS"?)'],
      [place(2), '"PERSONN" is no kind of personal data (did you mean "PERSON"?)'],
    ])
    expect(problems("LOCATION", "email_address")).toEqual([
      [place(0), '"LOCATION" is no kind of personal data (did you mean "GPE"?)'],
      [place(1), '"email_address" is no kind of personal data (did you mean "EMAIL_ADDRESS"?)'],
    ])
    expect(problems("MOTHERS_MAIDEN_NAME")).toEqual([
      [place(0), expect.stringMatching(/^"MOTHERS_MAIDEN_NAME" is no kind of personal data; the kinds are AGE, /)],
    ])
  })

  test("are the only problem of a list that has no other", () => {
    const reported: unknown[] = []
    signal.check?.([{ name: "r", pii_types: ["EMAIL"] }], (...problem) => reported.push(problem))
    expect(reported).toEqual([
      [[0, "pii_types", 0], '"EMAIL" is no kind of personal data (did you mean "EMAIL_ADDRESS"?)'],
    ])
  })

  test("of the format are none of these", () => {
    expect(
      problems(
        ...(
          "AGE CREDIT_CARD DATE_TIME DOMAIN_NAME EMAIL_ADDRESS GPE IBAN_CODE ID IP_ADDRESS NO_PII NRP ORGANIZATION " +
          "PASSWORD PERSON PHONE_NUMBER STREET_ADDRESS TITLE US_DRIVER_LICENSE US_SSN USERNAME ZIP_CODE"
        ).split(" "),
      ),
    ).toEqual([])
  })
})

test.each([
  [{}, true],
  [{ threshold: 0, pii_types_allowed: [], include_history: true }, true],
  [{ threshold: 1.1 }, false],
  [{ threshold: -0.1 }, false],
  [{ pii_types_allowed: "PERSON" }, false],
  [{ include_history: "yes" }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))

describe("a text of which the model did not see every word", () => {
  const readStrange = async (text: string, ...rules: readonly Rule[]): Promise<readonly Fact[]> =>
    (
      await readerOf(signal as never, {
        rules: rules as never,
        inference: { spans, unknownTokens: (given) => (given.includes("STRANGE") ? 1 : 0) },
      })
    )(text)

  test("is never reported as without personal data", async () => {
    await expect(readStrange("a STRANGE text", { name: "any" })).rejects.toMatchObject({ code: "unread_words" })
  })

  test("keeps what was found in it, and is unknown for the rules that allow that", async () => {
    const places = { name: "places allowed", pii_types_allowed: ["GPE"] }
    expect(await readStrange("Berlin is STRANGE", { name: "any", pii_types: ["GPE"] }, places)).toEqual([
      { ...match("any", 0.7), atLeast: true, reason: "unread_words" },
      unknown("places allowed", "unread_words"),
    ])
    expect(await readStrange("STRANGE 4111 1111 1111 1111", { name: "any" })).toEqual([match("any", 1)])
  })

  test.each(["👍", "😀 😀"])("is no text of pictographs such as %s, which has no words", async (text) => {
    expect(await readStrange(text, { name: "any" })).toEqual([noMatch("any")])
  })
})

describe("a value that is split over the parts of a message", () => {
  const partsOf = (...parts: readonly string[]): Turn => ({
    role: "user",
    blocks: parts.map((text) => ({ type: "text", text })),
  })
  const kindsIn = async (...parts: readonly string[]): Promise<readonly unknown[]> => {
    const reader = await signal.setup([{ name: "any" }], { settings: {} } as never)
    const questions = createFakeQuestions(createFakeInference({ spans: () => [] }))
    const [fact] = await reader.read(inputOf([partsOf(...parts)]), questions)
    return fact?.state === "match" ? (fact.kinds ?? []) : []
  }

  test("is found by its form", async () => {
    expect(await kindsIn("My ", "card ", "4539 1488", " 0343 6467")).toEqual(["CREDIT_CARD"])
    expect(await kindsIn(...Array.from("to jane.roe@gmail.com."))).toEqual(["EMAIL_ADDRESS"])
    expect(await kindsIn("jane.roe@gm", "ail.com")).toEqual(["EMAIL_ADDRESS"])
    expect(await kindsIn("", "x".repeat(300), "DE89 3704 0044", " 0532 0130 00")).toEqual(["IBAN_CODE"])
  })

  test("is none where two parts only stand beside each other", async () => {
    expect(await kindsIn("in total 030", "901820 of them")).toEqual([])
    expect(await kindsIn("see ann@acme", "in the list.com is another")).toEqual([])
    expect(await kindsIn("4539 1488", "then", "0343 6467")).toEqual([])
  })
})
