import type { Fact } from "rtr"
import { createFakeInference, readerOf, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { checkProjections } from "../../../ts/plugins/_shared/projections/check.ts"
import signal from "../../../ts/plugins/signals/projection.ts"
import { documentWith, load, problemsOnLoad } from "../../fakes/document.ts"
import { chat, createFakeKernel, post } from "../../fakes/kernel.ts"
import { compileWith } from "../../fakes/services.ts"

type Projections = Readonly<Record<string, readonly object[]>>

const match = (rule: string, confidence = 1, more: Partial<Fact> = {}): Fact => ({
  rule,
  state: "match",
  confidence,
  ...more,
})
const miss = (rule: string, more: Partial<Fact> = {}): Fact => ({ rule, state: "no_match", confidence: 0, ...more })
const open = (rule: string): Fact => ({ rule, state: "unknown", confidence: 0, reason: "timeout" })

const rulesOf = (projections: Projections): readonly { readonly name: string }[] =>
  signal.routing?.rules({ projections }) ?? []

/** What the outputs of `projections` say to these facts. */
const read = async (projections: Projections, facts: Readonly<Record<string, readonly Fact[]>>) =>
  (await readerOf(signal as never, { rules: rulesOf(projections) as never, facts }))("any text")

/** The value of the only score. */
async function score(inputs: readonly object[], facts: Readonly<Record<string, readonly Fact[]>>) {
  const mappings = [{ name: "m", source: "s", outputs: [{ name: "any", gte: -1000 }] }]
  const [fact] = await read({ scores: [{ name: "s", inputs }], mappings }, facts)
  return fact?.state === "unknown" ? fact.reason : Number(fact?.values?.s?.toFixed(6))
}

const ofContract = {
  scores: [{ name: "s", method: "weighted_sum", inputs: [{ type: "keyword", name: "urgent", weight: 1 }] }],
  mappings: [{ name: "m", source: "s", method: "threshold_bands", outputs: [{ name: "high", gte: 0.5 }] }],
}

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: rulesOf(ofContract),
    facts: { keyword: [match("urgent")] },
  }))
    test(name, run)
})

