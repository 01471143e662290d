import { Type } from "typebox"
import { describe, expect, test } from "vitest"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"
import { resolveDocument } from "../../../ts/kernel/config/resolve.ts"
import { wrapDocument } from "../../../ts/kernel/config/source-document.ts"
import type { Registry } from "../../../ts/kernel/modules/registry.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import type { Report } from "../../../ts/kernel/types/module-base.ts"
import { documentWith, load, problemListOf, problemsOf, resolve, smallDocument } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"

describe("problems", () => {
  const text = `version: v0.3
listeners:
  - name: main
    address: 127.0.0.1
    port: "x"
providers:
  defaults:
    default_model: nobody
  models:
    - name: small
      backend_refs:
        - endpoint: host
          type: opnai
global:
  services: { router_replay: { postgres: { host: x } } }
routing:
  signals:
    keywords:
      - name: urgent
        operator: OR
  decisions:
    - name: rush
      rules: { type: keyword, name: urgnt }
      modelRefs: [{ model: small }]
`

  test("are listed all at once, in the order of the lines, with their places", () => {
    expect(() => resolve(text)).toThrow(
      new ConfigError("config.yaml", [
        {
          path: ["listeners", 0, "port"],
          message: 'must be a whole number, got the string "x"',
          code: "invalid",
          position: { line: 5, column: 5 },
        },
        {
          path: ["providers", "defaults", "model"],
          message: '"nobody" is not in providers.models',
          code: "invalid",
          position: { line: 8, column: 5 },
        },
        {
          path: ["providers", "models", 0, "backend_refs", 0, "provider"],
          message: 'must be a known word, got "opnai" (did you mean "openai"?)',
          code: "invalid",
          position: { line: 13, column: 11 },
        },
        {
          path: ["global", "services", "router_replay"],
          message: "is not supported yet",
          code: "unsupported",
          position: { line: 15, column: 15 },
        },
        {
          path: ["routing", "signals", "keywords", 0, "keywords"],
          message: "is missing",
          code: "invalid",
          position: { line: 19, column: 9 },
        },
        {
          path: ["routing", "decisions", 0, "rules", "name"],
          message: 'refers to keyword rule "urgnt", which routing.signals does not declare (did you mean "urgent"?)',
          code: "invalid",
          position: { line: 23, column: 31 },
        },
      ]),
    )
  })

  test("say whether a key is wrong or only comes later", () => {
    const problems = problemListOf(
      documentWith({
        "global.services.router_replay": { postgres: { host: "x" } },
        "global.services.router_replays": {},
      }),
    )
    expect(problems.map(({ code }) => code)).toEqual(["unsupported", "invalid"])
  })

  test("of a wrong shape do not hide those of its neighbours", () => {
    expect(problemsOf(documentWith({ "listeners.0.port": "x", "routing.decisions": { not: "a list" } }))).toEqual([
      'listeners[0].port: must be a whole number, got the string "x"',
      "routing.decisions: must be a list, got a map",
    ])
  })

  test("of a value that the schema refused are not told a second time by the check of its module", () => {
    const prefixed = {
      kind: "signal",
      about: "reads",
      rule: Type.Object({ prefix: Type.String() }),
      check: (rules: readonly { readonly prefix: string }[], report: Report) =>
        rules.forEach(({ prefix }, index) => {
          if (!/^[A-Z]+$/.test(prefix)) report([index, "prefix"], `"${prefix}" is no ticket prefix`)
          if (/^\d/.test(String(prefix))) report([index, "name"], "is told all the same")
        }),
      setup: () => {},
    }
    const rules = [{ name: "a" }, { name: "b", prefix: 5 }, { name: "c", prefix: "abc" }]
    const registered = { id: "ticket", module: prefixed, source: "./ticket.ts" } as never
    const withTicket: Registry = {
      ...registry,
      all: (kind) => [...registry.all(kind), ...(kind === "signal" ? [registered] : [])],
    }
    const source = wrapDocument(documentWith({ "routing.signals.ticket": rules }))
    let refused: unknown
    try {
      void resolveDocument(source, { source: "c.yaml", registry: withTicket, environment: {} })
    } catch (error) {
      refused = error
    }
    const { problems } = refused as ConfigError
    expect(problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([
      "routing.signals.ticket[0].prefix: is missing",
      "routing.signals.ticket[1].prefix: must be a string, got a number",
      "routing.signals.ticket[1].name: is told all the same",
      'routing.signals.ticket[2].prefix: "abc" is no ticket prefix',
    ])
  })

  test("are listed once", () => {
    const problems = problemsOf(documentWith({ "routing.decisions.0.rules": { type: "keyword" } }))
    expect(problems).toEqual(["routing.decisions[0].rules.name: is missing"])
  })
})

describe("the shape of a document", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["nothing", null, ["(document): is empty; start from the output of: rtr config init"]],
    ["an empty text", "", ["(document): is empty; start from the output of: rtr config init"]],
    ["a text", "words", ["(document): must be a map"]],
    ["a list", [], ["(document): must be a map"]],
    [
      "neither routing nor global",
      { version: "v0.3", listeners: [], stores: {} },
      [
        "(document): has neither routing nor global, but stores; a v0.3 document has version, listeners, providers, routing and global",
      ],
    ],
    [
      "sections with misspelled names",
      { Routing: {}, providerss: {}, listener: [] },
      [
        'Routing: is not a known key (did you mean "routing"?)',
        'providerss: is not a known key (did you mean "providers"?)',
        'listener: is not a known key (did you mean "listeners"?)',
        "(document): has neither routing nor global, but Routing, providerss, listener; a v0.3 document has version, listeners, providers, routing and global",
      ],
    ],
    [
      "a document of LiteLLM",
      { model_list: [] },
      [
        "model_list: has moved to providers.models, whose entries have their addresses in backend_refs",
        "(document): has neither routing nor global, but model_list; a v0.3 document has version, listeners, providers, routing and global",
      ],
    ],
    [
      "the format before v0.3",
      { vllm_endpoints: [], default_model: "x", custom: 1 },
      [
        "vllm_endpoints: has moved to providers.models[].backend_refs[]",
        "default_model: has moved to providers.defaults.model",
        "(document): has neither routing nor global, but vllm_endpoints, default_model, custom; a v0.3 document has version, listeners, providers, routing and global",
      ],
    ],
    ["routing alone", { version: "v0.3", routing: {} }, []],
    ["global alone", { version: "v0.3", global: {} }, []],
    ["no version", { routing: {} }, ["version: is missing; write version: v0.3"]],
    [
      "another version",
      { version: "v0.4", routing: {} },
      ['version: must be "v0.3", got "v0.4" (did you mean "v0.3"?)'],
    ],
    ["routing that is nothing", { version: "v0.3", routing: null }, ["routing: must be a map, got nothing"]],
  ])("%s", (_, document, problems) => expect(problemsOf(document)).toEqual(problems))
})

