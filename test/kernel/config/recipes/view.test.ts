// Two recipes whose signals, scores, bands, partitions and bindings have the same names and mean different things.

import { RtrError } from "rtr"
import { createFakeInference } from "rtr/testing"
import { expect, test } from "vitest"
import { type FakeKernel, post } from "../../../fakes/kernel.ts"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"

const words = (...keywords: string[]) => [{ name: "pressing", operator: "OR", keywords }]
const band = (gte: number) => ({ name: "bands", source: "pressure", outputs: [{ name: "high", gte }] })
const score = (...inputs: object[]) => ({ name: "pressure", method: "weighted_sum", inputs })
const decision = (model: string) => ({
  name: "rush",
  rules: { type: "projection", name: "high" },
  modelRefs: [{ model }],
})
const entrypoints = [{ model_names: ["acme/other"], recipe: "other" }]

interface Previewed {
  readonly routing_decision: string
  readonly recommended_models: readonly string[]
  readonly decision_result: { readonly matched_signals: object }
  readonly signal_values: object
  readonly signal_confidences: object
}

const previewIn =
  (kernel: FakeKernel) =>
  async (text: string, model = "MoM"): Promise<Previewed> =>
    (await (await kernel.management.fetch(post("/api/v1/routing/preview", { text, model }))).json()) as Previewed

test("scores and bands of the same names are those of their recipe", async () => {
  const { kernel } = await watchedKernel({
    changes: {
      "routing.signals.keywords": words("urgent"),
      "routing.projections": {
        scores: [score({ type: "keyword", name: "pressing", weight: 0.4 })],
        mappings: [band(0.3)],
      },
      "routing.decisions": [decision("large")],
      recipes: [
        {
          name: "other",
          routing: {
            signals: { keywords: words("passport"), context: [{ name: "long", min_tokens: 1 }] },
            projections: {
              scores: [
                score(
                  { type: "keyword", name: "pressing", weight: 0.5 },
                  { type: "context", name: "long", weight: 0.2 },
                ),
              ],
              mappings: [band(0.6)],
            },
            decisions: [decision("small")],
          },
        },
      ],
      entrypoints,
    },
  })
  const preview = previewIn(kernel)
  expect(await preview("urgent")).toMatchObject({
    routing_decision: "rush",
    recommended_models: ["large"],
    signal_values: { "projection:high:pressure": 0.4 },
    // 1 / (1 + e^(−12 · 0.1))
    signal_confidences: { "projection:high": expect.closeTo(0.768525, 6) },
  })
  // 0.5 · 1 + 0.2 · 1 = 0.7, which is 0.1 above its bound as well.
  expect(await preview("passport", "acme/other")).toMatchObject({
    routing_decision: "rush",
    recommended_models: ["small"],
    signal_values: { "projection:high:pressure": 0.7 },
    signal_confidences: { "projection:high": expect.closeTo(0.768525, 6) },
  })
  expect((await preview("passport")).routing_decision).toBe("")
  expect(await preview("urgent", "acme/other")).toMatchObject({
    routing_decision: "",
    signal_values: { "projection:high:pressure": 0.2 },
  })
})

test("a partition narrows the rules of its own recipe", async () => {
  const embeddings = ["east", "north"].map((name) => ({ name, threshold: 0.5, candidates: [name] }))
  const decisions = [
    {
      name: "both",
      rules: {
        operator: "AND",
        conditions: [
          { type: "embedding", name: "east" },
          { type: "embedding", name: "north" },
        ],
      },
    },
    { name: "east", rules: { type: "embedding", name: "east" } },
    { name: "north", rules: { type: "embedding", name: "north" } },
  ].map((each, index) => ({ ...each, priority: 9 - index, modelRefs: [{ model: "small" }] }))
  const partition = { name: "ways", semantics: "exclusive", members: ["east", "north"], default: "north" }
  const { kernel } = await watchedKernel({
    // "between" is nearer to the east: 0.8 and 0.6.
    inference: createFakeInference({
      embed: (text) =>
        text === "east" ? [1, 0, 0] : text === "north" ? [0, 1, 0] : text === "up" ? [0, 0, 1] : [0.8, 0.6, 0],
    }),
    changes: {
      // Otherwise the surest rule alone matches.
      "global.model_catalog.embeddings.semantic.embedding_config.top_k": 0,
      "routing.signals": { embeddings },
      "routing.decisions": decisions,
      recipes: [
        { name: "other", routing: { signals: { embeddings }, projections: { partitions: [partition] }, decisions } },
      ],
      entrypoints,
    },
  })
  const preview = previewIn(kernel)
  const found: unknown[] = []
  for (const model of ["MoM", "acme/other"])
    for (const text of ["between", "up"]) found.push((await preview(text, model)).routing_decision)
  expect(found).toEqual(["both", "", "east", "north"])
})

