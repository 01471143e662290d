import { expect, test } from "vitest"
import { parse } from "yaml"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { migrateDocument, type Migration } from "../../../../ts/kernel/config/migrate/migrate.ts"
import { migrationTarget } from "../../../../ts/kernel/config/migrate/target.ts"
import { load } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const target = migrationTarget(registry)
const migrate = (text: string): Migration => migrateDocument(text, "old.yaml", target)

test("older spellings become the current ones; comments and the order of keys stay", async () => {
  const { text, changes } = migrate(`# my document
version: v0.3
providers:
  defaults:
    # answers by default
    default_model: m
    default_reasoning_effort: low # cheap
    reasoning_families:
      qwen3: { type: chat_template_kwargs, parameter: enable_thinking }
  models:
    - name: m
      reasoning_family: qwen3
      backend_refs:
        - endpoint: 127.0.0.1:1 # here
          type: sglang
        - endpoint: 127.0.0.1:2
routing: {}
global:
  router:
    clear_route_cache: true
    auto_model_name: me
  stores:
    semantic_cache: { enabled: false }
`)
  expect(text).toBe(`# my document
version: v0.3
providers:
  defaults:
    # answers by default
    model: m
    reasoning_effort: low # cheap
  models:
    - name: m
      reasoning:
        type: chat_template_kwargs
        parameter: enable_thinking
      backend_refs:
        - endpoint: 127.0.0.1:1 # here
          provider: sglang
        - endpoint: 127.0.0.1:2
          provider: vllm
routing: {}
global:
  router:
    auto_model_name: me
  stores:
    response_cache: { enabled: false }
`)
  expect(changes).toEqual([
    "providers.defaults.default_model → model",
    "providers.defaults.default_reasoning_effort → reasoning_effort",
    "providers.models[0].backend_refs[0].type → provider",
    "global.stores.semantic_cache → response_cache",
    "providers.models[0].reasoning_family: qwen3 → reasoning",
    "providers.defaults.reasoning_families is in the models now",
    "global.router.clear_route_cache has no effect and was removed",
  ])
  expect(migrate(text)).toEqual({ text, changes: [] })
  const { warnings } = await load(text.slice(0, text.indexOf("  stores:")))
  expect(warnings.filter(({ message }) => message.includes("older spelling"))).toEqual([])
})

test("a key in both spellings loses the older one, where they say the same", () => {
  const backend = (rest: string) =>
    migrate(
      `version: v0.3\nproviders:\n  models:\n    - name: m\n      backend_refs: [{ endpoint: "h:1", ${rest} }]\nrouting: {}\n`,
    ).changes
  expect(backend("type: vllm, provider: vllm")).toEqual([
    "providers.models[0].backend_refs[0].type was removed: provider says the same",
  ])
  expect(backend("type: vllm, provider: openai")).toEqual([])
})

test("a document before v0.3 gets its sections, and models with their endpoints and cards", async () => {
  const { text } = migrate(`
default_model: qwen
vllm_endpoints:
  - { name: e1, address: 10.0.0.1, port: 8000, weight: 2 }
  - { name: hosted, provider_profile: open }
provider_profiles:
  open: { type: openai, base_url: "https://api.example/v1" }
model_config:
  qwen:
    preferred_endpoints: [e1, hosted]
    access_key: "\${KEY:-none}"
    model_id: Qwen/Qwen3
    param_size: 7b
    pricing: { currency: USD, prompt_per_1m: 1, completion_per_1m: 2 }
categories: [{ name: math, mmlu_categories: [math] }]
signals:
  keyword_rules: [{ name: urgent, operator: OR, keywords: [now] }]
strategy: confidence
decisions:
  - name: d # first
    rules: { operator: OR, conditions: [{ type: domain, name: math }, { type: keyword, name: urgent }] }
    modelRefs: [{ model: qwen, use_reasoning: true }]
auto_model_name: me
bert_model: { model_id: bert, threshold: 0.6, use_cpu: true }
classifier:
  category_model: { threshold: 0.6, use_cpu: true }
prompt_guard: { threshold: 0.7 }
`)
  const document = parse(text) as object
  expect(document).toEqual({
    version: "v0.3",
    routing: {
      signals: {
        keywords: [{ name: "urgent", operator: "OR", keywords: ["now"] }],
        domains: [{ name: "math", mmlu_categories: ["math"] }],
      },
      strategy: "confidence",
      decisions: [
        {
          name: "d",
          rules: {
            operator: "OR",
            conditions: [
              { type: "domain", name: "math" },
              { type: "keyword", name: "urgent" },
            ],
          },
          modelRefs: [{ model: "qwen", use_reasoning: true }],
        },
      ],
      modelCards: [{ name: "qwen", param_size: "7b" }],
    },
    providers: {
      defaults: { model: "qwen" },
      models: [
        {
          name: "qwen",
          provider_model_id: "Qwen/Qwen3",
          pricing: { currency: "USD", prompt_per_1m: 1, completion_per_1m: 2 },
          backend_refs: [
            { name: "e1", endpoint: "10.0.0.1:8000", weight: 2, provider: "vllm", api_key: "${KEY:-none}" },
            { name: "hosted", provider: "openai", base_url: "https://api.example/v1", api_key: "${KEY:-none}" },
          ],
        },
      ],
    },
    global: {
      router: { auto_model_name: "me" },
      model_catalog: {
        embeddings: { semantic: { embedding_config: { min_score_threshold: 0.6 } } },
        modules: { prompt_guard: { threshold: 0.7 }, classifier: { domain: { threshold: 0.6 } } },
      },
    },
  })
  expect(text).toContain("name: d # first")
  await expect(load(document)).resolves.toBeDefined()
})

test("two values for one key are left for somebody to decide", () => {
  const text = "version: v0.3\nproviders: { defaults: { model: a, default_model: b } }\nrouting: {}\n"
  expect(migrate(text)).toEqual({ text, changes: [] })
})

test("the first value wins where two old keys have one new place, and the other is told", () => {
  const { text, changes } = migrate("default_model: a\nproviders: { default_model: b }\nrouting: {}\n")
  expect(parse(text)).toMatchObject({ providers: { defaults: { model: "a" } } })
  expect(changes).toContain(
    "providers.defaults.model: model was there already; the value of providers.default_model was dropped",
  )
})

test("anchors are followed, and a text that is no YAML is refused", () => {
  const { text } = migrate(`version: v0.3
providers:
  models:
    - name: a
      backend_refs: [&ref { endpoint: "h:1", type: vllm }]
    - { name: b, backend_refs: [*ref] }
routing: {}
`)
  expect(parse(text)).toMatchObject({
    providers: {
      models: [
        { backend_refs: [{ endpoint: "h:1", provider: "vllm" }] },
        { backend_refs: [{ endpoint: "h:1", provider: "vllm" }] },
      ],
    },
  })
  expect(() => migrate("a: [")).toThrow(ConfigError)
})
