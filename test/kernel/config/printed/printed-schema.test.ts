import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { documentSchema } from "../../../../ts/kernel/config/recipes/whole-schema.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const schema = documentSchema(registry)
const check = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(schema)
const fits = (document: unknown): boolean => check(document)

const folder = join(import.meta.dirname, "../../../fixtures/config/valid")

test("valid documents fit what is printed", () => {
  for (const name of readdirSync(folder))
    expect([name, fits(parse(readFileSync(join(folder, name), "utf8"), { merge: true })), check.errors]).toEqual([
      name,
      true,
      null,
    ])
})

test("every reference is to a definition at the root", () => {
  const text = JSON.stringify(schema)
  const names = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, name]) => name)
  expect([...new Set(names)].toSorted()).toEqual([
    "#/$defs/Composer",
    "#/$defs/EnvironmentReference",
    "#/$defs/RuleNode",
  ])
  expect(text.match(/"\$defs":/g)).toHaveLength(1)
  expect(text).not.toMatch(/"(\$id|discriminator|x-[a-z-]+)":/)
})

describe("of what stands in documents", () => {
  const listener = { name: "main", address: "127.0.0.1", port: 8801 }
  const model = { name: "small", backend_refs: [{ endpoint: "host" }] }
  const decision = { name: "a", modelRefs: [{ model: "small" }] }
  const withDecision = (changes: object): unknown =>
    documentWith({ routing: { decisions: [{ ...decision, ...changes }] } })
  const withModel = (changes: object): unknown => documentWith({ providers: { models: [{ ...model, ...changes }] } })
  const withListener = (changes: object): unknown => documentWith({ listeners: [{ ...listener, ...changes }] })
  const fitting: Readonly<Record<string, unknown>> = {
    "a variable for a port": withListener({ port: "${RTR_PORT:-8801}" }),
    "a variable for a duration": withListener({ timeout: "${TIMEOUT}" }),
    "a variable for a number": withDecision({ priority: "$PRIORITY" }),
    "a variable for a switch": documentWith({ routing: { fallback: { enabled: "${ON}", models: ["small"] } } }),
    "a model of the catalogue": withModel({ catalog: "openai/gpt-5" }),
    "an older key": documentWith({ providers: { defaults: { default_model: "small" }, models: [model] } }),
    "an older key of a backend": withModel({ backend_refs: [{ endpoint: "host", type: "openai" }] }),
    "an older key of a section": documentWith({ global: { stores: { semantic_cache: { enabled: false } } } }),
    "a plugin that there is not": withDecision({ plugins: [{ type: "memory", configuration: { enabled: true } }] }),
    "the older name of one": withDecision({ plugins: [{ type: "semantic-cache", configuration: { enabled: true } }] }),
    "a section that there is not": documentWith({ global: { services: { ratelimit: { enabled: false } } } }),
    "a key without effect": documentWith({
      global: { model_catalog: { modules: { prompt_guard: { use_cpu: true } } } },
    }),
  }
  const wrong: Readonly<Record<string, unknown>> = {
    "a text for a port": withListener({ port: "8801" }),
    "a text for a duration": withListener({ timeout: "soon" }),
    "an unknown key": withDecision({ pirority: 1 }),
    "an unknown plugin": withDecision({ plugins: [{ type: "memroy", configuration: {} }] }),
    "an unknown condition": withDecision({ rules: { operator: "AND", conditions: [{ type: "kyword", name: "a" }] } }),
  }

  test("what is accepted fits", () => {
    expect(Object.entries(fitting).flatMap(([what, document]) => (fits(document) ? [] : [what]))).toEqual([])
  })

  test("what is refused does not", () => {
    expect(Object.entries(wrong).flatMap(([what, document]) => (fits(document) ? [what] : []))).toEqual([])
  })

  test("recipes have the same", () => {
    const { plugins, ...routed } = { ...decision, plugins: [{ type: "memory", configuration: {} }] }
    const recipe = { name: "p", routing: { decisions: [{ ...routed, plugins, priority: "${PRIORITY}" }] } }
    expect(fits(documentWith({ recipes: [recipe] }))).toBe(true)
  })
})
