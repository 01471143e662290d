import { type Block, type Fact, RtrError } from "rtr"
import { createFakeInference, createFakeQuestions, readerOf, signalContract, signalInput } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/embedding.ts"
import { inputOf } from "../../fakes/signal-input.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** Texts are angles: their vectors are alike by the cosine of their difference. */
const embed = (text: string): readonly number[] => {
  const angle = (Number.parseFloat(text) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180)
const rule = (name: string, candidates: readonly string[], threshold: number, changes: Partial<Rule> = {}): Rule => ({
  name,
  candidates: [...candidates],
  threshold,
  ...changes,
})

async function read(
  rules: readonly Rule[],
  text: string,
  embeddingConfig: Readonly<Record<string, unknown>> = {},
): Promise<readonly Fact[]> {
  const settings = { embedding_config: embeddingConfig }
  return (await readerOf(signal as never, { rules: rules as never, settings, inference: { embed } }))(text)
}
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap((fact) => (fact.state === "match" ? [fact.rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [
      { name: "refund", threshold: 0.7, candidates: ["I want my money back"] },
      { name: "mean", threshold: 0.2, candidates: ["hello", "good day"], aggregation_method: "mean" },
    ],
  }))
    test(name, run)
})

describe("a rule", () => {
  test("matches from its threshold on, with the score as confidence and value", async () => {
    const facts = await read([rule("near", ["0"], cos(30) - 0.001), rule("far", ["0"], cos(30) + 0.001)], "30", {
      enable_soft_matching: false,
    })
    expect(facts).toEqual([
      { rule: "near", state: "match", confidence: expect.closeTo(cos(30), 5), value: expect.closeTo(cos(30), 5) },
      { rule: "far", state: "no_match", confidence: expect.closeTo(cos(30), 5), value: expect.closeTo(cos(30), 5) },
    ])
  })

  test("has no negative confidence, but a negative value", async () => {
    expect(await read([rule("opposite", ["180"], -1)], "0")).toEqual([
      { rule: "opposite", state: "match", confidence: 0, value: expect.closeTo(-1, 5) },
    ])
  })

  test.each([
    [undefined, 0.75 * 1 + 0.25 * ((1 + 0) / 2)],
    ["max" as const, 0.75 * 1 + 0.25 * ((1 + 0) / 2)],
    ["any" as const, 0.75 * 1 + 0.25 * ((1 + 0) / 2)],
    ["mean" as const, (1 + 0 - 1) / 3],
  ])("with the method %s scores %d", async (method, score) => {
    const [fact] = await read(
      [rule("r", ["0", "90", "180"], 0, method === undefined ? {} : { aggregation_method: method })],
      "0",
    )
    expect(fact?.value).toBeCloseTo(score, 5)
  })

  test("takes its options of the bank before those for all", async () => {
    const settings = { prototype_scoring: { best_weight: 0, top_m: 1 } }
    const own = { prototype_scoring: { best_weight: 0, top_m: 2 } }
    const facts = await read([rule("all", ["0", "90"], 0), rule("own", ["0", "90"], 0, own)], "0", {
      ...settings,
      top_k: 0,
    })
    expect(facts.map(({ value }) => Number(value?.toFixed(5)))).toEqual([1, 0.5])
  })
})

describe("a text that may be meant otherwise", () => {
  test("does not match where it is as much like negative candidates", async () => {
    const rules = [rule("a", ["0"], 0.5, { negative_candidates: ["60"] })]
    expect(await matching(rules, "29")).toEqual(["a"])
    expect(await matching(rules, "30")).toEqual([])
    expect(await matching(rules, "31")).toEqual([])
    expect(await matching([rule("a", ["0"], 0.99, { negative_candidates: ["60"] })], "31")).toEqual([])
  })

  test("matches no rule where the best is hardly ahead of the next, if a margin is asked for", async () => {
    // cos 28° − cos 32° = 0.035
    const rules = [rule("a", ["0"], 0.5), rule("b", ["60"], 0.5)]
    const margin = (margin_threshold: number) => ({ prototype_scoring: { margin_threshold } })
    expect(await matching(rules, "28")).toEqual(["a"])
    expect(await matching(rules, "28", margin(0.03))).toEqual(["a"])
    expect(await matching(rules, "28", margin(0.04))).toEqual([])
    expect(await matching(rules, "28", { ...margin(0.04), top_k: 0 })).toEqual(["a", "b"])
    const own = [rule("a", ["0"], 0.5, margin(0)), rule("b", ["60"], 0.5)]
    expect(await matching(own, "28", margin(0.04))).toEqual(["a"])
  })
})