describe("a score", () => {
  test.each([
    ["binary, by default", {}, [match("a", 0.3)], 1],
    ["binary of a miss", {}, [miss("a")], 0],
    ["binary with values of its own", { match: 0.8, miss: -0.2 }, [match("a")], 0.8],
    ["and for a miss", { match: 0.8, miss: -0.2 }, [miss("a")], -0.2],
    ["a match of 0 is a 1", { match: 0 }, [match("a")], 1],
    ["confidence", { value_source: "confidence" }, [match("a", 0.3)], 0.3],
    ["confidence of a miss", { value_source: "confidence" }, [miss("a", { confidence: 0.4 })], 0],
    ["raw", { value_source: "raw" }, [miss("a", { value: 0.4 })], 0.4],
    ["raw without a number is the confidence", { value_source: "raw" }, [match("a", 0.7)], 0.7],
    ["raw of a miss without one", { value_source: "raw" }, [miss("a")], 0],
    ["one fact of several", { name: "a:hard" }, [miss("a:easy"), match("a:hard")], 1],
    [
      "a rule of several facts is the one that matches",
      { value_source: "confidence" },
      [miss("a:x"), match("a:y", 0.6)],
      0.6,
    ],
  ])("counts %s", async (_, input, facts, value) => {
    expect(await score([{ type: "keyword", name: "a", weight: 1, ...input }], { keyword: facts })).toBe(value)
  })

  test("is the sum of weight times value: 0.5·1 + 0.25·0.8 + 0.001·120 − 0.1·1 = 0.72", async () => {
    const inputs = [
      { type: "keyword", name: "urgent", weight: 0.5 },
      { type: "domain", name: "math", weight: 0.25, value_source: "confidence" },
      { type: "context", name: "long", weight: 0.001, value_source: "raw" },
      { type: "keyword", name: "calm", weight: -0.1, miss: 1 },
    ]
    expect(
      await score(inputs, {
        keyword: [match("urgent"), miss("calm")],
        domain: [match("math", 0.8)],
        context: [miss("long", { value: 120 })],
      }),
    ).toBe(0.72)
  })

  test("is unknown with an unknown input, unless its weight is 0", async () => {
    const inputs = (weight: number) => [
      { type: "keyword", name: "a", weight: 0.5 },
      { type: "keyword", name: "b", weight },
    ]
    const facts = { keyword: [match("a"), open("b")] }
    expect(await score(inputs(0.1), facts)).toBe("timeout")
    expect(await score(inputs(0), facts)).toBe(0.5)
    expect(await score(inputs(0.1), { keyword: [match("a")] })).toBe("failed")
  })

  test("takes numbers of knowledge bases, in any case of letters; one that is not there is 0", async () => {
    const metric = (name: string) => [{ type: "kb_metric", kb: "Privacy_KB", metric: name, weight: 2 }]
    const kb = [match("a", 1, { values: { "privacy_kb:private_vs_public": 0.2 } })]
    expect(await score(metric("Private_vs_Public"), { kb })).toBe(0.4)
    expect(await score(metric("best_score"), { kb })).toBe(0)
    expect(await score(metric("best_score"), { kb: [open("a")] })).toBe("timeout")
    expect(await score(metric("private_vs_public"), { kb: [open("b"), ...kb] })).toBe(0.4)
  })

  test("takes other scores and how sure outputs are, whatever their order in the document", async () => {
    const projections = {
      scores: [
        {
          name: "both",
          inputs: [
            { type: "projection", name: "first", weight: 2 },
            { type: "projection", name: "first", weight: 1, value_source: "score" },
            { type: "projection", name: "high", weight: 1, value_source: "confidence" },
            { type: "projection", name: "low", weight: 1, value_source: "confidence" },
          ],
        },
        { name: "first", inputs: [{ type: "keyword", name: "a", weight: 0.6 }] },
      ],
      mappings: [
        {
          name: "bands",
          source: "first",
          outputs: [
            { name: "low", lt: 0.5 },
            { name: "high", gte: 0.5 },
          ],
        },
        { name: "end", source: "both", outputs: [{ name: "any", gte: 0 }] },
      ],
    }
    const facts = await read(projections, { keyword: [match("a")] })
    // 2·0.6 + 0.6 + 1/(1+e^(−12·0.1)) + 0 = 1.8 + 0.768525
    expect(facts.find(({ rule }) => rule === "any")?.values?.both).toBeCloseTo(2.568525, 6)
  })
})

describe("a mapping", () => {
  const scores = [{ name: "s", inputs: [{ type: "context", name: "c", weight: 1, value_source: "raw" }] }]
  const outputs = [
    { name: "low", lt: 0.35 },
    { name: "middle", gte: 0.35, lt: 0.7 },
    { name: "high", gte: 0.5 },
  ]
  const says = async (value: number, changes: object = {}) => {
    const mappings = [{ name: "m", source: "s", outputs, ...changes }]
    const facts = await read({ scores, mappings }, { context: [miss("c", { value })] })
    return facts.flatMap(({ rule, state, confidence }) =>
      state === "match" ? [`${rule} ${confidence.toFixed(4)}`] : [],
    )
  }

  test.each([
    // 1/(1+e^(−12·0.25)) = 1/(1+e^−3)
    [0.1, ["low 0.9526"]],
    // At a bound: 1/(1+e^0)
    [0.35, ["middle 0.5000"]],
    // The nearer of both bounds is 0.1 away: 1/(1+e^−1.2)
    [0.6, ["middle 0.7685"]],
    // 1/(1+e^(−12·0.4))
    [0.9, ["high 0.9918"]],
  ])("of threshold_bands matches the first output that holds: %d → %j", async (value, outcome) => {
    expect(await says(value)).toEqual(outcome)
  })

  test("of multi_emit matches all that hold", async () => {
    // low is out; middle is 0.1 from 0.7, high 0.1 from 0.5.
    expect(await says(0.6, { method: "multi_emit" })).toEqual(["middle 0.7685", "high 0.7685"])
    expect(await says(0.1, { method: "multi_emit" })).toEqual(["low 0.9526"])
  })

  test.each([
    // 1/(1+e^(−10·0.25))
    [10, ["low 0.9241"]],
    [0, ["low 0.9526"]],
  ])("takes the slope %d of its calibration", async (slope, outcome) => {
    expect(await says(0.1, { calibration: { method: "sigmoid_distance", slope } })).toEqual(outcome)
  })

  test("of an unknown score has unknown outputs", async () => {
    const mappings = [{ name: "m", source: "s", outputs }]
    expect(await read({ scores, mappings }, { context: [open("c")] })).toEqual(
      ["low", "middle", "high"].map((rule) => ({ rule, state: "unknown", confidence: 0, reason: "timeout" })),
    )
  })
})

