import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { expandIndices } from "../../../../ts/kernel/config/accepted/indices.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

type Json = Readonly<Record<string, unknown>>

const run = (benchmark: string, metrics: Json, more: Json = {}): Json => ({ model: "m", benchmark, metrics, ...more })

/** What model `m` reaches in the index `i` with these components. */
function scoreOf(components: readonly Json[], records: readonly Json[], more: Json = {}): number | undefined {
  const { benchmarks, indices = [], ...rest } = more
  const document = {
    providers: { models: [{ name: "m" }] },
    evaluation: { benchmarks, indices: [...(indices as readonly Json[]), { id: "i", components, ...rest }], records },
  }
  const { evaluation } = expandIndices(document) as { readonly evaluation: { readonly records: readonly Json[] } }
  const found = evaluation.records.find(({ benchmark }) => benchmark === "i")
  return (found?.["metrics"] as { readonly score: number } | undefined)?.score
}

const half = { benchmark: "a", metric: "x", weight: 1 }
const other = { benchmark: "b", metric: "x", weight: 3 }

test("is the weighted mean of its components", () => {
  // (1 · 0.2 + 3 · 0.6) / 4
  expect(scoreOf([half, other], [run("a", { x: 0.2 }), run("b", { x: 0.6 })])).toBeCloseTo(0.5, 12)
  // The last result counts, and only of the profiles that are named.
  expect(scoreOf([half], [run("a", { x: 0.2 }), run("a", { x: 0.7 })])).toBe(0.7)
  const profiled = [run("a", { x: 0.2 }, { benchmark_profile: "p" }), run("a", { x: 0.7 })]
  expect(scoreOf([{ ...half, benchmark_profile: "p" }], profiled)).toBe(0.2)
  expect(scoreOf([{ ...half, benchmark_profiles: ["q"] }], profiled)).toBeUndefined()
})

test("the policy says how much may be missing", () => {
  const records = [run("b", { x: 0.6 })]
  expect(scoreOf([half, other], records)).toBeUndefined()
  expect(scoreOf([half, other], records, { missing: { policy: "reported_only" } })).toBeCloseTo(0.6, 12)
  // b has 3 of 4 parts of the weight.
  const covering = (minimum: number): Json => ({ missing: { policy: "require_coverage", minimum } })
  expect(scoreOf([half, other], records, covering(0.75))).toBeCloseTo(0.6, 12)
  expect(scoreOf([half, other], records, covering(0.76))).toBeUndefined()
  expect(scoreOf([half], [], { missing: { policy: "reported_only" } })).toBeUndefined()
})

test.each<readonly [Json, number, number | undefined]>([
  [{ type: "identity" }, 1.5, 1],
  [{ type: "one_minus" }, 0.3, 0.7],
  [{ type: "linear_clamp", min: 500, max: 2500 }, 1500, 0.5],
  [{ type: "linear_clamp", min: 500, max: 2500 }, 100, 0],
  // 1 / (1 + e^0)
  [{ type: "logistic", k: 2, x0: 10 }, 10, 0.5],
  // 1 / (1 + e^(−2·1))
  [{ type: "logistic", k: 2, x0: 10 }, 11, 0.8807970779778823],
  [{ type: "lookup", values: { 3: 0.4 } }, 3, 0.4],
  [{ type: "lookup", values: { 3: 0.4 } }, 4, undefined],
  // Half of the way from 10 to 20.
  [
    {
      type: "piecewise_linear",
      points: [
        { input: 20, output: 1 },
        { input: 10, output: 0.2 },
      ],
    },
    15,
    0.6,
  ],
  [{ type: "piecewise_linear", points: [{ input: 10, output: 0.2 }] }, 5, 0.2],
  [{ type: "piecewise_linear", points: [{ input: 10, output: 0.2 }] }, 50, 0.2],
])("%j makes of %d %d", (normalization, value, expected) => {
  const score = scoreOf([{ ...half, normalization }], [run("a", { x: value })])
  expect(score?.toFixed(12)).toBe(expected?.toFixed(12))
})