describe("soft matching", () => {
  const rules = [rule("a", ["0"], 0.99), rule("b", ["20"], 0.99)]

  test("lets rules match from one half on when none reaches its threshold", async () => {
    expect(await matching(rules, "50", { top_k: 0 })).toEqual(["a", "b"])
    expect(await matching(rules, "70", { top_k: 0 })).toEqual(["b"])
    expect(await matching(rules, "100", { top_k: 0 })).toEqual([])
  })

  test("takes the score that is set", async () => {
    expect(await matching(rules, "70", { top_k: 0, min_score_threshold: 0.3 })).toEqual(["a", "b"])
    expect(await matching(rules, "50", { top_k: 0, min_score_threshold: 0.8 })).toEqual(["b"])
  })

  test("is not needed when one reaches its threshold", async () => {
    expect(await matching([rule("hard", ["0"], 0.6), rule("soft", ["0"], 0.99)], "50", { top_k: 0 })).toEqual(["hard"])
  })

  test("can be turned off", async () => {
    expect(await matching(rules, "50", { top_k: 0, enable_soft_matching: false })).toEqual([])
  })
})

describe("the best", () => {
  const rules = [rule("c", ["0"], 0), rule("a", ["10"], 0), rule("b", ["10"], 0), rule("d", ["60"], 0)]

  test.each([
    [{}, ["a"]],
    [{ top_k: 1 }, ["a"]],
    [{ top_k: 2 }, ["a", "b"]],
    [{ top_k: 3 }, ["c", "a", "b"]],
    [{ top_k: 0 }, ["c", "a", "b", "d"]],
    [{ top_k: 99 }, ["c", "a", "b", "d"]],
  ])("with %j are %j, equals in the order of their names", async (settings, names) => {
    expect(await matching(rules, "10", settings)).toEqual(names)
  })
})

test.each(["", " \n"])("nothing to read (%j) asks no model and matches nothing", async (text) => {
  expect(await read([rule("a", ["0"], -1)], text)).toEqual([{ rule: "a", state: "no_match", confidence: 0, value: 0 }])
})

test("examples are embedded once, the text once for all rules", async () => {
  const inference = createFakeInference({ embed })
  const ask = (text: unknown): Promise<Float32Array> =>
    inference
      .bundle([{ kind: "embed", deployment: "d", text: String(text) }])
      .then(([answer]) => (answer?.kind === "embed" ? answer.vector : new Float32Array()))
  const reader = await signal.setup([rule("a", ["0", "5"], 0), rule("b", ["90"], 0)], {
    settings: {},
    embedAll: (texts) => Promise.all(texts.map(ask)),
  })
  expect(inference.calls).toHaveLength(3)
  const input = signalInput("7")
  await reader.read(input, { embed: ask })
  await reader.read(input, { embed: ask })
  expect(inference.calls.flat().map(({ text }) => text)).toEqual(["0", "5", "90", "7", "7"])
})

test("a model that fails fails the signal", async () => {
  const failure = new RtrError("overloaded", "busy")
  const reader = await signal.setup([rule("a", ["0"], 0)], { settings: {}, embedAll: async () => [Float32Array.of(1)] })
  await expect(reader.read(signalInput("x"), { embed: () => Promise.reject(failure) })).rejects.toBe(failure)
})