/** Keywords `urgent` and `calm`, a score over them and two bands. */
const withBands = (changes: Readonly<Record<string, unknown>> = {}) =>
  documentWith({
    "routing.signals.keywords.1": { name: "calm", operator: "OR", keywords: ["calm"] },
    "routing.projections": {
      scores: [
        {
          name: "pressure",
          method: "weighted_sum",
          inputs: [
            { type: "keyword", name: "urgent", weight: 0.8 },
            { type: "keyword", name: "calm", weight: -0.5 },
          ],
        },
        { name: "unused", method: "weighted_sum", inputs: [{ type: "domain", name: "math", weight: 1 }] },
      ],
      mappings: [
        {
          name: "bands",
          source: "pressure",
          method: "threshold_bands",
          outputs: [
            { name: "relaxed", lt: 0.5 },
            { name: "pressing", gte: 0.5 },
          ],
        },
        { name: "never_asked", source: "unused", outputs: [{ name: "mathematical", gte: 0.5 }] },
      ],
    },
    "routing.signals.domains": [{ name: "math" }],
    "routing.decisions.0.rules": { operator: "AND", conditions: [{ type: "projection", name: "pressing" }] },
    ...changes,
  })

describe("in a document", () => {
  test("decisions ask for outputs, and only what they ask for is read", async () => {
    const { plan } = await compileWith((await load(withBands())).document)
    expect(plan.signals.map(({ type, level, rules }) => [type, level, rules])).toEqual([
      ["keyword", 0, ["urgent", "calm"]],
      ["projection", 1, ["pressing"]],
    ])
  })

  test("requests go by the bands", async () => {
    const { transport, fetch } = await createFakeKernel({ config: (await load(withBands())).document })
    for (const text of ["this is urgent", "urgent but calm", "hello"]) await fetch(chat(text))
    expect(transport.requests.map(({ url }) => new URL(url).host)).toEqual([
      "large.example",
      "small.example:8000",
      "small.example:8000",
    ])
  })

  test("the preview shows outputs, how sure they are, and their scores", async () => {
    const { document } = await load(withBands())
    const kernel = await createFakeKernel({ config: document })
    const response = await kernel.management.fetch(post("/api/v1/routing/preview?trace=true", { text: "urgent" }))
    expect(await response.json()).toMatchObject({
      routing_decision: "rush",
      decision_result: { matched_signals: { keywords: ["urgent"], projection: ["pressing"] } },
      // 1/(1+e^(−12·0.3))
      signal_confidences: { "projection:pressing": expect.closeTo(0.973403, 6) },
      signal_values: { "projection:pressing:pressure": 0.8 },
      eval_trace: [
        { root_trace: { children: [{ signal_type: "projection", signal_name: "pressing", matched: true }] } },
      ],
    })
  })

  test("they keep their place when the document is normalised", async () => {
    const { document } = await load(withBands())
    expect(Object.keys(document.routing ?? {})).toEqual(["signals", "projections", "decisions"])
  })

  test("an unknown score meets the policy of the decision", async () => {
    const config = (onUnknown: string) =>
      load(
        withBands({
          "routing.projections.scores.0.inputs.0": { type: "domain", name: "math", weight: 1 },
          "routing.decisions.0.rules.on_unknown": onUnknown,
        }),
      )
    const inference = createFakeInference({ failWith: new Error("down") as never })
    const decisions: unknown[] = []
    for (const policy of ["no_match", "match"]) {
      const { fetch } = await createFakeKernel({ config: (await config(policy)).document, inference })
      decisions.push((await fetch(chat("2 + 2"))).headers.get("x-rtr-selected-decision"))
    }
    expect(decisions).toEqual([null, "rush"])
  })

  test("a guard that could not read counts as found, unless its rule allows it", async () => {
    const config = (rule: object) =>
      load(
        withBands({
          "routing.signals.jailbreak": [{ name: "attack", threshold: 0.5, ...rule }],
          "routing.projections.scores.0.inputs": [
            { type: "jailbreak", name: "attack", weight: 0.9, value_source: "confidence" },
          ],
        }),
      )
    const inference = createFakeInference({ failWith: new Error("down") as never })
    const decisions: unknown[] = []
    for (const rule of [{}, { on_unscanned: "allow" }]) {
      const { fetch } = await createFakeKernel({ config: (await config(rule)).document, inference })
      decisions.push((await fetch(chat("hello"))).headers.get("x-rtr-selected-decision"))
    }
    expect(decisions).toEqual(["rush", null])
  })
})

