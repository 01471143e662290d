import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { deploymentsOf, loadConfig, migrateConfig } from "../../../ts/kernel/runtime/load-config.ts"
import { startRouter } from "../../../ts/kernel/runtime/start-router.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { documentWith, smallDocument } from "../../fakes/document.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, content: string | object): string => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 1))
  return path
}

test("a file is read, checked and named by its bytes", async () => {
  const text = JSON.stringify(documentWith({ "providers.models.1.backend_refs.0.api_key": "${KEY}" }))
  const path = write("small.yaml", text)
  const config = await loadConfig(path, { environment: { KEY: "secret" } })
  expect([config.path, config.hash]).toEqual([path, createHash("sha256").update(text).digest("hex")])
  expect(config.document.providers?.models?.[1]?.backend_refs?.[0]?.api_key).toBe("secret")
  expect(JSON.stringify(config.unexpanded)).not.toContain("secret")
  expect(config.registry.find("signal", "keyword")).toBeDefined()
  expect(config.warnings).toEqual([])
})

test("the process's environment is used when none is given", async () => {
  const path = write("path.yaml", documentWith({ "routing.decisions.0.description": "${PATH}" }))
  expect((await loadConfig(path)).document.routing?.decisions?.[0]?.description).toBe(process.env["PATH"])
})

describe("a file that cannot be used", () => {
  test("because it is not there says how to make one", async () => {
    const path = join(folder, "none.yaml")
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `There is no file ${path}; make one with: rtr config init --output ${path}`,
    })
  })

  test("because it is in another encoding says so", async () => {
    const path = join(folder, "latin-1.yaml")
    writeFileSync(path, Buffer.from("# Gr\xfc\xdfe\n", "latin1"))
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `Cannot read ${path}: it is not UTF-8; save it in that encoding`,
    })
  })

  test("because it is of an older format says what migrates it", async () => {
    const hint = (path: string): string =>
      `It has keys of an older format; rtr config migrate ${path} writes it in the current one`
    const flat = write("flat.yaml", { vllm_endpoints: [], categories: [], default_model: "a" })
    await expect(loadConfig(flat)).rejects.toMatchObject({
      message: expect.stringContaining("vllm_endpoints: has moved to providers.models[].backend_refs[]"),
      hint: hint(flat),
    })
    await expect(startRouter({ path: flat, environment: {} })).rejects.toMatchObject({ hint: hint(flat) })
    const nested = write("nested.yaml", documentWith({ "providers.default_model": "small" }))
    await expect(loadConfig(nested)).rejects.toMatchObject({ hint: hint(nested) })
    const wrong = write("wrong.yaml", documentWith({ "providers.defaults.model": "none" }))
    await expect(loadConfig(wrong)).rejects.toMatchObject({ hint: undefined })
  })

  test.each([
    ["LiteLLM", { model_list: [{ model_name: "a", litellm_params: { model: "openai/a" } }], router_settings: {} }],
    ["Portkey", { strategy: { mode: "fallback" }, targets: [{ provider: "openai" }] }],
    ["Envoy AI Gateway", { apiVersion: "aigateway.envoyproxy.io/v1alpha1", kind: "AIGatewayRoute", metadata: {} }],
    [
      "Envoy AI Gateway",
      "# Routes\n---\napiVersion: aigateway.envoyproxy.io/v1alpha1\nkind: AIGatewayRoute\n---\napiVersion: v1\nkind: Secret\n",
    ],
    ["Kubernetes (Service)", { apiVersion: "v1", kind: "Service", metadata: {}, spec: {} }],
  ])("because it is one of %s says so, and is not migrated", async (program, document) => {
    const path = write("foreign.yaml", document)
    const said = `is a document of ${program}, which rtr neither reads nor migrates; start from the output of rtr config init, with its models under providers.models and its rules under routing.decisions`
    await expect(loadConfig(path)).rejects.toMatchObject({
      message: `Cannot use ${path}: 1 problem\n  ${path} (document): ${said}`,
    })
    await expect(migrateConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `Cannot migrate ${path}: it ${said}`,
    })
  })

  test("because it is a folder says so", async () => {
    const path = join(folder, "folder.yaml")
    mkdirSync(path)
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining(`Cannot read ${path}: it is a folder`),
    })
  })

  test.runIf(process.platform === "linux")("because it is a pipe or a device says so at once", async () => {
    const pipe = join(folder, "pipe.yaml")
    execFileSync("mkfifo", [pipe])
    for (const path of [pipe, "/dev/zero", "/dev/null"])
      await expect(loadConfig(path)).rejects.toMatchObject({
        code: "invalid_config",
        message: `Cannot read ${path}: it is no regular file; copy the document to a file`,
      })
  })

  test("because it is too large says how large it is", async () => {
    const path = write("large.yaml", " ".repeat(8 * 1024 * 1024 + 1))
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `Cannot read ${path}: it has 8388609 bytes; a document has at most 8388608`,
    })
  })

  test("because its modules cannot be loaded lists each with its place", async () => {
    const path = write("modules.yaml", "version: v0.3\nrouting: {}\nmodules:\n  - ./gone.mjs\n  - ./away.mjs\n")
    await expect(loadConfig(path)).rejects.toThrow(
      new RegExp(
        String.raw`^Cannot use ${path}: 2 problems\n  ${path}:4:5 modules\[0\]: Cannot load module ./gone.mjs: .*\n  ${path}:5:5 modules\[1\]: `,
      ),
    )
  })

  test("because of its syntax lists where", async () => {
    const path = write("broken.yaml", "version: v0.3\nrouting: [\n")
    await expect(loadConfig(path)).rejects.toThrow(`Cannot use ${path}: 1 problem\n  ${path}:3:1 (document): `)
  })

  test("because of its content lists everything with its place", async () => {
    const path = write("wrong.yaml", documentWith({ "listeners.0.port": "x", "routing.strategy": "dice" }))
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      problems: [
        { path: ["listeners", 0, "port"], position: { line: 7, column: 4 } },
        { path: ["routing", "strategy"], position: expect.anything() },
      ],
    })
  })

  test("because a module that it names is not there names the module", async () => {
    const path = write("modules.yaml", { ...smallDocument, modules: ["./none.ts"] })
    await expect(loadConfig(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("Cannot load module ./none.ts"),
    })
  })
})