test("a guard counts in the scores of its recipe, and beside a partition, also where it could not read", async () => {
  const routing = (weight: number) => ({
    signals: {
      jailbreak: [{ name: "attack", threshold: 0.5 }],
      domains: [{ name: "law" }, { name: "math" }],
    },
    projections: {
      partitions: [{ name: "fields", semantics: "exclusive", members: ["law", "math"], default: "math" }],
      scores: [
        score(
          { type: "jailbreak", name: "attack", weight, value_source: "confidence" },
          { type: "domain", name: "law", weight: 0.2 },
        ),
      ],
      mappings: [band(0.5)],
    },
    decisions: [decision("large")],
  })
  const { kernel } = await watchedKernel({
    inference: {
      ...createFakeInference({}),
      bundle: async (tasks) =>
        tasks.map((task) => {
          const isGuard = (task as { readonly head?: string }).head === "jailbreak"
          if (isGuard && task.text.includes("broken"))
            return { kind: "error", error: new RtrError("unavailable", "gone") }
          const labels = isGuard ? ["benign", "jailbreak"] : ["law", "math"]
          const first = task.text.includes(isGuard ? "ignore" : "court") ? 0.1 : 0.9
          const law = isGuard ? first : 1 - first
          return { kind: "classify", classification: { labels, probabilities: Float32Array.from([law, 1 - law]) } }
        }) as never,
    },
    changes: { routing: routing(0.3), recipes: [{ name: "other", routing: routing(0.6) }], entrypoints },
  })
  const preview = previewIn(kernel)
  const pressure = async (text: string, model: string) => {
    const { routing_decision: chosen, signal_values: values } = await preview(text, model)
    const value = (values as Record<string, number>)["projection:high:pressure"] ?? Number.NaN
    return [chosen, Math.round(value * 1000) / 1000]
  }
  // The guard is 0.9 sure of "ignore", and what it could not read counts as 1.
  expect([await pressure("ignore", "MoM"), await pressure("ignore", "acme/other")]).toEqual([
    ["", 0.27],
    ["rush", 0.54],
  ])
  expect([await pressure("ignore, court", "MoM"), await pressure("ignore, court", "acme/other")]).toEqual([
    ["", 0.47],
    ["rush", 0.74],
  ])
  expect([await pressure("broken, court", "MoM"), await pressure("broken", "acme/other")]).toEqual([
    ["rush", 0.5],
    ["rush", 0.6],
  ])
  expect(await pressure("hello", "acme/other")).toEqual(["", 0])
})

test("a recipe asks the deployments that it binds, and those of the document for the rest", async () => {
  const routing = {
    signals: { domains: [{ name: "law" }] },
    decisions: [{ name: "law", rules: { type: "domain", name: "law" }, modelRefs: [{ model: "large" }] }],
  }
  const inference = createFakeInference({ labels: ["law", "math"], classify: () => [0.9, 0.1] })
  const { ask } = await watchedKernel({
    inference,
    changes: {
      routing,
      "global.model_catalog": {
        deployments: { shared: { endpoint: "http://127.0.0.1:1" }, own: { endpoint: "http://127.0.0.1:2" } },
        bindings: { domain_classifier: { deployment: "shared", head: "domain" } },
      },
      recipes: [
        {
          name: "other",
          routing: { ...routing, model_bindings: { domain_classifier: { deployment: "own", head: "subject" } } },
        },
        { name: "third", routing },
      ],
      entrypoints: [...entrypoints, { model_names: ["acme/third"], recipe: "third" }],
    },
  })
  for (const model of ["MoM", "acme/other", "acme/third"]) await ask("a question", { model })
  expect(
    inference.calls.flat().map(({ deployment, ...task }) => [deployment, (task as { readonly head?: string }).head]),
  ).toEqual([
    ["shared", "domain"],
    ["own", "subject"],
    ["shared", "domain"],
  ])
})
