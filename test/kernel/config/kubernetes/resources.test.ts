import { expect, test } from "vitest"
import { withResources } from "../../../../ts/kernel/config/kubernetes/resources.ts"
import { RtrError } from "../../../../ts/kernel/error.ts"
import { documentWith, load } from "../../../fakes/document.ts"

const pool = `
apiVersion: vllm.ai/v1alpha1
kind: IntelligentPool
metadata: { name: pool }
spec:
  defaultModel: small
  models:
    - name: small
      reasoningFamily: qwen3
      # 0.1 and 0.3 dollars for a million tokens.
      pricing: { inputTokenPrice: 0.0000001, outputTokenPrice: 0.0000003 }
      loras: [{ name: helper, description: Helps }]
    - name: unknown
`
const route = `
apiVersion: vllm.ai/v1alpha1
kind: IntelligentRoute
metadata: { name: route }
spec:
  signals:
    keywords: [{ name: tutorial, operator: OR, keywords: [guide], caseSensitive: true }]
    embeddings: [{ name: intent, threshold: 0.7, candidates: [teach me], aggregationMethod: max }]
    domains: [{ name: math, description: Mathematics }]
    contextRules: [{ name: long, minTokens: 1K, maxTokens: 8K }]
    factCheckRules: [{ name: needs_fact_check }]
  decisions:
    - name: learning
      priority: 100
      description: People who learn
      signals:
        operator: AND
        conditions: [{ type: keyword, name: tutorial }, { type: domain, name: math }]
      modelRefs: [{ model: small, useReasoning: true, reasoning_effort: high }]
      plugins: [{ type: system_prompt, configuration: { system_prompt: Teach. } }]
`
const file = (text: string, path = "all.yaml") => ({ path, text })
const service = file("kind: Service\nmetadata: { name: other }\n", "service.yaml")

test("a pool and a route take the place of the models' data and of the routing", () => {
  const base = {
    version: "v0.3",
    providers: {
      defaults: { default_model: "old", reasoning_effort: "high" },
      models: [{ name: "small", backend_refs: [{ endpoint: "small:8000" }], pricing: { prompt_per_1m: 9 } }],
    },
    routing: { strategy: "confidence", signals: {}, decisions: [{ name: "old" }] },
    global: { router: { config_source: "kubernetes" } },
  }
  expect(withResources(base, [service, file(`${pool}---${route}`)])).toEqual({
    version: "v0.3",
    providers: {
      defaults: { model: "small", reasoning_effort: "high" },
      models: [
        {
          name: "small",
          backend_refs: [{ endpoint: "small:8000" }],
          reasoning_family: "qwen3",
          pricing: { prompt_per_1m: 0.1, completion_per_1m: 0.3 },
        },
        { name: "unknown", provider_model_id: "unknown" },
      ],
    },
    routing: {
      strategy: "confidence",
      modelCards: [{ name: "small", loras: [{ name: "helper", description: "Helps" }] }, { name: "unknown" }],
      signals: {
        keywords: [{ name: "tutorial", operator: "OR", keywords: ["guide"], case_sensitive: true }],
        embeddings: [{ name: "intent", threshold: 0.7, candidates: ["teach me"], aggregation_method: "max" }],
        domains: [{ name: "math", description: "Mathematics", mmlu_categories: ["math"] }],
        context: [{ name: "long", min_tokens: "1K", max_tokens: "8K" }],
        fact_check: [{ name: "needs_fact_check" }],
      },
      decisions: [
        {
          name: "learning",
          priority: 100,
          description: "People who learn",
          rules: {
            operator: "AND",
            conditions: [
              { type: "keyword", name: "tutorial" },
              { type: "domain", name: "math" },
            ],
          },
          modelRefs: [{ model: "small", use_reasoning: true, reasoning_effort: "high" }],
          plugins: [{ type: "system_prompt", configuration: { system_prompt: "Teach." } }],
        },
      ],
    },
    global: { router: { config_source: "file" } },
  })
})

test("what comes out is a document", async () => {
  const base = documentWith({ routing: undefined, "providers.defaults": undefined, global: { router: {} } })
  const merged = withResources(base, [
    file(pool.replace("reasoningFamily: qwen3", "")),
    file(route.replace(/contextRules.*/, "").replace(/factCheckRules.*/, "")),
  ])
  const { document } = await load(merged)
  expect(document.routing?.decisions?.map(({ name }) => name)).toEqual(["learning"])
  expect(document.providers?.defaults?.model).toBe("small")
})

test.each([
  [[service], "no file has a resource of kind IntelligentPool"],
  [[file(pool)], "no file has a resource of kind IntelligentRoute"],
  [
    [file(pool), file(pool, "more.yaml"), file(route)],
    "there are 2 resources of kind IntelligentPool (pool in all.yaml, pool in more.yaml); keep one",
  ],
  [[file(pool), file("kind: [", "broken.yaml")], "Cannot read broken.yaml: "],
])("files that leave the routing open are refused (%#)", (files, message) => {
  expect(() => withResources({}, files)).toThrow(RtrError)
  expect(() => withResources({}, files)).toThrow(message)
})