test("modules stand relative to the file and bring their keys", async () => {
  const path = write("own.yaml", {
    ...documentWith({
      "routing.signals.shouting": [{ name: "loud" }],
      "routing.decisions.0.rules": { type: "shouting", name: "loud" },
    }),
    modules: ["./shouting.mjs"],
  })
  write(
    "shouting.mjs",
    `import { defineSignal, Type } from "rtr"
export default defineSignal({
  about: "Matches capitals",
  rule: Type.Object({}),
  setup: (rules) => ({ read: ({ text }) => rules.map(({ name }) => ({ rule: name, state: text === text.toUpperCase() ? "match" : "no_match", confidence: 1 })) }),
})`,
  )
  const config = await loadConfig(path)
  expect(config.registry.find("signal", "shouting")).toMatchObject({ source: "./shouting.mjs" })
  expect(config.document.routing?.signals?.["shouting"]).toEqual([{ name: "loud" }])
})

describe("without its modules", () => {
  const withModules = (changes: Readonly<Record<string, unknown>>): string => {
    write("sentinel.mjs", "globalThis.sentinelRan = true\nexport default 5")
    return write("unloaded.yaml", { ...documentWith(changes), modules: ["./sentinel.mjs", "rtr-plugin-none"] })
  }
  const checked = async (changes: Readonly<Record<string, unknown>>) => {
    const { unchecked = [], unexpanded } = await loadConfig(withModules(changes), { loadModules: false })
    expect("sentinelRan" in globalThis).toBe(false)
    expect(unexpanded.modules).toEqual(["./sentinel.mjs", "rtr-plugin-none"])
    return unchecked.map(({ path }) => formatPath(path))
  }

  test("what only they know is told and no problem", async () => {
    expect(await checked({})).toEqual([])
    expect(
      await checked({
        "routing.signals.shouting": [{ name: "loud", min_ratio: 1 }],
        "routing.signals.whisper": [{ name: "a" }],
        "routing.decisions.0.rules": {
          operator: "OR",
          conditions: [
            { type: "shouting", name: "loud" },
            { operator: "NOT", conditions: [{ type: "whisper", name: "a" }] },
          ],
        },
        "routing.decisions.0.algorithm": { type: "chorus", chorus: { on: 1 } },
        "routing.decisions.0.plugins": [{ type: "answerer", configuration: { x: 1 } }],
        "providers.models.1.backend_refs.0.provider": "mine",
        "global.stores.state": { type: "disk", configuration: {} },
        "global.model_catalog.shouting.level": 3,
      }),
    ).toEqual([
      "providers.models[1].backend_refs[0].provider",
      "routing.signals.shouting",
      "routing.signals.whisper",
      "routing.decisions[0].rules.conditions[0].type",
      "routing.decisions[0].rules.conditions[1].conditions[0].type",
      "routing.decisions[0].algorithm.type",
      "routing.decisions[0].plugins[0].type",
      "global.stores.state.type",
      "global.model_catalog.shouting",
    ])
  })

  test("a document that names none has every problem told", async () => {
    const path = write("none-named.yaml", {
      ...documentWith({ "routing.signals.whisper": [], "global.whispers": {} }),
      modules: [],
    })
    await expect(loadConfig(path, { loadModules: false })).rejects.toMatchObject({
      problems: [{ path: ["routing", "signals", "whisper"] }, { path: ["global", "whispers"] }],
    })
  })

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["routing.signals.keywords[0].operator", { "routing.signals.keywords.0.operator": "XOR" }],
    ["routing.signals.shouting", { "routing.signals.shouting": 5, "listeners.0.port": "x" }],
    ["routing.decisions[0].plugins[0].type", { "routing.decisions.0.plugins": [{ type: 5, configuration: {} }] }],
    ["listeners[0].colour", { "listeners.0.colour": "red" }],
    ["modules[2]", { routing: {}, global: {} }],
  ])("what is wrong with %s is told", async (place, changes) => {
    const file = withModules(changes)
    if (place === "modules[2]")
      write("unloaded.yaml", { ...documentWith(changes), modules: ["./sentinel.mjs", "x", "./gone.ts"] })
    const loading = loadConfig(file, { loadModules: false })
    const expected = place === "routing.signals.shouting" ? "listeners[0].port" : place
    await expect(loading).rejects.toThrow(`1 problem\n`)
    await expect(loading).rejects.toThrow(expected)
  })
})

