// Valid documents of many shapes, made from a seed.

import type { Random } from "./random.ts"

type Json = Readonly<Record<string, unknown>>

const models = ["small", "medium", "large", "größe 1", "org/model:7b"] as const
const keywords = [
  "urgent",
  "refund",
  "C++",
  "退款",
  "$$HOME",
  "a: b",
  "- x",
  "#hash",
  "*star",
  "&and",
  "'quoted'",
  "yes",
]

/** A document that is valid, with names and texts that YAML must quote among its values. */
export function randomDocument(random: Random): Json {
  const signals = randomSignals(random)
  const names = Object.entries(signals).flatMap(([key, rules]) =>
    (rules as readonly { name: string }[]).map(({ name }) => ({ type: typeOf[key] ?? key, name })),
  )
  return {
    version: "v0.3",
    ...(random.chance(0.7) && { listeners: [randomListener(random)] }),
    providers: {
      ...(random.chance(0.7) && {
        defaults: {
          [random.pick(["model", "default_model"])]: random.pick(models),
          ...(random.chance(0.5) && { [random.pick(["reasoning_effort", "default_reasoning_effort"])]: "low" }),
        },
      }),
      models: models.map((name) => randomModel(random, name)),
    },
    routing: {
      ...(random.chance(0.5) && { modelCards: [{ name: "small", loras: [{ name: "small-lora" }], tags: [] }] }),
      ...(names.length > 0 && { signals }),
      decisions: Array.from({ length: random.below(4) }, (_, index) =>
        randomDecision(random, `decision ${index}`, names),
      ),
      ...(random.chance(0.3) && { strategy: random.pick(["priority", "confidence"]) }),
    },
    ...(random.chance(0.3) && {
      global: {
        router: { auto_model_name: "auto", auto_model_names: [] },
        ...(random.chance(0.5) && { stores: { state: { type: "memory", configuration: {} } } }),
      },
    }),
  }
}

const typeOf: Readonly<Record<string, string>> = { keywords: "keyword", domains: "domain", embeddings: "embedding" }

interface SignalName {
  readonly type: string
  readonly name: string
}

function randomSignals(random: Random): Json {
  return {
    ...(random.chance(0.7) && {
      keywords: Array.from({ length: 1 + random.below(2) }, (_, index) => ({
        name: `keyword ${index}`,
        operator: random.pick(["AND", "OR", "NOR"]),
        keywords: [random.pick(keywords), random.pick(keywords)],
      })),
    }),
    ...(random.chance(0.5) && { language: [{ name: "no" }, { name: "de", threshold: 0.5 }] }),
    ...(random.chance(0.5) && { context: [{ name: "1e3", min_tokens: random.pick(["8K", 8000, "0.5M"]) }] }),
  }
}

function randomListener(random: Random): Json {
  return {
    name: "main",
    address: random.pick(["127.0.0.1", "::", "0.0.0.0"]),
    port: random.below(65_536),
    ...(random.chance(0.5) && { timeout: random.pick(["30s", "1m30s"]) }),
    ...(random.chance(0.5) && { api_keys: ["${LISTENER_KEY}"] }),
  }
}

function randomModel(random: Random, name: string): Json {
  return {
    name,
    backend_refs: Array.from({ length: 1 + random.below(2) }, (_, index) => ({
      name: `b${index}`,
      ...(random.chance(0.5) ? { endpoint: "127.0.0.1:8000" } : { base_url: "https://host.example/v1" }),
      ...(random.chance(0.5) && { [random.pick(["type", "provider"])]: "openai" }),
      ...(random.chance(0.3) && { api_key: "${KEY:-none}" }),
      ...(random.chance(0.3) && { weight: random.below(3) }),
    })),
  }
}

function randomDecision(random: Random, name: string, names: readonly SignalName[]): Json {
  return {
    name,
    ...(random.chance(0.5) && { priority: random.below(100) - 50 }),
    ...(random.chance(0.2) && { tier: random.below(3) }),
    ...randomRules(random, names),
    modelRefs: [{ model: random.pick(models), ...(random.chance(0.5) && { use_reasoning: random.chance(0.5) }) }],
    ...(random.chance(0.3) && {
      algorithm: random.pick([{ type: "static" }, { type: "confidence", confidence: { threshold: 0.5 } }]),
    }),
    ...(random.chance(0.3) && { plugins: [{ type: "system_prompt", configuration: { system_prompt: "Be: kind\n" } }] }),
  }
}

function randomRules(random: Random, names: readonly SignalName[]): Json {
  const shape = random.below(4)
  if (shape === 0 || names.length === 0) return random.chance(0.5) ? {} : { rules: {} }
  const root = shape === 1 ? randomLeaf(random, names) : randomTree(random, names, 3)
  return {
    rules: { ...root, ...(random.chance(0.3) && { on_unknown: random.pick(["match", "no_match", "fail_request"]) }) },
  }
}

function randomTree(random: Random, names: readonly SignalName[], depth: number): Json {
  if (depth === 0 || random.chance(0.3)) return randomLeaf(random, names)
  const operator = random.pick(["AND", "and", "Or", "OR", "NOT", "not", undefined])
  const count = operator?.toUpperCase() === "NOT" ? 1 : 1 + random.below(3)
  return {
    ...(operator !== undefined && { operator }),
    conditions: Array.from({ length: count }, () => randomTree(random, names, depth - 1)),
  }
}

function randomLeaf(random: Random, names: readonly SignalName[]): Json {
  const { type, name } = random.pick(names)
  return {
    type,
    name,
    ...(random.chance(0.2) && { predicate: { gte: 0.25 } }),
    ...(random.chance(0.2) && { on_error: random.pick(["match", "no_match"]) }),
  }
}
