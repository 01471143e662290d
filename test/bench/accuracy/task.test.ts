import { expect, test } from "vitest"
import type { Asker } from "../../../bench/accuracy/asker.ts"
import { classify, inBatches } from "../../../bench/accuracy/asker.ts"
import type { EvaluationSet } from "../../../bench/accuracy/sets.ts"
import { defineTask } from "../../../bench/accuracy/task.ts"

interface Row {
  readonly truth: number
  readonly answer: number | undefined
}

const set = (name: string, kind: EvaluationSet<Row>["kind"], rows: readonly Row[]): EvaluationSet<Row> => ({
  name,
  kind,
  of: 10,
  rows,
})

const silent: Asker = {
  card: { heads: [], model_sha256: "", limits: { truncate_tokens: 1 }, golden: { status: "matched" } },
  post: async () => ({}),
}

const taskOver = (sets: readonly EvaluationSet<Row>[]): ReturnType<typeof defineTask> =>
  defineTask<Row, boolean>(
    {
      name: "sums",
      baselineName: "always one",
      shown: ["accuracy"],
      isServedBy: () => true,
      ask: async (_, rows) => rows.map(({ truth, answer }) => (answer === undefined ? undefined : answer === truth)),
      baseline: ({ truth }) => truth === 1,
      figures: (cases) => ({ accuracy: cases.filter(Boolean).length / cases.length }),
      pictures: (cases) => ({ drawn: String(cases.length) }),
    },
    () => sets,
  )

const right = { truth: 1, answer: 1 }
const wrong = { truth: 2, answer: 1 }
const failed = { truth: 2, answer: undefined }

test("unseen sets are measured one by one and together; pictures show them alone", async () => {
  const measured = await taskOver([
    set("tuning", "tuning", [right]),
    set("a", "unseen", [right, right, wrong, failed]),
    set("b", "unseen", [wrong]),
  ]).measure(silent, undefined)
  const { sets, baselineName } = measured.figures
  expect(baselineName).toBe("always one")
  expect(Object.entries(sets).map(([name, { rows, of, failed: lost }]) => [name, rows, of, lost])).toEqual([
    ["together", 5, 20, 1],
    ["tuning", 1, 10, 0],
    ["a", 4, 10, 1],
    ["b", 1, 10, 0],
  ])
  expect(sets["together"]?.figures["accuracy"]).toMatchObject({ value: 0.5, baseline: 0.5 })
  // A row without an answer counts for neither side.
  expect(sets["a"]?.figures["accuracy"]).toMatchObject({ value: 0.6667, baseline: 0.6667 })
  expect(measured.pictures).toEqual({ drawn: "4" })
})

test("one unseen set is not measured twice, and a set without answers has no figures", async () => {
  const { figures } = await taskOver([set("a", "unseen", [failed])]).measure(silent, undefined)
  expect(figures.sets).toEqual({ a: { kind: "unseen", rows: 1, of: 10, failed: 1, figures: {} } })
})

test("a head is asked for all rows in their order, and what failed is left open", async () => {
  const inputs = Array.from({ length: 70 }, (_, place) => String(place))
  const bodies: { head: string; input: readonly string[]; options: object }[] = []
  const echoing: Asker = {
    ...silent,
    async post(path, body) {
      expect(path).toBe("/v1/classify")
      bodies.push(body as (typeof bodies)[number])
      const { input } = body as { input: readonly string[] }
      return {
        results: input.map((label) => (label === "33" ? { error: { code: "max_length_exceeded" } } : { label })),
      }
    },
  }
  const results = await classify<{ label: string }>(echoing, "domain", inputs, "window")
  expect(results).toEqual(inputs.map((label) => (label === "33" ? undefined : { label })))
  expect(bodies.map(({ head, input, options }) => [head, input.length, options])).toEqual([
    ["domain", 32, { overflow: "window" }],
    ["domain", 32, { overflow: "window" }],
    ["domain", 6, { overflow: "window" }],
  ])
})

test("too few answers end the bench", async () => {
  await expect(inBatches([1, 2, 3], async () => [1])).rejects.toThrow("1 answers to 3 inputs")
})