describe("values from the environment", () => {
  test("become numbers and booleans where those are wanted, and stay text elsewhere", async () => {
    const { document } = await load(
      documentWith({
        "listeners.0.port": "${PORT}",
        "listeners.0.name": "${PORT}",
        "routing.decisions.0.priority": "$PRIORITY",
        "routing.decisions.0.modelRefs.0.use_reasoning": "${FLAG:-true}",
        "routing.signals.keywords.0.case_sensitive": "$NO",
      }),
      { PORT: "8080", PRIORITY: "-3", NO: "false" },
    )
    expect(document.listeners?.[0]).toMatchObject({ port: 8080, name: "8080" })
    expect(document.routing?.decisions?.[0]).toMatchObject({ priority: -3, modelRefs: [{ use_reasoning: true }] })
    expect(document.routing?.signals?.["keywords"]?.[0]).toMatchObject({ case_sensitive: false })
  })

  test.each([
    ["", "must be a whole number, got a string"],
    ["eighty", 'must be a whole number, got the string "${PORT}"'],
    ["80.5", "must be a whole number, got a number"],
    ["70000", "must be <= 65535, got ${PORT}"],
    ["true", "must be a whole number, got a boolean"],
    ["Infinity", 'must be a whole number, got the string "${PORT}"'],
  ])("port %j: %s", (PORT, message) => {
    expect(problemsOf(documentWith({ "listeners.0.port": "${PORT}" }), { PORT })).toEqual([
      `listeners[0].port: ${message}`,
    ])
  })

  test("a text that was written as text is not converted", () => {
    expect(problemsOf(documentWith({ "listeners.0.port": "8080" }))).toEqual([
      'listeners[0].port: must be a whole number, got the string "8080"; write it without quotes',
    ])
  })

  test("cannot become structure", () => {
    const { document } = resolve(documentWith({ "routing.decisions.0.description": "$TEXT" }), {
      TEXT: "x\nmodelRefs: [{ model: small }]",
    })
    expect(document.routing?.decisions?.[0]).toMatchObject({
      description: "x\nmodelRefs: [{ model: small }]",
      modelRefs: [{ model: "large" }],
    })
  })

  test("names that are not set are warnings with their place", () => {
    const text = JSON.stringify(smallDocument, null, 1).replace('"key"', '"${MISSING}"')
    const { document, warnings } = resolve(text)
    expect(warnings).toEqual([
      {
        path: ["providers", "models", 1, "backend_refs", 0, "api_key"],
        message: "environment variable MISSING is not set; its place stays empty",
        code: "invalid",
        position: expect.objectContaining({ column: 7 }),
      },
    ])
    expect(document.providers?.models?.[1]?.backend_refs?.[0]?.api_key).toBe("")
  })

  test("are in the document and not in what is printed", () => {
    const { document, unexpanded } = resolve(
      documentWith({ "providers.models.1.backend_refs.0.api_key": "${SECRET}" }),
      { SECRET: "hunter2" },
    )
    expect(JSON.stringify(document)).toContain("hunter2")
    expect(JSON.stringify(unexpanded)).not.toContain("hunter2")
    expect(JSON.stringify(unexpanded)).toContain("${SECRET}")
  })

  test.each([
    ["listeners.0.api_keys", { a: "${SECRET}" }],
    ["listeners.0.api_keys", [["${SECRET}"]]],
    ["listeners.0.timeout", "${SECRET}"],
    ["providers.models.1.backend_refs.0.api_key", ["${SECRET}"]],
    ["providers.models.1.backend_refs.0.api_key_env", "${SECRET}"],
    ["providers.models.1.backend_refs.0.extra_headers", { "x-key": ["${SECRET}"] }],
    ["providers.models.1.backend_refs.0.base_url", "${SECRET}"],
    ["providers.models.1.backend_refs.0.weight", "${SECRET}"],
    ["providers.models.1.backend_refs.0.api_key_", "${SECRET}"],
  ])("are in no message about %s", (path, value) => {
    const document = documentWith({ [path]: value })
    const problems = problemsOf(document, { SECRET: "hunter 2" })
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.join()).not.toContain("hunter 2")
  })
})

