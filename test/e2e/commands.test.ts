import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { dirname, join } from "node:path"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import {
  providersOn,
  runCommand,
  startRouter,
  startTestBackend,
  temporaryFolder,
  waitFor,
  writeDocument,
} from "./_processes.ts"

const root = join(import.meta.dirname, "../..")
const quickstart = join(root, "examples/quickstart/config.yaml")

function write(text: string): string {
  const file = join(temporaryFolder(), "config.yaml")
  writeFileSync(file, text)
  return file
}

const broken = `version: v0.3
listeners:
  - { name: a, address: 127.0.0.1, port: eighty }
  - { name: a, address: 127.0.0.1, port: 8802 }
providers:
  defaults: { default_model: smal }
  models:
    - name: small
      backend_refs: [{ endpoint: "127.0.0.1:1", adress: x }]
    - name: bare
      reasoning_family: qwen
      backend_refs: [{ provider: rtr_omni, base_url: "http://127.0.0.1:2" }]
routing:
  signals:
    keywords:
      - { name: k, operator: XOR, keywords: [a] }
      - { name: r, operator: OR, method: regex, keywords: ["("] }
  decisions:
    - name: d
      rules:
        operator: NOT
        conditions: [{ type: keyword, name: k }, { type: keyword, name: missing }]
      modelRefs: [{ model: large }]
      algorithm: { type: fusion }
      plugins: [{ type: rag, configuration: {} }, { type: fast_response, configuration: {} }]
global:
  integrations: {}
  router: { stratgy: priority }
`

