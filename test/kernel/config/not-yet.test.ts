import { describe, expect, test } from "vitest"
import { laterKeys, laterValues, movedKeys, notYet } from "../../../ts/kernel/config/not-yet.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { problemsOf } from "../../fakes/document.ts"

/** A valid document with an entry in every list and map that the patterns go through. */
const full = {
  version: "v0.3",
  listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
  providers: {
    defaults: { model: "small" },
    models: [
      { name: "small", pricing: { prompt_per_1m: 1 }, backend_refs: [{ endpoint: "host", provider: "openai" }] },
    ],
  },
  routing: {
    modelCards: [{ name: "small" }],
    signals: {
      keywords: [{ name: "urgent", operator: "OR", keywords: ["urgent"] }],
      embeddings: [{ name: "similar", threshold: 0.5, candidates: ["x"] }],
      domains: [{ name: "law", model_scores: [{ model: "small", score: 1 }] }],
      jailbreak: [{ name: "attack" }],
      structure: [{ name: "long", feature: { type: "count", source: { type: "text_bytes" } } }],
    },
    decisions: [
      {
        name: "rush",
        rules: { operator: "AND", conditions: [{ type: "keyword", name: "urgent" }] },
        modelRefs: [{ model: "small" }],
        algorithm: { type: "static" },
        plugins: [{ type: "request_params", configuration: { max_n: 1 } }],
      },
    ],
  },
  global: {
    router: { strategy: "priority" },
    services: {
      api: { routing_preview: { max_concurrency: 1 } },
      management_api: { port: 0 },
      observability: { metrics: { enabled: true } },
    },
    model_catalog: {
      deployments: { first: { artifact: "signals", input: { overflow: "reject" } } },
      bindings: { embedding: { deployment: "first" } },
      modules: {
        classifier: { domain: { threshold: 0.5 } },
        prompt_guard: { threshold: 0.5 },
        hallucination_mitigation: { fact_check: { threshold: 0.5 } },
        feedback_detector: { threshold: 0.5 },
        modality_detector: { method: "classifier" },
      },
      embeddings: { semantic: { embedding_config: { top_k: 1 } } },
    },
  },
} as const

/** The path in the full document that a pattern means: the first entry of every list and map. */
function pathOf(pattern: string): readonly (string | number)[] {
  const path: (string | number)[] = []
  let node: unknown = full
  for (const step of pattern.split(".")) {
    const steps = step === "**" ? ["conditions", 0] : step === "*" ? [Array.isArray(node) ? 0 : firstKey(node)] : [step]
    for (const each of steps) {
      path.push(each)
      node = (node as Record<string | number, unknown> | undefined)?.[each]
    }
  }
  return path
}

const firstKey = (node: unknown): string => Object.keys(node as object)[0] ?? ""

function withValue(path: readonly (string | number)[], value: unknown): object {
  const document = structuredClone(full) as object
  const parent = path.slice(0, -1).reduce<unknown>((node, step) => {
    const inside = (node as Record<string | number, unknown>)[step]
    if (typeof inside !== "object" || inside === null)
      throw new Error(`The full document has nothing at ${formatPath(path.slice(0, -1))}; add it there`)
    return inside
  }, document)
  ;(parent as Record<string | number, unknown>)[path.at(-1) ?? ""] = value
  return document
}

test("the full document is valid", () => expect(problemsOf(full)).toEqual([]))

describe("keys that come later", () => {
  test.each(laterKeys)("%s is refused by name", (pattern) => {
    const path = pathOf(pattern)
    expect(problemsOf(withValue(path, {}))).toEqual([`${formatPath(path)}: is not supported yet`])
  })
})

describe("values that come later", () => {
  const values = laterValues.flatMap(([pattern, words]) => words.map((word) => [pattern, word] as const))

  test.each(values)("%s: %s is refused by name", (pattern, word) => {
    const path = pathOf(pattern)
    expect(problemsOf(withValue(path, word))).toEqual([`${formatPath(path)}: "${word}" is not supported yet`])
  })

  test("a value with a position behind it is the same value", () => {
    const path = pathOf("global.model_catalog.deployments.*.device")
    expect(problemsOf(withValue(path, "rocm:1"))).toEqual([`${formatPath(path)}: "rocm:1" is not supported yet`])
  })
})

describe("keys that have moved", () => {
  test.each(movedKeys)("%s is refused with its new home", (pattern, home) => {
    const path = pathOf(pattern)
    expect(problemsOf(withValue(path, {}))).toEqual([`${formatPath(path)}: has moved to ${home}`])
  })
})

test("a condition may stand at any depth", () => {
  const deep = ["routing", "decisions", 3, "rules", "conditions", 0, "conditions", 2]
  expect(notYet([...deep, "label"])?.message).toBe("is not supported yet")
  expect(notYet(["routing", "decisions", 3, "rules", "label"])?.message).toBe("is not supported yet")
  expect(notYet([...deep, "type"], "kb")?.message).toBe('"kb" is not supported yet')
})

test.each<[readonly (string | number)[], string | undefined]>([
  [["routing"], undefined],
  [["routing", "projections", "x"], undefined],
  [["routing", "projection"], undefined],
  [["x", "routing", "projections"], undefined],
  [["routing", "decisions", 0, "label"], undefined],
  [["routing", "decisions", 0, "algorithm", "type"], "static"],
  [["routing", "decisions", 0, "algorithm", "type"], "knnn"],
  [["routing", "decisions", 0, "algorithm"], "knn"],
])("%j (%s) is no concern of this list", (path, value) => expect(notYet(path, value)).toBeUndefined())