describe("options", () => {
  test.each([
    [{ threshold: 0.5, candidates: ["x"] }, true],
    [{ threshold: -1, candidates: ["x"], aggregation_method: "mean", query_modality: "text" }, true],
    [{ candidates: ["x"] }, false],
    [{ threshold: 0.5 }, false],
    [{ threshold: 0.5, candidates: [] }, false],
    [{ threshold: 0.5, candidates: [""] }, false],
    [{ threshold: 2, candidates: ["x"] }, false],
    [{ threshold: 0.5, candidates: ["x"], aggregation_method: "median" }, false],
    [{ threshold: 0.5, candidates: ["x"], query_modality: "audio" }, false],
    [{ threshold: 0.5, candidates: ["x"], prototype_scoring: { max_prototypes: 0 } }, false],
  ])("of a rule: %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))

  test.each([
    [{ enable_soft_matching: false, min_score_threshold: 0.4, top_k: 0 }, true],
    [{ top_k: -1 }, false],
    [{ model_type: "qwen3" }, false],
  ])("of all: %j are valid: %s", (options, valid) =>
    expect(Value.Check(signal.settings?.schema as never, { embedding_config: options })).toBe(valid),
  )
})

describe("rules about images", () => {
  const url = (letter: string): string => `data:image/png;base64,${letter}`
  const image = (letter: string): Block => ({
    type: "image",
    source: { kind: "base64", data: letter, mediaType: "image/png" },
  })
  const elsewhere: Block = { type: "image", source: { kind: "url", url: "https://shop.example/1.png" } }
  /** Sentences and images in one plane, by the angle that they name. */
  const angles: Readonly<Record<string, number>> = { passport: 0, terminal: 90, [url("P")]: 20, [url("T")]: 80 }
  const vectorOf = (input: string): readonly number[] => {
    const angle = ((angles[input] ?? 180) * Math.PI) / 180
    return [Math.cos(angle), Math.sin(angle)]
  }
  const about = (name: string, candidates: readonly string[], threshold = 0.9) => ({
    name,
    threshold,
    candidates,
    query_modality: "image",
  })
  const rules = [about("document", ["passport"]), about("code", ["terminal"])]
  const reading = { embed: vectorOf, embedImage: vectorOf }

  async function readIn(blocks: readonly Block[], given: readonly object[] = rules, inference: object = reading) {
    const { input, reader } = await inputReader(given, inference)
    return reader(input(blocks))
  }

  async function inputReader(given: readonly object[], inference: object) {
    const fake = createFakeInference(inference)
    const questions = createFakeQuestions(fake)
    const opened = await signal.setup(
      given as never,
      { settings: { embedding_config: { top_k: 0 } }, embedAll: questions.embedAll } as never,
    )
    return {
      input: (blocks: readonly Block[]) => inputOf([{ role: "user", blocks }]),
      reader: (input: ReturnType<typeof inputOf>) => opened.read(input, questions),
    }
  }

  test("compare the image with their sentences", async () => {
    // cos 20° = 0.94 and cos 70° = 0.34
    expect(await readIn([{ type: "text", text: "What is this?" }, image("P")])).toEqual([
      { rule: "document", state: "match", confidence: expect.closeTo(0.94, 2), value: expect.closeTo(0.94, 2) },
      { rule: "code", state: "no_match", confidence: expect.closeTo(0.342, 2), value: expect.closeTo(0.342, 2) },
    ])
  })

  test("count the image that is most like them, beside rules about the text", async () => {
    const all = [...rules, { name: "said", threshold: 0.9, candidates: ["passport"] }]
    const facts = await readIn([{ type: "text", text: "terminal" }, image("P"), image("T")], all)
    expect(facts.map(({ state, value }) => [state, Math.round((value ?? 0) * 100)])).toEqual([
      ["match", 94],
      ["match", 98],
      ["no_match", 0],
    ])
  })

  test("do not match without an image", async () => {
    expect(await readIn([{ type: "text", text: "passport" }])).toMatchObject([
      { state: "no_match", value: 0 },
      { state: "no_match", value: 0 },
    ])
  })

  test("are unknown for an image that nobody fetches, or that the model refuses, unless another matches", async () => {
    const unread = { state: "unknown", reason: "unreadable_content" }
    expect(await readIn([elsewhere])).toMatchObject([unread, unread])
    expect(await readIn([elsewhere, image("P")])).toMatchObject([{ state: "match" }, unread])
    expect(await readIn(Array.from({ length: 5 }, () => image("T")))).toMatchObject([unread, { state: "match" }])
    const refusing = {
      embed: vectorOf,
      embedImage: (given: string) => {
        if (given === url("P")) throw new RtrError("invalid_input", "no")
        return vectorOf(given)
      },
    }
    await expect(readIn([image("P")], rules, refusing)).resolves.toMatchObject([
      { state: "unknown", reason: "rejected" },
      { state: "unknown", reason: "rejected" },
    ])
  })

  test("are refused where the model reads no images, with what to bind", async () => {
    await expect(readIn([image("P")], rules, { embed: vectorOf })).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(
        /^Cannot compare images \(query_modality of "document", "code"\): the model .* reads none; .*bindings\.embedding names/,
      ),
    })
    await expect(
      readIn([image("P")], rules, {
        embed: vectorOf,
        embedImage: vectorOf,
        failWith: new RtrError("unavailable", "gone"),
      }),
    ).rejects.toMatchObject({ code: "unavailable" })
  })

  test("are warned of where the document binds no model", async () => {
    const told: string[] = []
    const check = (bindings: object) =>
      signal.check?.(
        rules as never,
        (path, message, severity) => told.push(`${severity} ${path.join(".")} ${message}`),
        {
          document: { global: { model_catalog: { bindings } } },
        },
      )
    await check({ embedding: {} })
    expect(told).toEqual([])
    await check({})
    expect(told).toEqual([
      expect.stringMatching(
        /^warning 0\.query_modality is image, and the built-in model reads none: .* image_embeddings/,
      ),
      expect.stringMatching(/^warning 1\.query_modality /),
    ])
  })
})