describe("partitions", () => {
  const softmax = { name: "p", semantics: "softmax_exclusive", temperature: 0.1, members: ["a", "b"], default: "c" }
  const narrow = (partition: object, facts: readonly Fact[]) =>
    signal.routing?.narrow?.({ projections: { partitions: [partition] } }, ["a", "b", "c", "d"])?.(facts)

  test("exclusive ones keep the surest member with its confidence, and numbers stay as they are", () => {
    const partition = { ...softmax, semantics: "exclusive", members: ["a", "b", "c"] }
    expect(narrow(partition, [match("a", 0.6, { value: 0.6 }), match("b", 0.8), miss("c"), match("d", 0.1)])).toEqual([
      { ...miss("a"), value: 0.6 },
      match("b", 0.8),
      miss("c"),
      match("d", 0.1),
    ])
  })

  test("softmax_exclusive ones give the winner its share of e^(confidence/temperature)", () => {
    // e^8 / (e^8 + e^6) = 1/(1+e^−2)
    const [a, b] = narrow(softmax, [match("a", 0.6), match("b", 0.8)]) ?? []
    expect([a?.state, b?.state, b?.confidence]).toEqual(["no_match", "match", expect.closeTo(0.880797, 6)])
  })

  test("the default matches when no member does, with confidence 1", () => {
    const partition = { ...softmax, members: ["a", "b", "c"] }
    expect(narrow(partition, [miss("a"), miss("b"), miss("c"), match("d", 0.4)])).toEqual([
      miss("a"),
      miss("b"),
      match("c"),
      match("d", 0.4),
    ])
  })

  test("with a member that could not be read nobody has won", () => {
    const partition = { ...softmax, members: ["a", "b", "c"] }
    expect(narrow(partition, [match("a", 0.9), open("b"), miss("c")])).toEqual([open("a"), open("b"), open("c")])
  })

  test("are for signals that have all members", () => {
    const routing = { projections: { partitions: [softmax] } }
    expect(signal.routing?.narrow?.(routing, ["a"])).toBeUndefined()
  })

  test("hold for domains and for embeddings, before top_k; the default is not counted", async () => {
    const embed = (text: string) => (text === "east" ? [1, 0] : text === "north" ? [0, 1] : [0.8, 0.6])
    const { document } = await load(
      documentWith({
        "routing.signals": {
          domains: [{ name: "math" }, { name: "law" }, { name: "other" }],
          embeddings: [
            { name: "east", threshold: 0.5, candidates: ["east"] },
            { name: "north", threshold: 0.5, candidates: ["north"] },
            { name: "near", threshold: 0.7, candidates: ["between"] },
            { name: "nowhere", threshold: 1, candidates: ["east"] },
            { name: "fallback", threshold: 1, candidates: ["north"] },
          ],
        },
        "routing.projections.partitions": [
          { name: "fields", semantics: "exclusive", members: ["math", "law", "other"], default: "other" },
          { name: "ways", semantics: "exclusive", members: ["east", "north"], default: "east" },
          { name: "rest", semantics: "exclusive", members: ["nowhere", "fallback"], default: "fallback" },
        ],
        "global.model_catalog.embeddings.semantic.embedding_config.top_k": 2,
        "routing.decisions.0.rules.conditions": [
          { type: "embedding", name: "north" },
          { type: "domain", name: "law" },
        ],
      }),
    )
    const inference = createFakeInference({
      embed: embed as never,
      labels: ["math", "law", "other"],
      classify: () => [0.3, 0.3, 0.4],
    })
    const kernel = await createFakeKernel({ config: document, inference })
    const response = await kernel.management.fetch(post("/api/v1/routing/preview", { text: "between" }))
    const { decision_result: result } = (await response.json()) as { decision_result: { matched_signals: object } }
    expect(result.matched_signals).toEqual({ domains: ["other"], embeddings: ["east", "near", "fallback"] })
  })
})

