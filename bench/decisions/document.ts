// A document as large as real ones become: 100 rules of six signals, projections over them, 40 decisions.

type Json = Readonly<Record<string, unknown>>

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)

const words = "invoice refund outage contract matrix vaccine kernel tariff essay recipe poem cluster payload theorem"
const wordOf = (index: number): string => words.split(" ")[index % 14] ?? ""
export const labels: readonly string[] = [
  "biology",
  "business",
  "chemistry",
  "computer science",
  "economics",
  "engineering",
  "health",
  "history",
  "law",
  "math",
  "other",
  "philosophy",
  "physics",
  "psychology",
]

const keywords = range(55).map((index) => ({
  name: `keyword-${index}`,
  operator: "OR",
  keywords: [`${wordOf(index)} ${index}`, `${wordOf(index + 3)}s`, `do not ${wordOf(index + 5)}`],
}))
const embeddings = range(12).map((index) => ({
  name: `meaning-${index}`,
  threshold: 0.6,
  candidates: range(6).map((each) => `An example about ${wordOf(index)}, number ${each}`),
}))
const structure = range(12).map((index) => ({
  name: `structure-${index}`,
  feature: { type: "count", source: { type: "regex", pattern: `[${"?!.,;:"[index % 6]}]` } },
  predicate: { gte: 1 + (index % 4) },
}))
const context = range(6).map((index) => ({
  name: `size-${index}`,
  min_tokens: String(index * 500),
  max_tokens: String(index * 500 + 499),
}))

/** Twenty inputs of every kind for each of eight scores; the last scores are made of the first as well. */
const scores = range(8).map((index) => ({
  name: `score-${index}`,
  method: "weighted_sum",
  inputs: [
    ...range(9).map((each) => ({
      type: "keyword",
      name: `keyword-${(index * 6 + each) % 55}`,
      weight: 0.1 + each / 50,
      value_source: "confidence",
    })),
    ...range(4).map((each) => ({
      type: "embedding",
      name: `meaning-${(index + each) % 12}`,
      weight: 0.3,
      value_source: "raw",
    })),
    ...range(3).map((each) => ({ type: "structure", name: `structure-${(index + each) % 12}`, weight: -0.1 })),
    ...range(2).map((each) => ({
      type: "domain",
      name: labels[(index + each) % 14],
      weight: 0.2,
      value_source: "confidence",
    })),
    { type: "context", name: `size-${index % 6}`, weight: 0.05 },
    ...(index < 4
      ? [{ type: "pii", name: "personal", weight: 0.4 }]
      : [{ type: "projection", name: `score-${index - 4}`, weight: 0.5 }]),
  ],
}))
const mappings = range(8).map((index) => ({
  name: `mapping-${index}`,
  source: `score-${index}`,
  method: index % 2 === 0 ? "threshold_bands" : "multi_emit",
  calibration: { method: "sigmoid_distance", slope: 10 },
  outputs: [
    { name: `low-${index}`, lt: 0.35 },
    { name: `middle-${index}`, gte: 0.35, lt: 0.7 },
    { name: `high-${index}`, gte: 0.7 },
  ],
}))

const decisions = range(40).map((index) => ({
  name: `decision-${index}`,
  priority: index,
  rules: {
    operator: "AND",
    conditions: [
      {
        operator: "OR",
        conditions: [
          { type: "projection", name: `${index % 3 === 0 ? "high" : "middle"}-${index % 8}` },
          { type: "keyword", name: `keyword-${index}` },
        ],
      },
      { operator: "NOT", conditions: [{ type: "domain", name: labels[index % 14] }] },
      {
        operator: "OR",
        conditions: [
          { type: "embedding", name: `meaning-${index % 12}` },
          { type: "structure", name: `structure-${index % 12}` },
          { type: "projection", name: `low-${(index + 1) % 8}` },
        ],
      },
    ],
  },
  modelRefs: [{ model: index % 2 === 0 ? "small" : "large" }],
}))

export const document: Json = {
  version: "v0.3",
  listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
  providers: {
    defaults: { model: "small" },
    models: ["small", "large"].map((name) => ({ name, backend_refs: [{ endpoint: `${name}.example:8000` }] })),
  },
  routing: {
    signals: {
      keywords,
      embeddings,
      structure,
      context,
      domains: labels.map((name) => ({ name, mmlu_categories: [name] })),
      pii: [{ name: "personal", threshold: 0.8 }],
    },
    projections: {
      partitions: [
        { name: "fields", semantics: "softmax_exclusive", temperature: 0.1, members: labels, default: "other" },
        {
          name: "meanings",
          semantics: "exclusive",
          members: embeddings.slice(0, 6).map(({ name }) => name),
          default: "meaning-0",
        },
      ],
      scores,
      mappings,
    },
    decisions,
  },
}

export const prompts: readonly string[] = range(32).map(
  (index) =>
    `${wordOf(index)} ${index}: could you explain, step by step, how the ${wordOf(index + 4)} relates to the ${wordOf(index + 9)}? ` +
    "I have read about it twice; the examples were short, and none of them said why.",
)