test("a module that cannot be used does not hide what else is wrong with the document", async () => {
  write("no-module.mjs", "export default 5")
  const file = write("broken-modules.yaml", {
    ...documentWith({
      "listeners.0.colour": "red",
      "routing.signals.shouting": [{ name: "loud" }],
    }),
    modules: ["./no-module.mjs", "./gone.mjs"],
  })
  await expect(loadConfig(file)).rejects.toMatchObject({
    problems: [{ path: ["modules", 0] }, { path: ["modules", 1] }, { path: ["listeners", 0, "colour"] }],
  })
})

describe("a variable that is not set", () => {
  const needy = () =>
    write(
      "needy.yaml",
      documentWith({
        "listeners.0.api_keys": ["${LISTENER_KEY}"],
        "listeners.0.port": "${PORT}",
        "providers.models.0.backend_refs.0.api_key_env": "BACKEND_KEY",
        "routing.decisions.0.description": "${TEXT}",
        "global.services.management_api.auth": { mode: "bearer", tokens: [{ env: "ADMIN_TOKEN", role: "admin" }] },
      }),
    )

  test("is named where the document needs it", async () => {
    await expect(loadConfig(needy(), { environment: {} })).rejects.toMatchObject({
      problems: [
        { message: "must be a whole number, got a string; environment variable PORT is not set" },
        { message: "must not be empty; environment variable LISTENER_KEY is not set" },
      ],
    })
  })

  test("is a warning for a document that serves elsewhere", async () => {
    const refused = (name: string) =>
      `environment variable ${name} is not set; rtr serve refuses the document without it`
    const { warnings } = await loadConfig(needy(), { environment: {}, elsewhere: true })
    expect(warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`).toSorted()).toEqual([
      `global.services.management_api.auth.tokens[0].env: ${refused("ADMIN_TOKEN")}`,
      `listeners[0].api_keys[0]: ${refused("LISTENER_KEY")}`,
      `listeners[0].port: ${refused("PORT")}`,
      `providers.models[0].backend_refs[0].api_key_env: ${refused("BACKEND_KEY")}`,
      "routing.decisions[0].description: environment variable TEXT is not set; its place stays empty",
    ])
  })

  test("is told with every other one, each with its place, where the document is going to serve", async () => {
    const text = JSON.stringify(
      documentWith({
        "listeners.0.api_keys": ["${LISTENER_KEY}"],
        "providers.models.0.backend_refs.0.api_key_env": "FIRST_KEY",
        "providers.models.1.backend_refs.0": { endpoint: "h", api_key_env: "SECOND_KEY" },
      }),
      null,
      1,
    )
    const loading = startRouter({ path: write("serve.yaml", text), environment: {}, metricsPort: 0, watch: false })
    const error = await loading.catch((reason: unknown) => reason)
    expect((error as Error).message).toMatch(
      /: 3 problems\n.*LISTENER_KEY.*\n.*serve\.yaml:\d+:\d+ .*api_key_env: environment variable FIRST_KEY is not set\n.*SECOND_KEY is not set$/,
    )
  })

  test("is none of the problems that the document has beside it", async () => {
    const path = write(
      "both.yaml",
      documentWith({ "listeners.0.api_keys": ["${LISTENER_KEY}"], "routing.strategy": "dice" }),
    )
    await expect(loadConfig(path, { environment: {}, elsewhere: true })).rejects.toMatchObject({
      problems: [{ path: ["routing", "strategy"] }],
    })
  })
})

test("deploymentsOf names what the file needs", async () => {
  const config = await loadConfig(
    write("domains.yaml", documentWith({ "routing.decisions.0.rules": { type: "domain", name: "law" } })),
  )
  expect(deploymentsOf(config).map(({ name, artifact }) => [name, artifact])).toEqual([["default", "signals"]])
})

const resources = `
kind: IntelligentPool
spec: { defaultModel: large, models: [{ name: large }] }
---
kind: IntelligentRoute
spec:
  signals: { keywords: [{ name: help, operator: OR, keywords: [help] }] }
  decisions: [{ name: helping, signals: { operator: AND, conditions: [{ type: keyword, name: help }] }, modelRefs: [{ model: small }] }]
`

/** A document and a folder with the resources in one file. */
function folderWith(name: string, file: string) {
  const crd = join(folder, name)
  mkdirSync(crd)
  writeFileSync(join(crd, file), resources)
  return { config: write(`${name}.yaml`, documentWith({ "global.router.config_source": "kubernetes" })), crd }
}

test("the files of a folder bring the routing of a document, and a changed one another hash", async () => {
  const { config, crd } = folderWith("crd-all", "all.yml")
  const alone = await loadConfig(config)
  const first = await loadConfig(config, { crd })
  expect(alone.document.routing?.decisions?.map(({ name }) => name)).toEqual(["rush"])
  expect(first.document.routing?.decisions?.map(({ name }) => name)).toEqual(["helping"])
  expect(first.document.providers?.defaults?.model).toBe("large")
  writeFileSync(join(crd, "all.yml"), `${resources}# changed\n`)
  const second = await loadConfig(config, { crd })
  expect(new Set([alone.hash, first.hash, second.hash]).size).toBe(3)
})

test("a folder that is not there, or has other files only, is refused by its name", async () => {
  const { config, crd } = folderWith("crd-other", "readme.md")
  await expect(loadConfig(config, { crd })).rejects.toThrow("no file has a resource of kind IntelligentPool")
  await expect(loadConfig(config, { crd: join(crd, "gone") })).rejects.toThrow(/Cannot read the folder .*gone of --crd/)
})