describe("rtr config validate", () => {
  test("lists every problem with its line, column and path, in the order of the document", async () => {
    const file = write(broken)
    const { code, stderr } = await runCommand("rtr", ["config", "validate", "--config", file])
    expect(code).toBe(1)
    const lines = stderr.split("\n").map((line) => line.replaceAll(file, "F").trim())
    expect(lines.slice(0, -1)).toEqual([
      "Error: Cannot use F: 13 problems",
      'F:3:36 listeners[0].port: must be a whole number, got the string "eighty"',
      'F:4:7 listeners[1].name: "a" is used already by listeners[0]',
      'F:6:15 providers.defaults.model: "smal" is not in providers.models (did you mean "small"?)',
      "F:9:49 providers.models[0].backend_refs[0].adress: is not a known key; known keys: name, endpoint, protocol, weight, priority, base_url, provider, auth_header, auth_prefix, extra_headers, api_version, chat_path, think_tags, api_key, api_key_env",
      'F:11:7 providers.models[1].reasoning_family: "qwen" is neither in providers.defaults.reasoning_families nor a family that is known (did you mean "qwen3"?)',
      'F:12:24 providers.models[1].backend_refs[0].provider: "rtr_omni" is not supported yet',
      'F:16:20 routing.signals.keywords[0].operator: must be "AND", "OR" or "NOR", got "XOR" (did you mean "OR"?)',
      expect.stringMatching(/^F:17:60 routing\.signals\.keywords\[1\]\.keywords\[0\]: is not a valid pattern/),
      "F:22:9 routing.decisions[0].rules.conditions: of NOT must hold exactly one condition, got 2",
      expect.stringMatching(
        /^F:22:67 routing\.decisions\[0\]\.rules\.conditions\[1\]\.name: refers to keyword rule "missing"/,
      ),
      'F:23:21 routing.decisions[0].modelRefs[0].model: "large" is not in providers.models (did you mean "bare"?)',
      "F:25:74 routing.decisions[0].plugins[1].configuration.message: is missing",
      'F:28:13 global.router.stratgy: is not a known key (did you mean "strategy"?)',
    ])
  })

  test("reports syntax errors and duplicate keys with their place", async () => {
    const { stderr } = await runCommand("rtr", ["config", "validate", "--config", write("version: v0.3\nrouting: {\n")])
    expect(stderr).toMatch(/config\.yaml:\d+:\d+ \(document\): /)
    expect(
      (
        await runCommand("rtr", [
          "config",
          "validate",
          "--config",
          write("version: v0.3\nversion: v0.3\nrouting: {}\n"),
        ])
      ).stderr,
    ).toMatch(/config\.yaml:2:1 .*has the key "version" twice/)
  })

  test("prints JSON for scripts", async () => {
    const { code, stdout } = await runCommand("rtr", ["config", "validate", "--json", "--config", write(broken)])
    const { valid, problems } = JSON.parse(stdout) as {
      valid: boolean
      problems: { path: unknown[]; code: string; position: { line: number } }[]
    }
    expect([code, valid]).toEqual([1, false])
    expect(problems).toContainEqual({
      path: ["providers", "models", 1, "backend_refs", 0, "provider"],
      code: "unsupported",
      message: '"rtr_omni" is not supported yet',
      position: { line: 12, column: 24 },
    })
  })

  test.each([
    ["is missing", () => "/nowhere.yaml", /^There is no file \/nowhere\.yaml/],
    ["is too large", () => write(`#${"x".repeat(9_000_000)}`), /bytes/],
    ["is no YAML", () => write("version: v0.3\nrouting: {\n"), /./],
  ])("prints the same JSON of a file that %s", async (_, file, message) => {
    const { code, stdout } = await runCommand("rtr", ["config", "validate", "--json", "--config", file()])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      valid: false,
      problems: [expect.objectContaining({ path: [], code: "invalid", message: expect.stringMatching(message) })],
      warnings: [],
      missing: [],
      modules_not_loaded: [],
      unchecked: [],
    })
  })

  test("a file that is missing, or of the format before v0.3, is explained", async () => {
    expect((await runCommand("rtr", ["config", "validate", "--config", "/nowhere.yaml"])).stderr).toMatch(
      /There is no file \/nowhere\.yaml; make one with: rtr config init/,
    )
    expect(
      (await runCommand("rtr", ["config", "validate", "--config", write("default_model: x\ndecisions: []\n")])).stderr,
    ).toMatch(/default_model: has moved to providers\.defaults\.model/)
  })

  test("never prints a secret", async () => {
    const file = write(
      "version: v0.3\nrouting: {}\nlisteners: [{ name: a, address: x, port: 1, api_keys: ['${KEY}'] }]\nproviders: { models: [{ name: m, backend_refs: [{ endpoint: h, api_key: [sk-literal] }] }] }\n",
    )
    const { stderr, stdout } = await runCommand("rtr", ["config", "validate", "--config", file], { KEY: "sk-from-env" })
    expect(stderr + stdout).toMatch(/api_key: must be a string/)
    expect(stderr + stdout).not.toMatch(/sk-/)
    const printed = await runCommand(
      "rtr",
      [
        "config",
        "router",
        "--config",
        write("version: v0.3\nrouting: {}\nlisteners: [{ name: a, address: x, port: 1, api_keys: ['${KEY}'] }]\n"),
      ],
      { KEY: "sk-from-env" },
    )
    expect(printed.stdout).toMatch(/\$\{KEY\}/)
    expect(printed.stdout).not.toMatch(/sk-from-env/)
  })

  test("tells of a package that is not on this machine", async () => {
    const file = write(
      "version: v0.3\nrouting: {}\nglobal: { model_catalog: { deployments: { mine: { artifact: /nowhere/package } } } }\n",
    )
    chmodSync(file, 0o600)
    const at = "global.model_catalog.deployments.mine.artifact"
    const { code, stdout, stderr } = await runCommand("rtr", ["config", "validate", "--config", file])
    expect([code, stdout]).toEqual([0, `✓ ${file} is valid as far as it was checked\n`])
    expect(stderr).toContain(`Note: ${at}: there is no folder /nowhere/package on this machine`)
    const json = await runCommand("rtr", ["config", "validate", "--json", "--config", file])
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: true, unchecked: [at] })
  })

  test("a relative package starts at the document's folder, as for rtr serve, and is told of where it is written", async () => {
    const file = write(
      `version: v0.3
listeners: [{ name: main, address: 127.0.0.1, port: 0 }]
providers: { defaults: { model: small }, models: [{ name: small, backend_refs: [{ endpoint: 127.0.0.1:9 }] }] }
routing:
  signals: { classifiers: [{ name: topic, type: local, labels: [shop, talk], model_path: ./mine }] }
  decisions: [{ name: hit, rules: { type: classifier, name: topic, label: shop }, modelRefs: [{ model: small }] }]
global:
  services: { management_api: { port: 0 } }
  model_catalog: { deployments: { mine: { artifact: ./other } } }
`,
    )
    chmodSync(file, 0o600)
    const [own, other] = ["mine", "other"].map((name) => join(dirname(file), name)) as [string, string]
    mkdirSync(other)
    const at = "routing.signals.classifiers[0].model_path"
    const checked = await runCommand("rtr", ["config", "validate", "--config", file])
    expect([checked.code, checked.stderr.match(/^Note: .* on this machine/gm)]).toEqual([
      0,
      [`Note: ${at}: there is no folder ${own} on this machine`],
    ])
    const served = await runCommand("rtr", ["serve", "--metrics-port", "0", "--config", file])
    expect([served.code, served.stderr]).toEqual([1, expect.stringContaining(`there is no folder ${own};`)])
    expect(served.stderr).toContain(at)
    writeFileSync(file, readFileSync(file, "utf8").replace("./other", "other"))
    const refusal = '"other" is neither a built-in package'
    for (const command of [
      ["config", "validate"],
      ["serve", "--metrics-port", "0"],
    ])
      expect((await runCommand("rtr", [...command, "--config", file])).stderr).toContain(refusal)
  })

  test("tells of keys that everybody can read, and router prints none of them", async () => {
    const file = write(
      "version: v0.3\nrouting: {}\nlisteners: [{ name: a, address: x, port: 1, api_keys: [sk-literal, '${KEY}'] }]\n",
    )
    chmodSync(file, 0o644)
    const validate = () => runCommand("rtr", ["config", "validate", "--config", file], { KEY: "x" })
    expect((await validate()).stderr).toMatch(
      /listeners\[0\]\.api_keys\[0\]: is a key that every user of this machine can read \(mode 0644\)/,
    )
    chmodSync(file, 0o600)
    expect(await validate()).toEqual({ code: 0, stdout: `✓ ${file} is valid\n`, stderr: "" })
    for (const json of [[], ["--json"]]) {
      const { stdout } = await runCommand("rtr", ["config", "router", "--config", file, ...json], { KEY: "x" })
      expect(stdout).toContain("<redacted>")
      expect(stdout).toContain("${KEY}")
      expect(stdout).not.toContain("sk-literal")
    }
  })
})

