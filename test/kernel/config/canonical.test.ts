import { describe, expect, test } from "vitest"
import { stringify } from "yaml"
import { canonicalDocument } from "../../../ts/kernel/config/canonical.ts"
import { documentWith, load, resolve, smallDocument } from "../../fakes/document.ts"
import { createRandom } from "../../fakes/random.ts"
import { randomDocument } from "../../fakes/random-document.ts"
import { registry } from "../../fakes/registry.ts"

describe("the normal form", () => {
  test("says aloud what was left out, in a fixed order of keys", () => {
    const { unexpanded } = resolve(
      JSON.stringify({
        routing: {
          strategy: "priority",
          decisions: [{ rules: { type: "keyword", name: "k" }, modelRefs: [{ model: "m" }], name: "d" }],
          signals: { keywords: [{ name: "k", operator: "OR", keywords: ["x"] }] },
        },
        providers: { models: [{ name: "m", backend_refs: [{ endpoint: "h" }] }] },
        listeners: [{ name: "l", address: "::", port: 1 }],
        version: "v0.3",
      }),
    )
    expect(JSON.stringify(unexpanded, null, 1)).toBe(
      JSON.stringify(
        {
          version: "v0.3",
          listeners: [{ name: "l", address: "::", port: 1, timeout: "300s" }],
          providers: { models: [{ name: "m", backend_refs: [{ endpoint: "h" }] }] },
          routing: {
            signals: { keywords: [{ name: "k", operator: "OR", keywords: ["x"] }] },
            decisions: [
              {
                name: "d",
                priority: 0,
                rules: { operator: "AND", conditions: [{ type: "keyword", name: "k" }] },
                modelRefs: [{ model: "m", use_reasoning: false }],
                algorithm: { type: "static" },
              },
            ],
            strategy: "priority",
          },
        },
        null,
        1,
      ),
    )
  })

  test("leaves out what a document does not have", () => {
    expect(resolve({ version: "v0.3", routing: {} }).unexpanded).toEqual({ version: "v0.3", routing: {} })
    expect(resolve({ version: "v0.3", global: {} }).unexpanded).toEqual({ version: "v0.3", global: {} })
  })

  test("keeps everything that it has no opinion about", async () => {
    const changes = {
      modules: undefined,
      "listeners.0": { name: "l", address: "::", port: 1, timeout: "5s", api_keys: ["k"], models: ["x"] },
      "routing.modelCards": [{ name: "small", tags: ["a"] }],
      "routing.decisions.0.description": "words",
      "routing.decisions.0.tier": 2,
      "routing.decisions.0.priority": -5,
      "routing.decisions.0.plugins": [{ type: "system_prompt", configuration: { mode: "replace" } }],
      "routing.decisions.0.modelRefs": [{ model: "large", use_reasoning: true, reasoning_effort: "high" }],
      "global.router": { auto_model_name: "x" },
    }
    const { document } = await load(documentWith(changes))
    expect(document).toMatchObject(documentWith(changes))
  })

  test("the document that was given stays as it was", () => {
    const document = documentWith({})
    resolve(document)
    expect(document).toEqual(smallDocument)
  })
})

describe("domains that no rule declares", () => {
  const domains = (conditions: readonly string[], declared?: readonly object[]) =>
    resolve(
      documentWith({
        "routing.signals": declared === undefined ? undefined : { domains: declared },
        "routing.decisions.0.rules": {
          operator: "OR",
          conditions: conditions.map((name) => ({ operator: "AND", conditions: [{ type: "domain", name }] })),
        },
      }),
    ).document.routing?.signals?.["domains"]

  test("are declared by their conditions, once each", () => {
    expect(domains(["Law", "my topic", "Law"])).toEqual([
      { name: "Law", description: "Law", mmlu_categories: ["law"] },
      { name: "my topic", description: "my topic", mmlu_categories: ["other"] },
    ])
  })

  test("an empty list declares nothing", () => {
    expect(domains(["math"], [])).toEqual([{ name: "math", description: "math", mmlu_categories: ["math"] }])
  })

  test("a declared rule stops that", () => expect(domains(["law"], [{ name: "law" }])).toEqual([{ name: "law" }]))
})

describe("generated documents", () => {
  const seeds = Array.from({ length: 100 }, (_, seed) => seed + 1)
  const environment = { LISTENER_KEY: "listener-secret", KEY: 'key: secret #- "x' }

  test.each(seeds)("of seed %i stay the same when they are normalised twice", async (seed) => {
    const once = (await load(randomDocument(createRandom(seed)), environment)).document
    expect(canonicalDocument(once, registry)).toEqual(once)
  })

  test.each(seeds)(
    "of seed %i are the same when they are printed and read again, in YAML and in JSON",
    async (seed) => {
      const first = await load(randomDocument(createRandom(seed)), environment)
      const texts = [
        stringify(first.unexpanded, { lineWidth: 0, aliasDuplicateObjects: false }),
        JSON.stringify(first.unexpanded),
      ]
      for (const text of texts) {
        const again = await load(text, environment)
        expect(again.document).toEqual(first.document)
        expect(JSON.stringify(again.unexpanded)).toBe(JSON.stringify(first.unexpanded))
      }
    },
  )

  test("hold no value from the environment when they are printed", async () => {
    const loaded = await Promise.all(seeds.map((seed) => load(randomDocument(createRandom(seed)), environment)))
    const printed = loaded.map(({ unexpanded }) => JSON.stringify(unexpanded))
    expect(printed.join()).toContain("${LISTENER_KEY}")
    expect(printed.join()).not.toMatch(/listener-secret|key: secret/)
  })
})