test("a benchmark says the scale of its metrics", () => {
  const benchmarks = [
    {
      id: "a",
      metrics: [
        { id: "x", range: [-100, 100] },
        { id: "cost", range: [0, 4], direction: "lower_is_better" },
      ],
    },
  ]
  expect(scoreOf([half], [run("a", { x: 50 })], { benchmarks })).toBeCloseTo(0.75, 12)
  expect(scoreOf([{ ...half, metric: "cost" }], [run("a", { cost: 1 })], { benchmarks })).toBeCloseTo(0.75, 12)
})

test("an index may have others, also those that the card knows", () => {
  const indices = [{ id: "inner", components: [half] }]
  const components = [
    { index: "inner", weight: 1 },
    { index: "vllm-sr/general@1.0.0", weight: 1 },
  ]
  const records = [run("a", { x: 0.2 }), run("vllm-sr/general@1.0.0", { score: 0.8 })]
  expect(scoreOf(components, records, { indices })).toBeCloseTo(0.5, 12)
})

const load = async (evaluation: Json) =>
  loadDocument(
    { environment: () => ({}), loadRegistry: async () => registry },
    { text: "", source: "config.yaml", value: documentWith({ evaluation }) },
  )

test("definitions are gone from the document, and their results are records", async () => {
  const { document, warnings } = await load({
    benchmarks: [{ id: "a", metrics: [{ id: "x" }] }],
    indices: [{ id: "i", scale: [0, 100], components: [half] }],
    records: [{ model: "small", benchmark: "a", metrics: { x: 0.4 } }],
  })
  expect(warnings).toEqual([])
  expect(document.evaluation).toEqual({
    records: [
      { model: "small", benchmark: "a", metrics: { x: 0.4 } },
      { model: "small", benchmark: "i", metrics: { score: 0.4 } },
    ],
  })
})

test("definitions that cannot hold are refused by name", async () => {
  const wrong = {
    benchmarks: [
      { id: "a", metrics: [{ id: "x" }], default_profile: "p", profiles: [{ id: "q" }] },
      { id: "a", metrics: [{ id: "x", direction: "up" }] },
    ],
    indices: [{ id: "i", aggregation: "sum", components: [half] }],
  }
  const linesOf = async (evaluation: Json): Promise<readonly string[]> => {
    const refused = await load(evaluation).catch((error: unknown) => error)
    if (!(refused instanceof ConfigError)) throw new Error("It was not refused")
    return refused.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
  }
  expect(await linesOf(wrong)).toEqual([
    'evaluation.benchmarks[1].metrics[0].direction: must be "higher_is_better" or "lower_is_better", got "up"',
    'evaluation.indices[0].aggregation: must be "weighted_mean", got "sum"',
  ])
  const parts = {
    benchmarks: [
      { id: "a", metrics: [{ id: "x" }], default_profile: "p", profiles: [{ id: "q" }] },
      { id: "a", metrics: [{ id: "x" }] },
    ],
    indices: [
      { id: "i", missing: { policy: "require_coverage" }, components: [{ weight: 1 }, { metric: "x", weight: 1 }] },
      { id: "j", components: [{ index: "k", weight: 1 }] },
      { id: "k", components: [{ index: "j", weight: 1 }] },
    ],
  }
  expect(await linesOf(parts)).toEqual([
    'evaluation.benchmarks[1].id: "a" stands twice',
    'evaluation.benchmarks[0].default_profile: "p" is not among its profiles',
    "evaluation.indices[0].missing.minimum: is missing; policy require_coverage needs the least share of the weights",
    "evaluation.indices[0].components[0]: must have either a benchmark with a metric, or an index",
    "evaluation.indices[0].components[1].benchmark: is missing",
    'evaluation.indices[1].components: lead back to "j"',
    'evaluation.indices[2].components: lead back to "k"',
  ])
})