describe("rtr config", () => {
  test("router prints a normal form that validates again to the same thing", async () => {
    const once = await runCommand("rtr", ["config", "router", "--config", quickstart])
    const file = write(once.stdout)
    expect((await runCommand("rtr", ["config", "validate", "--config", file])).code).toBe(0)
    expect((await runCommand("rtr", ["config", "router", "--config", file])).stdout).toBe(once.stdout)
  })

  test("schema prints the schema that validates", async () => {
    const schema = JSON.parse((await runCommand("rtr", ["config", "schema"])).stdout) as never
    expect(Value.Check(schema, parse(readFileSync(quickstart, "utf8")))).toBe(true)
    expect(Value.Check(schema, { version: "v0.3", routng: {} })).toBe(false)
    const section = JSON.parse(
      (await runCommand("rtr", ["config", "schema", "--section", "routing.signals.keywords"])).stdout,
    ) as object
    expect(section).toMatchObject({ type: "array", items: { required: ["name", "operator", "keywords"] } })
    expect((await runCommand("rtr", ["config", "schema", "--section", "routing.nope"])).stderr).toMatch(
      /There is no section "routing\.nope"; "nope" is not one of modelCards/,
    )
  })

  test("init writes a document that is valid, and replaces nothing unless told to", async () => {
    const output = join(temporaryFolder(), "config.yaml")
    const first = await runCommand("rtr", ["config", "init", "--output", output], { npm_command: undefined })
    expect(first).toMatchObject({
      code: 0,
      stdout: `Wrote ${output}. Check it with: rtr config validate --config ${output}\n`,
    })
    expect((await runCommand("rtr", ["config", "validate", "--config", output])).stdout).toBe(`✓ ${output} is valid\n`)
    expect((await runCommand("rtr", ["config", "init", "--output", output])).stderr).toMatch(
      /exists already; use --force/,
    )
    const throughNpx = { npm_command: "exec" }
    expect(await runCommand("rtr", ["config", "init", "--force", "--output", output], throughNpx)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Check it with: npx rtr config validate --config "),
    })
  })
})

