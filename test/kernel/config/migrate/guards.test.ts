import { expect, test } from "vitest"
import { parse } from "yaml"
import { migrateDocument } from "../../../../ts/kernel/config/migrate/migrate.ts"
import { migrationTarget } from "../../../../ts/kernel/config/migrate/target.ts"
import { load } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const migrate = (text: string) => migrateDocument(text, "old.yaml", migrationTarget(registry))

const refusal = { plugins: [{ type: "fast_response", configuration: { message: "I cannot help with that." } }] }

/** Categories with decisions, whose plugins were guards. */
const withPlugins = (guard: string): string => `
prompt_guard: { enabled: true, model_id: models/guard, threshold: 0.7 }
jailbreak_mapping_path: models/guard.json
vllm_endpoints: [{ name: one, address: 127.0.0.1, port: 11434 }]
model_config: { small: { preferred_endpoints: [one] } }
categories:
  - { name: law, mmlu_categories: [law] }
  - { name: computer_science, mmlu_categories: [computer_science] }
  - { name: cooking, mmlu_categories: [cooking] }
decisions:
  - name: lawyer
    priority: 50
    rules: { operator: AND, conditions: [{ type: domain, name: law }] }
    modelRefs: [{ model: small }]
    plugins:
      - { type: system_prompt, configuration: { system_prompt: You are a lawyer. } }
      - { type: pii, configuration: { enabled: true, pii_types_allowed: [PERSON], threshold: 0.8 } }
      ${guard}
  - name: programmer
    priority: 50
    rules: { operator: AND, conditions: [{ type: domain, name: computer_science }] }
    modelRefs: [{ model: small }]
    plugins: [{ type: pii, configuration: { enabled: false } }]
default_model: small
`

test("plugins that were guards become rules, and decisions above those that had them", async () => {
  const { text, changes } = migrate(
    withPlugins("- { type: jailbreak, configuration: { enabled: true, threshold: 0.9 } }"),
  )
  const document = parse(text) as {
    readonly routing: { readonly signals: object; readonly decisions: readonly object[] }
  }
  const law = { operator: "AND", conditions: [{ type: "domain", name: "law" }] }
  expect(document.routing.signals).toEqual({
    domains: [
      { name: "law", mmlu_categories: ["law"] },
      { name: "computer_science", mmlu_categories: ["computer science"] },
      { name: "cooking" },
    ],
    pii: [{ name: "personal-data-lawyer-0.8", threshold: 0.8, pii_types_allowed: ["PERSON"] }],
    jailbreak: [{ name: "attack-0.9", threshold: 0.9 }, { name: "attack" }],
  })
  expect(document.routing.decisions.slice(2)).toEqual([
    {
      name: "attack: lawyer",
      priority: 52,
      rules: { operator: "AND", conditions: [law, { type: "jailbreak", name: "attack-0.9" }] },
      ...refusal,
    },
    {
      name: "attack",
      priority: 52,
      rules: {
        operator: "AND",
        conditions: [
          { type: "jailbreak", name: "attack" },
          { operator: "NOT", conditions: [{ operator: "OR", conditions: [law] }] },
        ],
        on_unknown: "match",
      },
      ...refusal,
    },
    {
      name: "personal data: lawyer",
      priority: 51,
      rules: { operator: "AND", conditions: [law, { type: "pii", name: "personal-data-lawyer-0.8" }] },
      ...refusal,
    },
  ])
  expect(changes).toEqual(
    expect.arrayContaining([
      "routing.decisions[0].plugins: pii → routing.signals.pii and a decision that asks for it",
      "routing.decisions[1].plugins: pii was switched off and was removed",
      expect.stringMatching(
        /^routing\.signals\.domains\[2\]\.mmlu_categories: "cooking" is no label of the domain model/,
      ),
      "jailbreak_mapping_path has no counterpart here and was removed",
    ]),
  )
  await expect(load(document)).resolves.toBeDefined()
})

test("the switch of all guards holds for every decision that says nothing, and not beside rules for attacks", () => {
  const added = (text: string): unknown =>
    (
      parse(migrate(text).text) as {
        readonly routing: { readonly decisions: readonly { readonly name: string; readonly rules: unknown }[] }
      }
    ).routing.decisions
      .filter(({ name }) => name.startsWith("attack"))
      .map(({ name, rules }) => [name, rules])
  expect(added(withPlugins(""))).toEqual([["attack", { type: "jailbreak", name: "attack" }]])
  expect(added(`${withPlugins("")}\nsignals: { jailbreak: [{ name: own, threshold: 0.5 }] }\n`)).toEqual([])
})

test("a document that routes nothing keeps its guards", () => {
  const { text } = migrate(`
prompt_guard: { enabled: true }
vllm_endpoints: [{ name: one, address: h, port: 1 }]
model_config: { small: { pii_policy: { allow_by_default: false } } }
default_model: small
`)
  expect(parse(text)).toMatchObject({
    routing: {
      decisions: [
        { name: "attack", rules: { type: "jailbreak", name: "attack" }, ...refusal },
        { name: "default", modelRefs: [{ model: "small" }] },
        { name: "personal data: default", rules: { type: "pii", name: "personal-data-small" }, ...refusal },
      ],
    },
  })
})

test("what an older router passed over in silence is named and left out", async () => {
  const { text, changes } = migrate(`
vllm_endpoints: [{ name: one, address: h, port: 1, health_check_path: /health }, { name: two, address: h, port: 2 }]
model_config:
  small: { reasoning_family: llama2, preferred_endpoints: [one], param_count: 7 }
  unused: { pii_policy: { allow_by_default: true } }
classifier: { mcp_category_model: { enabled: false, transport_type: http, url: "http://localhost:8090/mcp" } }
decisions: [{ name: all, modelRefs: [{ model: small }] }]
version: v0.1
`)
  const document = parse(text) as object
  expect(document).toEqual({
    version: "v0.3",
    routing: { decisions: [{ name: "all", modelRefs: [{ model: "small" }] }] },
    providers: { models: [{ name: "small", backend_refs: [{ name: "one", endpoint: "h:1", provider: "vllm" }] }] },
    global: {
      model_catalog: {
        modules: {
          classifier: { mcp: { enabled: false, transport_type: "streamable-http", url: "http://localhost:8090/mcp" } },
        },
      },
    },
  })
  expect(changes).toEqual(
    expect.arrayContaining([
      'providers.models: "unused" was removed: no endpoint has it, and nothing calls it',
      'providers.models[0].reasoning_family was removed: the document has no family "llama2"',
      "providers.models[0].param_count has no counterpart here and was removed",
      "providers.models[0].backend_refs[0].health_check_path has no counterpart here and was removed",
      "version: v0.1 → v0.3",
    ]),
  )
  await expect(load(document)).resolves.toBeDefined()
})