test("long chains of scores are followed to their end, and circles among them are found", () => {
  const links = Array.from({ length: 5000 }, (_, index) => ({
    name: `link-${index}`,
    method: "weighted_sum",
    inputs: [{ type: "projection", name: `link-${index + 1}`, weight: 1 }],
  }))
  const end = { name: "link-5000", method: "weighted_sum", inputs: [{ type: "keyword", name: "urgent", weight: 1 }] }
  const problemsOf = (scores: readonly object[]): readonly string[] => {
    const problems: string[] = []
    const around = { document: {}, signals: [] }
    checkProjections({ scores } as never, (path, message) => problems.push(`${path.join(".")} ${message}`), around)
    return problems.filter((problem) => problem.includes("made of itself"))
  }
  expect(problemsOf([...links, end])).toEqual([])
  const toTheMiddle = { ...end, inputs: [{ type: "projection", name: "link-4998", weight: 1 }] }
  expect(problemsOf([...links, toTheMiddle])).toEqual([
    "scores.4998 is made of itself: link-4998 → link-4999 → link-5000 → link-4998",
    "scores.4999 is made of itself: link-4999 → link-5000 → link-4998 → link-4999",
    "scores.5000 is made of itself: link-5000 → link-4998 → link-4999 → link-5000",
  ])
})