describe("an address that cannot be opened", () => {
  const serve = (listener: object, ...options: readonly string[]) => {
    const file = writeDocument({ listeners: [{ name: "main", address: "127.0.0.1", port: 0, ...listener }] })
    return runCommand("rtr", ["serve", "--config", file, "--metrics-port", "0", ...options])
  }

  test("is named by its place in the document", async () => {
    const { code, stderr } = await serve({ address: "nope.invalid" })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /Cannot listen on nope\.invalid:0: .* \(listeners\[0\]\.address\)\nHint: The document is \S+/,
      ),
    ])
  })

  test("is told to be the router's own where another part of it has the port", async () => {
    const port = await freePort()
    const { code, stderr } = await serve({ port }, "--metrics-port", String(port))
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `Cannot listen on 127.0.0.1:${port}: ${port} is the port of GET /metrics (--metrics-port), and listener "main" needs one of its own (listeners[0].port)`,
      ),
    ])
  })
})

/** A port that nobody has at the moment. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe("calls that are wrong or not there yet", () => {
  test.each([
    ["rtr", ["cofnig"], 2, /unknown command "cofnig" \(did you mean "config"\?\)/],
    ["rtr", ["logz"], 2, /unknown command "logz"$/m],
    ["rtr", ["config", "validate", "--cnfig", "x"], 2, /unknown option '--cnfig'/],
    [
      "rtr",
      ["config", "validate", "other.yaml"],
      2,
      /^Error: too many arguments.*; name the configuration with --config FILE$/m,
    ],
    ["rtr", ["route", "preview", "hello", "--prompt", "hi"], 2, /Give the message as argument or as --prompt/],
    ["rtr", ["route", "preview", "hello", "--messages", "[]"], 2, /Give exactly one of a message, --messages and/],
    ["rtr", ["serve", "--metrics-port", "high"], 2, /It must be a whole number from 0 to 65535/],
    ["rtr", ["serve", "--metrics-address", "127.0.0.1:9190"], 2, /an IP address or a host name, without a scheme/],
    ["rtr", ["serve", "--engine"], 2, /--engine is not supported yet/],
    ["rtr", ["serve", "some/model"], 2, /serve MODEL is not supported yet/],
    ["rtr", ["serve", "--gateway", "extproc"], 2, /--gateway extproc is not supported yet/],
    ["rtr", ["benchmark", "run", "--manifest", "x"], 1, /rtr benchmark is not supported yet/],
    ["rtr", ["config", "apply"], 1, /rtr config apply is not supported yet/],
    ["rtr", ["request", "chat"], 2, /Cannot send an empty message: standard input has no text/],
    ["rtr", ["route", "preview"], 2, /Give exactly one of a message, --messages and --request-file/],
    ["rtr", ["status", "--endpoint", "http://user:pass@host"], 2, /--endpoint must be an origin/],
    [
      "rtr",
      ["request", "chat", "--base-url", "http://user:pass@host", "hello"],
      2,
      /^Error: --base-url must be a URL such as \S+, without user, query or fragment$/m,
    ],
    [
      "rtr",
      ["status", "--endpoint", "http://127.0.0.1:1"],
      1,
      /management API is not reachable at http:\/\/127\.0\.0\.1:1/,
    ],
    ["rtrun", ["serve"], 2, /there is no model/],
    [
      "rtrun",
      ["serve", "nothing"],
      1,
      /there is no folder .*nothing; use a built-in model \(decide, guard, signals, static\)/,
    ],
    ["rtrun", ["serve", "org/model", "--offline"], 1, /Cannot load org\/model@main offline/],
    ["rtrun", ["serve", "static", "signals", "--revision", "0".repeat(40)], 2, /--revision needs exactly one model/],
    ["rtrun", ["serve", "org/model", "--revision", "main"], 2, /It must be a commit of 40 hexadecimal digits/],
    ["rtrun", ["serve", "static", "--base-path", "."], 1, /static is no adapter; leave the option out/],
    [
      "rtrun",
      ["serve", "static", "--uds", "/tmp/s", "--port", "1"],
      2,
      /'--uds <path>' cannot be used with option '--port/,
    ],
    [
      "rtrun",
      ["serve", "static", "--host", "::", "--uds", "/tmp/s"],
      2,
      /'--uds <path>' cannot be used with option '--ho/,
    ],
    ["rtrun", ["serve", "static", "--host", "http://localhost"], 2, /an IP address or a host name, without a scheme/],
    ["rtrun", ["serve", "static", "--uds", ""], 2, /It must be the path of a socket/],
    ["rtrun", ["prepare"], 2, /there is no model/],
    ["rtrun", ["bench"], 2, /missing required argument 'model'/],
    ["rtrun", ["bench", "nothing"], 1, /there is no folder .*nothing; use a built-in model/],
    ["rtrun", ["bench", "static", "--lengths", "16,many"], 2, /It must be a whole number from 1 to 1048576/],
    ["rtrun", ["bench", "static", "--seconds", "0"], 2, /It must be a number above 0/],
    ["rtrun", ["bench", "static", "--device", "cuda:9"], 1, /^Error: Cannot place model "static" on cuda:9/],
  ] as const)("%s %j exits with %i", async (name, args, code, message) => {
    const result = await runCommand(name, args)
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(message)])
  })

  test("every command has help", async () => {
    for (const args of [
      [],
      ["serve"],
      ["config"],
      ["config", "init"],
      ["config", "validate"],
      ["config", "router"],
      ["config", "schema"],
      ["request", "chat"],
      ["route", "preview"],
      ["status"],
    ]) {
      const { code, stdout } = await runCommand("rtr", [...args, "--help"])
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Usage: rtr/)])
    }
    expect((await runCommand("rtr", ["--version"])).stdout).toMatch(/^rtr version: \d+\.\d+\.\d+\n$/)
  })
})

test("request chat, route preview and status talk to a running router", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small", "coder"),
    routing: {
      signals: { keywords: [{ name: "code", operator: "OR", keywords: ["python"] }] },
      decisions: [{ name: "coding", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "coder" }] }],
    },
  })
  const chat = await runCommand("rtr", ["request", "chat", "--base-url", router.url, "write", "python"])
  expect([chat.code, chat.stdout]).toEqual([0, "hello\n"])
  expect(chat.stderr).toMatch(/^coding → coder \(confidence 1\.00\), \d+\.\d ms to decide\n$/)
  const json = JSON.parse(
    (await runCommand("rtr", ["request", "chat", "--json", "--base-url", `${router.url}/v1`, "--prompt", "python"]))
      .stdout,
  ) as { routing: Record<string, string> }
  expect(json.routing["x-rtr-selected-decision"]).toBe("coding")
  expect(
    (await runCommand("rtr", ["request", "chat", "--base-url", router.url, "--model", "nope", "hi"])).stderr,
  ).toMatch(/The router answered 404: Model "nope" is not available/)

  expect(
    (await runCommand("rtr", ["route", "preview", "--endpoint", router.management, "--prompt", " "])).stderr,
  ).toMatch(/There is no message/)

  const preview = await runCommand("rtr", ["route", "preview", "--endpoint", router.management, "python", "please"])
  expect(preview.stdout).toMatch(/^Decision\s+coding \(confidence 1\.00\)$/m)
  expect(preview.stdout).toMatch(/^Matched\s+keywords:code 1\.00$/m)
  const whose = ["--session-id", "s", "--conversation-id", "c", "--user-id", "u", "--sampling-seed", "7"]
  const again = await runCommand("rtr", ["route", "preview", "--endpoint", router.management, ...whose, "python"])
  expect(again.stdout).toMatch(/^Selected\s+coder$/m)
  expect(again.stdout).toMatch(/^By\s+static: \S/m)
  const status = await runCommand("rtr", ["status", "--endpoint", router.management])
  expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/^Router\s+ready$/m)])
  expect(status.stdout).toMatch(/^ConfigConverged\s+True/m)
  expect(status.stdout).not.toContain("Unknown")

  const metrics = await (await fetch(`${router.metrics}/metrics`)).text()
  expect(metrics).toMatch(
    /semantic_router_requests_total\{endpoint="\/v1\/chat\/completions",category="coding",status="200"\} 2/,
  )
  expect(metrics).toMatch(/llm_model_requests_total\{model="coder"\} 2/)
  expect(metrics).not.toMatch(/python/)
})

test("route preview tells what guards did not read", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small"),
    routing: {
      signals: { jailbreak: [{ name: "attack" }] },
      decisions: [{ name: "guard", rules: { type: "jailbreak", name: "attack" }, modelRefs: [{ model: "small" }] }],
    },
  })
  const content = [{ type: "image_url", image_url: { url: "https://pictures.example/a.png" } }]
  const messages = JSON.stringify([{ role: "user", content }])
  const preview = await runCommand("rtr", ["route", "preview", "--endpoint", router.management, "--messages", messages])
  expect([preview.code, preview.stdout]).toEqual([
    0,
    expect.stringMatching(/^Unscanned\s+jailbreak:attack \(unreadable_content\)$/m),
  ])
})

test("request chat tells an error of the backend from one of the router", async () => {
  const backend = await startTestBackend((_, response) => {
    response.writeHead(500, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: "out of memory" } }))
  })
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small") })
  const chat = (...args: string[]) => runCommand("rtr", ["request", "chat", "--base-url", router.url, ...args, "hi"])
  expect((await chat("--model", "small")).stderr).toMatch(/The backend of model "small" answered 500: out of memory/)
  expect((await chat("--model", "nope")).stderr).toMatch(/The router answered 404/)
})

test("request chat reads standard input, finds the listener in the document and sends its key only there", async () => {
  const elsewhere = await startTestBackend()
  const backend = await startTestBackend()
  const router = await startRouter(
    {
      listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: ["${LISTENER_KEY}"] }],
      providers: providersOn(backend.endpoint, "small"),
    },
    { LISTENER_KEY: "listener" },
  )
  const { port } = new URL(router.url)
  const document = write(
    `version: v0.3\nlisteners: [{ name: test, address: 127.0.0.1, port: ${port}, api_keys: ["\${LISTENER_KEY}"] }]\nrouting: {}\n`,
  )
  const environment = { LISTENER_KEY: "listener", OPENAI_API_KEY: "other" }
  for (const message of [[], ["-"]]) {
    const args = ["request", "chat", "--quiet", "--config", document, ...message]
    expect(await runCommand("rtr", args, environment, "one\ntwo\n")).toEqual({ code: 0, stdout: "hello\n", stderr: "" })
  }
  expect(backend.requests.map(({ body }) => body["messages"])).toEqual(
    [1, 2].map(() => [{ role: "user", content: "one\ntwo" }]),
  )
  const to = (...args: string[]) =>
    runCommand("rtr", ["request", "chat", "--config", document, ...args], environment, "")
  expect((await to("--base-url", router.url, "hi")).stderr).toMatch(/answered 401.*\nHint: .*--api-key-env NAME/)
  expect((await to("--base-url", router.url, "--api-key-env", "LISTENER_KEY", "hi")).code).toBe(0)
  expect((await to("--base-url", elsewhere.url, "hi")).code).toBe(0)
  expect((await to("--base-url", elsewhere.url, "--api-key-env", "OPENAI_API_KEY", "hi")).code).toBe(0)
  expect(elsewhere.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer other"])
  expect((await to("--api-key-env", "UNSET_KEY", "hi")).stderr).toMatch(
    /environment variable UNSET_KEY of --api-key-env/,
  )
  expect((await to()).stderr).toMatch(/standard input has no text/)
  const both = ["request", "chat", "--quiet", "--config", document, "Review", "this"]
  expect(await runCommand("rtr", both, environment, "+ one\n")).toMatchObject({ code: 0, stderr: "" })
  expect(backend.requests.at(-1)?.body["messages"]).toEqual([{ role: "user", content: "Review this\n\n+ one" }])
})

test("status names a model whose worker is lost, and the router stays ready", async () => {
  const worker = createHttpServer((_, response) =>
    response.end(JSON.stringify({ models: [{ id: "guards", status: "ready" }], data: [] })),
  )
  await new Promise<void>((resolve) => worker.listen(0, "127.0.0.1", resolve))
  const endpoint = `http://127.0.0.1:${(worker.address() as AddressInfo).port}`
  const router = await startRouter({ global: { model_catalog: { deployments: { guards: { endpoint } } } } })
  worker.closeAllConnections()
  worker.close()
  await waitFor(() => router.stderr().includes("attached_worker_lost"))
  const { code, stdout } = await runCommand("rtr", ["status", "--endpoint", router.management])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Router\s+ready, but without guards$/m)])
  expect(stdout).toMatch(/^guards .* degraded .* no worker answers: the connection was refused$/m)
  expect((await fetch(`${router.management}/ready`)).status).toBe(200)
})

test("status tells why the newest document was refused", async () => {
  const backend = await startTestBackend()
  const config = { providers: providersOn(backend.endpoint, "small") }
  const router = await startRouter(config)
  const status = () => runCommand("rtr", ["status", "--endpoint", router.management])
  expect((await status()).stdout).not.toContain("Rejected")
  router.write({ ...config, routng: {} })
  await waitFor(() => router.stderr().includes("config_rejected"))
  expect((await status()).stdout).toMatch(
    /^Rejected {2}[0-9a-f]{64} at \S+ \(validate\); the document before it serves\n {2}line \d+ routng: is not a known key/m,
  )
})
