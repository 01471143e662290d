import { describe, expect, test } from "vitest"
import { applyAliases } from "../../../ts/kernel/config/aliases.ts"
import { documentWith, load, problemsOf } from "../../fakes/document.ts"

describe("keys", () => {
  test.each([
    [{ providers: { defaults: { default_model: "m" } } }, { providers: { defaults: { model: "m" } } }],
    [
      { providers: { defaults: { default_reasoning_effort: "low" } } },
      { providers: { defaults: { reasoning_effort: "low" } } },
    ],
    [
      { providers: { models: [{ name: "a" }, { backend_refs: [{ endpoint: "h", type: "vllm", weight: 2 }] }] } },
      { providers: { models: [{ name: "a" }, { backend_refs: [{ endpoint: "h", provider: "vllm", weight: 2 }] }] } },
    ],
    [{ global: { stores: { semantic_cache: { a: 1 } } } }, { global: { stores: { response_cache: { a: 1 } } } }],
  ])("%j becomes the current spelling", (document, current) => {
    const before = structuredClone(document)
    expect(applyAliases(document)).toMatchObject({ value: current, problems: [{ severity: "warning" }] })
    expect(document).toEqual(before)
  })

  test("keep their place among the others", () => {
    const { value } = applyAliases({ providers: { models: [{ backend_refs: [{ a: 1, type: "x", b: 2 }] }] } })
    expect(JSON.stringify(value)).toBe('{"providers":{"models":[{"backend_refs":[{"a":1,"provider":"x","b":2}]}]}}')
  })

  test("the same value in both spellings is one key", () => {
    expect(applyAliases({ providers: { defaults: { model: "m", default_model: "m" } } })).toMatchObject({
      value: { providers: { defaults: { model: "m" } } },
      problems: [{ severity: "warning" }],
    })
  })

  test("an older spelling is a warning that names the current one, once for all its places", () => {
    const ref = (spelling: string): object => ({ backend_refs: [{ endpoint: "h", [spelling]: "vllm" }] })
    const { problems } = applyAliases({
      providers: { defaults: { default_model: "a" }, models: [ref("provider"), ref("type"), ref("type")] },
      routing: { decisions: [{ plugins: [{ type: "semantic-cache" }] }] },
    })
    expect(problems.map(({ path, message, severity }) => [severity, path.join("."), message])).toEqual([
      ["warning", "providers.defaults.default_model", '"default_model" is the older spelling of "model"'],
      ["warning", "providers.models.1.backend_refs.0.type", '"type" is the older spelling of "provider"'],
      ["warning", "routing.decisions.0.plugins.0", '"semantic-cache" is the older spelling of "response_cache"'],
    ])
  })

  test("two values for one key are a problem at the older spelling", () => {
    expect(problemsOf(documentWith({ "providers.defaults.default_model": "large" }))).toEqual([
      'providers.defaults.default_model: says something else than "model", which is the same key; keep one',
    ])
    expect(
      problemsOf(
        documentWith({ "providers.models.0.backend_refs.0": { endpoint: "h", type: "openai", provider: "vllm" } }),
      ),
    ).toEqual([
      'providers.models[0].backend_refs[0].type: says something else than "provider", which is the same key; keep one',
    ])
  })

  test("a problem of a renamed key stands where the older spelling was written", () => {
    const { written } = applyAliases({
      providers: { defaults: { default_model: "x" }, models: [{ backend_refs: [{ type: 5 }] }] },
    })
    expect(written(["providers", "defaults", "model"])).toEqual(["providers", "defaults", "default_model"])
    expect(written(["providers", "models", 0, "backend_refs", 0, "provider"])).toEqual([
      "providers",
      "models",
      0,
      "backend_refs",
      0,
      "type",
    ])
    expect(written(["providers", "defaults", "reasoning_effort"])).toEqual([
      "providers",
      "defaults",
      "reasoning_effort",
    ])
  })

  test("values of another shape are left for the schema to report", () => {
    for (const document of [null, 5, [], { providers: [] }, { providers: { models: { a: 1 } } }, { providers: null }])
      expect(applyAliases(document)).toMatchObject({ value: document, problems: [] })
  })
})

describe("plugin types", () => {
  const typesOf = (...types: readonly unknown[]): unknown => {
    const { value } = applyAliases({
      routing: { decisions: [{ plugins: types.map((type) => ({ type, configuration: {} })) }] },
    })
    return (value as { routing: { decisions: [{ plugins: { type: unknown }[] }] } }).routing.decisions[0].plugins.map(
      ({ type }) => type,
    )
  }

  test("the spellings of the response cache are one type", () => {
    expect(typesOf("semantic-cache", "semantic_cache", "response-cache", "response_cache")).toEqual([
      "response_cache",
      "response_cache",
      "response_cache",
      "response_cache",
    ])
  })

  test("a message about one names it as it is written", () => {
    const { spelled } = applyAliases({
      routing: { decisions: [{ plugins: [{ type: "semantic-cache" }, { type: "response_cache" }] }] },
    })
    const at = (plugin: number) => ["routing", "decisions", 0, "plugins", plugin, "type"]
    const message = '"response_cache" is not supported yet'
    expect(spelled(at(0), message)).toBe('"semantic-cache" is not supported yet')
    expect(spelled(at(1), message)).toBe(message)
  })

  test("every other type stays", () => {
    expect(typesOf("system_prompt", "constructor", 5, null)).toEqual(["system_prompt", "constructor", 5, null])
  })
})

test("documents in either spelling resolve to the same", async () => {
  const older = documentWith({
    "providers.defaults": { default_model: "small", default_reasoning_effort: "low" },
    "providers.models.1.backend_refs.0": { base_url: "https://large.example/v1", type: "openai", api_key: "key" },
  })
  const current = documentWith({
    "providers.defaults": { model: "small", reasoning_effort: "low" },
    "providers.models.1.backend_refs.0": { base_url: "https://large.example/v1", provider: "openai", api_key: "key" },
  })
  const { document, unexpanded, warnings } = await load(older)
  const inCurrent = await load(current)
  expect({ document, unexpanded }).toEqual({ document: inCurrent.document, unexpanded: inCurrent.unexpanded })
  const inBoth = new Set(inCurrent.warnings.map(({ message }) => message))
  expect(warnings.map(({ message }) => message).filter((message) => !inBoth.has(message))).toEqual([
    '"default_model" is the older spelling of "model"',
    '"default_reasoning_effort" is the older spelling of "reasoning_effort"',
    '"type" is the older spelling of "provider"',
  ])
})