describe("what is wrong is refused", () => {
  const problems = async (changes: Readonly<Record<string, unknown>>) =>
    (await problemsOnLoad(withBands(changes))).map(({ path, message }) => `${formatPath(path)}: ${message}`)
  const at = "routing.projections"
  const input = `${at}.scores.0.inputs.0`

  test.each([
    [{ [`${input}.name`]: "urgnet" }, `keyword rule "urgnet", which routing.signals does not declare`],
    [{ [`${input}.type`]: "keywrd" }, `"keywrd" is not a type of signals (did you mean "keyword"?)`],
    [{ [`${input}.type`]: "metadata" }, `has no number for a score`],
    [{ [`${input}.value_source`]: "score" }, `a rule has binary, confidence or raw`],
    [{ [input]: { type: "keyword", weight: 1 } }, "name: is missing"],
    [{ [input]: { type: "projection", name: "nothing", weight: 1 } }, `score "nothing", which is not declared`],
    [{ [input]: { type: "projection", name: "pressing", weight: 1 } }, `score "pressing", which is not declared`],
    [
      { [input]: { type: "projection", name: "pressure", weight: 1, value_source: "confidence" } },
      `output "pressure", which no mapping has`,
    ],
    [{ [input]: { type: "projection", name: "pressure", weight: 1 } }, "is made of itself: pressure → pressure"],
    [
      { [input]: { type: "projection", name: "pressing", weight: 1, value_source: "confidence" } },
      "is made of itself: pressure → pressure",
    ],
    [
      {
        [input]: { type: "projection", name: "unused", weight: 1 },
        [`${at}.scores.1.inputs.0`]: { type: "projection", name: "pressure", weight: 1 },
      },
      "is made of itself: pressure → unused → pressure",
    ],
    [{ [input]: { type: "kb_metric", weight: 1 } }, "needs kb and metric"],
    [
      { [input]: { type: "kb_metric", kb: "no_kb", metric: "m", weight: 1 } },
      `"no_kb" is not in global.model_catalog.kbs`,
    ],
    [
      { [input]: { type: "kb_metric", kb: "mmlu_kb", metric: "m", weight: 1 } },
      `"m" is no metric of "mmlu_kb"; it has best_score, best_matched_score, escalate_vs_keep`,
    ],
    [{ [`${at}.scores.1.name`]: "pressure" }, `"pressure" is used twice`],
    [{ [`${at}.mappings.1.name`]: "bands" }, `"bands" is used twice`],
    [{ [`${at}.mappings.1.outputs.0.name`]: "pressing" }, `"pressing" is the output of two mappings`],
    [{ [`${at}.mappings.0.source`]: "presure" }, `is not in routing.projections.scores (did you mean "pressure"?)`],
    [{ [`${at}.mappings.0.outputs.0`]: { name: "relaxed" } }, "must have at least one of gt, gte, lt, lte"],
    [{ [`${at}.mappings.0.outputs.0`]: { name: "relaxed", lt: 1, lte: 2 } }, "must not have both lt and lte"],
    [{ [`${at}.mappings.1.method`]: "multi_emit" }, "of multi_emit must be at least two"],
    [{ [`${at}.mappings.0.method`]: "bands" }, "mappings[0].method"],
    [
      { [`${at}.partitions`]: [{ name: "p", semantics: "exclusive", members: ["math", "lwa"], default: "math" }] },
      `"lwa" is not in routing.signals.domains or routing.signals.embeddings`,
    ],
    [
      { [`${at}.partitions`]: [{ name: "p", semantics: "exclusive", members: ["math"], default: "law" }] },
      `"law" is not among the members`,
    ],
    [
      { [`${at}.partitions`]: [{ name: "p", semantics: "exclusive", members: ["math", "math"], default: "math" }] },
      "is a member twice",
    ],
    [
      { [`${at}.partitions`]: [{ name: "p", semantics: "softmax_exclusive", members: ["math"], default: "math" }] },
      "softmax_exclusive needs one above 0",
    ],
    [
      {
        "routing.signals.domains": [{ name: "sums" }],
        [`${at}.scores.1.inputs.0.name`]: "sums",
        [`${at}.partitions`]: [
          { name: "p", semantics: "softmax_exclusive", temperature: 1, members: ["sums"], default: "sums" },
        ],
      },
      "softmax_exclusive needs its mmlu_categories",
    ],
    [
      {
        "routing.signals.embeddings": [{ name: "near", threshold: 0.5, candidates: ["x"] }],
        [`${at}.partitions`]: [{ name: "p", semantics: "exclusive", members: ["math", "near"], default: "math" }],
      },
      "must all be of one kind",
    ],
    [{ "routing.decisions.0.rules.conditions.0.name": "presing" }, `refers to projection "presing"`],
    [{ "routing.decisions.0.rules.conditions.0.name": "pressure" }, `refers to projection "pressure"`],
  ])("%j", async (changes, message) => {
    expect((await problems(changes)).join("\n")).toContain(message)
  })

  test("what has no effect is a warning", async () => {
    const { warnings } = await load(
      withBands({
        [`${input}.value_source`]: "confidence",
        [`${input}.match`]: 2,
        [`${at}.scores.0.inputs.1.kb`]: "x",
        [`${at}.scores.1.inputs.0`]: { type: "kb_metric", kb: "mmlu_kb", metric: "best_score", weight: 1 },
        [`${at}.mappings.1.outputs.0`]: { name: "mathematical", gt: 2, lt: 1 },
        [`${at}.partitions`]: [
          { name: "p", semantics: "exclusive", temperature: 1, members: ["math"], default: "math" },
        ],
      }),
    )
    expect(warnings.map(({ path }) => formatPath(path))).toEqual([
      "routing.projections.partitions[0].temperature",
      "routing.projections.scores[0].inputs[0].match",
      "routing.projections.scores[0].inputs[1].kb",
      "routing.projections.scores[1].inputs[0].kb",
      "routing.projections.mappings[1].outputs[0]",
    ])
  })
})