test("aliases, environment and normal form work together", () => {
  const text = `
version: v0.3
providers:
  defaults: { default_model: "\${MODEL:-small}" }
  models: [{ name: small, backend_refs: [{ endpoint: h, type: vllm }] }]
routing:
  decisions: [{ name: all, modelRefs: [{ model: "$MODEL" }] }]
`
  const { document, unexpanded, warnings } = resolve(text, { MODEL: "small" })
  const expected = (model: string, fallback: string) => ({
    version: "v0.3",
    providers: {
      defaults: { model: fallback },
      models: [{ name: "small", backend_refs: [{ endpoint: "h", provider: "vllm" }] }],
    },
    routing: {
      decisions: [
        {
          name: "all",
          priority: 0,
          rules: { operator: "AND", conditions: [] },
          modelRefs: [{ model, use_reasoning: false }],
          algorithm: { type: "static" },
        },
      ],
    },
  })
  expect({ document, unexpanded, warnings: warnings.map(({ message }) => message) }).toEqual({
    document: expected("small", "small"),
    unexpanded: expected("$MODEL", "${MODEL:-small}"),
    warnings: ['"default_model" is the older spelling of "model"', '"type" is the older spelling of "provider"'],
  })
})

test("a document that says nothing of routing is one with every default", () => {
  const { routing: _, ...document } = smallDocument
  expect(resolve(document).document).toMatchObject({ providers: { defaults: { model: "small" } } })
})

test("a reference without its closing brace, and an empty key of a listener, are problems that name the variable", () => {
  expect(problemsOf(documentWith({ "providers.models.0.backend_refs.0.endpoint": "${WHERE" }))).toEqual([
    'providers.models[0].backend_refs[0].endpoint: has "${WHERE" without its closing brace',
  ])
  expect(problemsOf(documentWith({ "listeners.0.api_keys": ["$NOWHERE"] }))).toEqual([
    "listeners[0].api_keys[0]: must not be empty; environment variable NOWHERE is not set",
  ])
})

test("a long document is checked in turns with others, with the same result and the same problems", async () => {
  const decisions = Array.from({ length: 60 }, (_, index) => ({ name: `d${index}`, modelRefs: [{ model: "small" }] }))
  const good = documentWith({ routing: { decisions } })
  const options = { source: "config.yaml", registry, environment: {} }
  const inTurns = resolveDocument({ ...wrapDocument(good), isLong: true }, options)
  expect(inTurns).toBeInstanceOf(Promise)
  const { locate: _, ...resolved } = await inTurns
  expect(resolveDocument(wrapDocument(good), options)).toMatchObject(resolved)
  const bad = documentWith({
    routing: { decisions: decisions.map((each) => ({ ...each, modelRefs: [{ model: "smal" }] })) },
  })
  await expect(resolveDocument({ ...wrapDocument(bad), isLong: true }, options)).rejects.toThrow("60 problems")
})
