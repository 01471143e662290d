import { signalInput } from "rtr/testing"
import { expect, test } from "vitest"
import { qualityOf } from "../../../../ts/kernel/config/sections/quality.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith, load } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const run = (benchmark: string, metrics: Readonly<Record<string, number>>) => ({ benchmark, metrics })

test("quality is the mean over benchmarks of the mean of their metrics, in shares", () => {
  expect(qualityOf([])).toBeUndefined()
  expect(qualityOf([run("a", { accuracy: 0.5 })])).toBe(0.5)
  // Two runs of one benchmark count once: a = (0.4 + 0.6) / 2 = 0.5, b = (90 % + 0.7) / 2 = 0.8, together 0.65.
  expect(
    qualityOf([run("a", { accuracy: 0.4 }), run("a", { accuracy: 0.6 }), run("b", { accuracy: 90, exact: 0.7 })]),
  ).toBeCloseTo(0.65, 12)
  // Ratings such as Elo have a scale of their own.
  expect(qualityOf([run("arena", { elo: 1280 }), run("b", { accuracy: 0.7, delta: -3 })])).toBeCloseTo(0.7, 12)
  expect(qualityOf([run("arena", { elo: 1280 })])).toBeUndefined()
})

test("the operator's last rating wins over benchmarks", () => {
  const rating = "vllm-sr/operator-rating@1.0.0"
  expect(qualityOf([run(rating, { score: 0.6 }), run("a", { accuracy: 0.9 }), run(rating, { score: 0.76 })])).toBe(0.76)
})

test("cards and records give models their quality, unless a card has one", async () => {
  const { document } = await load(
    documentWith({
      "routing.modelCards": [{ name: "small", quality_score: 0.2, evaluations: [run("a", { accuracy: 1 })] }],
      evaluation: {
        records: [
          { model: "large", ...run("a", { accuracy: 0.8 }) },
          { model: "small", ...run("a", {}) },
        ],
      },
    }),
  )
  const { models } = (await compileWith(document)).plan
  expect(models.get("small")?.card).toMatchObject({ quality_score: 0.2, benchmark_scores: { a: 1 } })
  expect(models.get("large")?.card).toEqual({ name: "large", quality_score: 0.8, benchmark_scores: { a: 0.8 } })
})

test("results of each benchmark are those that the quality is made of, and a scale of its own is left as it is", async () => {
  const rating = "vllm-sr/operator-rating@1.0.0"
  const results = [
    run("a", { accuracy: 0.4 }),
    run("a", { accuracy: 60 }),
    run("arena", { score: 1280 }),
    run("speed", { tokens: 900 }),
    run(rating, { score: 0.3 }),
    run(rating, { score: 0.7 }),
  ]
  const { document } = await load(
    documentWith({ evaluation: { records: results.map((result) => ({ model: "small", ...result })) } }),
  )
  const { models } = (await compileWith(document)).plan
  expect(models.get("small")?.card).toMatchObject({
    quality_score: 0.7,
    benchmark_scores: { a: 0.5, arena: 1280, [rating]: 0.7 },
  })
})

test("multi_factor compares by the records of the document", async () => {
  const algorithm = {
    type: "multi_factor",
    multi_factor: { weights: { quality: 1 }, quality: { index: "a" }, on_no_candidates: "fail" },
  }
  const { document } = await load(
    documentWith({
      "routing.decisions": [{ name: "any", rules: {}, modelRefs: [{ model: "small" }, { model: "large" }], algorithm }],
      evaluation: {
        records: [
          { model: "small", ...run("a", { accuracy: 0.6 }) },
          { model: "large", ...run("a", { accuracy: 0.8 }) },
          { model: "small", ...run("b", { accuracy: 1 }) },
        ],
      },
    }),
  )
  const [decision] = (await compileWith(document)).plan.decisions
  expect(await decision?.selector?.select(signalInput("x"), {} as never)).toMatchObject({ candidate: 1 })
})

test("a record of a model that is not there is told", async () => {
  const { warnings } = await load(documentWith({ evaluation: { records: [{ model: "larg", ...run("a", {}) }] } }))
  expect(warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([
    'evaluation.records[0].model: has no effect: "larg" is no model here',
  ])
})

test("a card has every key of the format", async () => {
  const card = {
    name: "small",
    display_name: "Small",
    publisher: "Us",
    presentation: { logo: "l", monogram: "S", monochrome: true },
    distribution: { type: "open_weights", source: "https://example.org", license: "Apache-2.0" },
    family: "f",
    revision: "1",
    released_at: "2026-01-01",
    knowledge_cutoff: "2025-06",
    lifecycle: "active",
    param_size: "35B-A3B",
    context_window_size: 8192,
    max_output_tokens: 1024,
    modalities: { input: ["text", "image"], output: ["text"] },
    tags: ["a"],
  }
  const { document } = await load(documentWith({ "routing.modelCards": [card] }))
  expect((await compileWith(document)).plan.models.get("small")?.card).toEqual(card)
})
