import { createFakeInference } from "rtr/testing"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { documentWith } from "../fakes/document.ts"
import { chat, createFakeKernel } from "../fakes/kernel.ts"
import { type SignalRow, signalRows } from "./_rows.ts"

afterEach(() => void vi.useRealTimers())

const deadlineMs = 1000

/** One row of each signal: rules of one section would stand in each other's place. */
const own = signalRows.filter(({ changes }) => typeof changes !== "function")
const rows = [...new Map(own.map((row): [string, SignalRow] => [row.id, row])).values()]

/** All signals that ask, a difficulty that comes after one of them, and a band that is made of it. */
const everything = {
  ...Object.assign({}, ...rows.map(({ changes }) => changes)),
  "routing.signals.complexity": [
    {
      name: "work",
      hard: { candidates: ["blue"] },
      easy: { candidates: ["red"] },
      composer: { operator: "OR", conditions: [{ type: "embedding", name: "near" }] },
    },
  ],
  "routing.projections": {
    scores: [
      { name: "weight", method: "weighted_sum", inputs: [{ type: "complexity", name: "work:hard", weight: 1 }] },
    ],
    mappings: [
      {
        name: "effort",
        source: "weight",
        method: "threshold_bands",
        outputs: [
          { name: "heavy", gte: 0.5 },
          { name: "light", lt: 0.5 },
        ],
      },
    ],
  },
}
const conditions = [
  ...rows.map(({ condition }) => ({ ...condition, on_error: "match" })),
  { type: "projection", name: "heavy", on_error: "match" },
]
const decision = {
  name: "all",
  rules: { operator: "AND", conditions },
  modelRefs: [{ model: "small" }, { model: "large" }],
}

const cases = [
  { behind: "nothing", algorithm: { type: "static" }, stages: 1 },
  { behind: "a looper", algorithm: { type: "ratings", ratings: {} }, stages: 1 },
  { behind: "a selector that asks as well", algorithm: { type: "router_dc" }, stages: 2 },
]

test.each(cases)(
  "signals that all hang, with $behind behind them, wait for $stages deadlines in all",
  async (given) => {
    let hung = false
    const fake = createFakeInference({ embed: (text) => (text.includes("blue") ? [0, 1] : [1, 0]) })
    const kernel = await createFakeKernel({
      inference: { ...fake, bundle: (...asked) => (hung ? new Promise(() => {}) : fake.bundle(...asked)) },
      readFile: async () => JSON.stringify({ labels: { red: { exemplars: ["red"] }, blue: { exemplars: ["blue"] } } }),
      config: documentWith({
        ...everything,
        "global.model_catalog.signal_timeout_ms": deadlineMs,
        "routing.modelCards": [
          { name: "small", description: "red things" },
          { name: "large", description: "blue things" },
        ],
        "routing.decisions": [{ ...decision, algorithm: given.algorithm }],
      }),
    })
    onTestFinished(() => kernel.close())
    hung = true
    vi.useFakeTimers()
    const replies: Response[] = []
    const question = { role: "user", content: "Is it blue?" }
    const messages = [question, { role: "assistant", content: "Perhaps." }, question]
    void Promise.resolve(kernel.fetch(chat("", { messages }))).then((reply) => replies.push(reply))
    await vi.advanceTimersByTimeAsync(given.stages * deadlineMs - 1)
    expect(replies).toEqual([])
    // A few turns of the event loop are for what is known without an answer.
    await vi.advanceTimersByTimeAsync(20)
    expect(replies.map(({ status, headers }) => [status, headers.get("x-rtr-selected-decision")])).toEqual([
      [200, "all"],
    ])
  },
)
