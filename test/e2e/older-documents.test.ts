import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import {
  providersOn,
  runCommand,
  startCommand,
  startRouter,
  startTestBackend,
  temporaryFolder,
  type TestRouter,
  userMessage,
  waitFor,
  writeDocument,
} from "./_processes.ts"

/** A document as the router of August 2026 reads it, with comments, for one backend. */
const older = (endpoint: string): string => `# Our router
version: v0.3
listeners:
  - { name: test, address: 127.0.0.1, port: 0 }
providers:
  defaults:
    default_model: small # the cheap one
  models:
    - name: small
      backend_refs:
        - { endpoint: "${endpoint}", type: vllm }
routing:
  decisions: []
global:
  router:
    clear_route_cache: true
  services:
    management_api: { port: 0 }
`

/** Asks for what rtr does not have: requests that are limited. */
const limited = (endpoint: string): object => ({
  providers: providersOn(endpoint, "small"),
  global: {
    services: {
      ratelimit: { providers: [{ type: "local-limiter", rules: [{ requests_per_unit: 10, unit: "minute" }] }] },
    },
  },
})

interface LogLine {
  readonly level: string
  readonly event: string
  readonly message?: string
}

const linesOf = (router: { readonly stderr: () => string }, event: string): readonly LogLine[] =>
  router
    .stderr()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []))
    .filter((line) => line.event === event)

const messagesOf = (lines: readonly LogLine[]): readonly string[] => lines.map(({ message = "" }) => message)

async function statusOf(router: TestRouter) {
  const response = await fetch(`${router.management}/startup-status`)
  return (await response.json()) as {
    readonly config_warnings: readonly string[]
    readonly last_rejection?: { readonly reasons: readonly { readonly path?: string; readonly message: string }[] }
  }
}

const noProxy = "has no effect: rtr is the listener itself and has no proxy in front of it to tune"

describe("rtr config migrate", () => {
  test("writes the current spelling, keeps comments, and the router serves the result without a warning", async () => {
    const backend = await startTestBackend()
    const folder = temporaryFolder()
    const file = join(folder, "router.yaml")
    writeFileSync(file, older(backend.endpoint))
    chmodSync(file, 0o600)

    const check = await runCommand("rtr", ["config", "migrate", file, "--check"])
    expect(check).toMatchObject({ code: 1, stdout: `${file}: 3 to migrate\n` })

    const migrate = await runCommand("rtr", ["config", "migrate", file], { npm_command: undefined })
    const output = join(folder, "router.migrated.yaml")
    expect(migrate).toMatchObject({
      code: 0,
      stdout: `Wrote ${output}. Check it with: rtr config validate --config ${output}\n`,
    })
    // Documents may hold keys.
    expect(statSync(output).mode & 0o777).toBe(0o600)
    expect(migrate.stderr.trimEnd().split("\n")).toHaveLength(3)
    const text = readFileSync(output, "utf8")
    expect(text).toContain("# Our router\n")
    expect(text).toContain("model: small # the cheap one")
    expect(text).toContain("provider: vllm")
    expect(text).not.toMatch(/default_model|type: vllm|clear_route_cache/)

    // It does not write over a file that is there, unless told to.
    const again = await runCommand("rtr", ["config", "migrate", file])
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain(`${output} exists already; use --force to replace it`)
    expect((await runCommand("rtr", ["config", "migrate", file, "--force"])).code).toBe(0)
    expect(await runCommand("rtr", ["config", "validate", "--strict", "--config", output])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("is valid") as string,
      stderr: "",
    })

    const router = startCommand("rtr", ["serve", "--config", output, "--metrics-port", "0", "--strict"])
    await waitFor(() => /^ {2}test /m.test(router.stdout()) || router.child.exitCode !== null, 60_000)
    const [, url = ""] = /^ {2}test\s+(\S+)$/m.exec(router.stdout()) ?? []
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(userMessage("hello")),
    })
    expect([reply.status, linesOf(router, "config_warning")]).toEqual([200, []])
  })

  test("is named where a document of an older format is checked, and its result is valid", async () => {
    const file = join(temporaryFolder(), "flat.yaml")
    writeFileSync(
      file,
      `vllm_endpoints: [{ name: one, address: 127.0.0.1, port: 1 }]
model_config: { small: { preferred_endpoints: [one], pii_policy: { allow_by_default: true } } }
prompt_guard: { enabled: true, threshold: 0.6 }
categories: [{ name: math, system_prompt: Count., model_scores: [{ model: small, score: 1 }] }]
default_model: small
`,
    )
    const hint = `It has keys of an older format; rtr config migrate ${file} writes it in the current one`
    const told = await runCommand("rtr", ["config", "validate", "--config", file])
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining(`Hint: ${hint}\n`)])
    const json = await runCommand("rtr", ["config", "validate", "--json", "--config", file])
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, hint })
    expect((await runCommand("rtr", ["config", "migrate", file, "--in-place"])).code).toBe(0)
    const valid = await runCommand("rtr", ["config", "validate", "--config", file])
    expect([valid.code, valid.stdout]).toEqual([
      0,
      expect.stringContaining('decision "attack": jailbreak "attack" reads'),
    ])
  })

  test("changes nothing of a document in the current spelling, and writes none that is no document", async () => {
    const folder = temporaryFolder()
    const file = writeDocument({ providers: providersOn("h:1", "small") })
    expect(await runCommand("rtr", ["config", "migrate", file, "--in-place"])).toMatchObject({
      code: 0,
      stdout: `✓ ${file} has the current spelling\n`,
    })
    const broken = join(folder, "broken.yaml")
    writeFileSync(broken, "version: [v0.3\n")
    const refused = await runCommand("rtr", ["config", "migrate", broken, "--in-place"])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain(`Cannot use ${broken}`)
    expect(readFileSync(broken, "utf8")).toBe("version: [v0.3\n")
  })
})

describe("warnings", () => {
  test("reach the terminal, the log and the status, and refuse the document with --strict", async () => {
    const backend = await startTestBackend()
    const file = join(temporaryFolder(), "router.yaml")
    writeFileSync(file, older(backend.endpoint))
    const spelling = 'providers.defaults.default_model: "default_model" is the older spelling of "model"'

    const validate = await runCommand("rtr", ["config", "validate", "--config", file])
    expect(validate.code).toBe(0)
    expect(validate.stderr).toContain(`Warning: ${file}:7:5 ${spelling}\n`)
    expect(validate.stderr).toContain(`global.router.clear_route_cache: ${noProxy}\n`)

    const strict = await runCommand("rtr", ["config", "validate", "--strict", "--config", file])
    expect([strict.code, strict.stdout]).toEqual([1, ""])
    expect(strict.stderr).toContain(`Cannot use ${file}: 3 problems`)

    const refused = await runCommand("rtr", ["serve", "--strict", "--config", file, "--metrics-port", "0"])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(spelling)
  })

  test("of a changed document reach the log and the status as well", async () => {
    const backend = await startTestBackend()
    const plain = { providers: providersOn(backend.endpoint, "small") }
    const router = await startRouter(plain)
    expect([linesOf(router, "config_warning"), (await statusOf(router)).config_warnings]).toEqual([[], []])

    router.write({ ...plain, global: { router: { clear_route_cache: true } } })
    await waitFor(() => linesOf(router, "config_active").length === 1)
    const said = `global.router.clear_route_cache: ${noProxy}`
    expect(messagesOf(linesOf(router, "config_warning"))).toEqual([expect.stringContaining(said)])
    expect((await statusOf(router)).config_warnings).toEqual([said])

    // A document that is refused leaves what serves, and its warnings.
    router.write({ ...plain, routing: { decisions: 3 }, global: { router: { streamed_body: { enabled: true } } } })
    await waitFor(() => linesOf(router, "config_rejected").length === 1)
    expect(linesOf(router, "config_warning")).toHaveLength(1)
    expect((await statusOf(router)).config_warnings).toEqual([said])

    router.write(plain)
    await waitFor(() => linesOf(router, "config_active").length === 2)
    expect((await statusOf(router)).config_warnings).toEqual([])
  })

  test("about guards that clients may pass by are in the status, and a place is told after a reload too", async () => {
    const backend = await startTestBackend()
    const guarded = (priority: number): object => ({
      providers: {
        defaults: { model: "small" },
        models: [{ name: "small", backend_refs: [{ endpoint: backend.endpoint, api_key: "literal" }] }],
      },
      routing: {
        signals: { keywords: [{ name: "k", operator: "OR", keywords: ["x"] }], pii: [{ name: "p" }] },
        decisions: [{ name: "d", priority, rules: { type: "pii", name: "p" }, modelRefs: [{ model: "small" }] }],
      },
    })
    const router = await startRouter(guarded(1))
    router.write(guarded(2))
    await waitFor(() => linesOf(router, "config_active").length === 1)
    const said = messagesOf(linesOf(router, "config_warning"))
    expect(said).toEqual([
      expect.stringContaining("passes no decision and no guard"),
      expect.stringContaining("passes no decision and no guard"),
    ])
    expect((await statusOf(router)).config_warnings).toEqual([
      expect.stringMatching(/^listeners\[0\]\.models: .*passes no decision and no guard/),
    ])
    const [first, second] = messagesOf(linesOf(router, "exposed_keys"))
    expect(first).toMatch(/config\.json:1:\d+ providers/)
    expect(second).toBe(first)
  })

  test("of a changed document refuse it with --strict", async () => {
    const backend = await startTestBackend()
    const plain = { providers: providersOn(backend.endpoint, "small") }
    const router = await startRouter(plain, {}, ["--strict"])
    router.write({ ...plain, global: { router: { clear_route_cache: true } } })
    await waitFor(() => linesOf(router, "config_rejected").length === 1)
    expect((await statusOf(router)).last_rejection?.reasons).toEqual([
      expect.objectContaining({ path: "global.router.clear_route_cache", message: noProxy }),
    ])
    expect((await router.ask(userMessage("hello"))).status).toBe(200)
  })
})

describe("parts that rtr does not have", () => {
  test("are told where a document is checked, and refuse it where it would serve", async () => {
    const backend = await startTestBackend()
    const file = writeDocument(limited(backend.endpoint))
    const validate = await runCommand("rtr", ["config", "validate", "--config", file])
    expect(validate.code).toBe(0)
    expect(validate.stdout).toContain(
      "rtr serve needs --allow-missing-plugins for it, because rtr does not have: global.services.ratelimit\n",
    )
    const refused = await runCommand("rtr", ["serve", "--config", file, "--metrics-port", "0"])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(
      "global.services.ratelimit: is not supported yet; without it no request is limited. rtr serve --allow-missing-plugins serves the document without it",
    )
  })

  test("are left out with --allow-missing-plugins, of a changed document too, and each is told", async () => {
    const backend = await startTestBackend()
    const plain = { providers: providersOn(backend.endpoint, "small") }
    const router = await startRouter(limited(backend.endpoint), {}, ["--allow-missing-plugins"])
    const told = "global.services.ratelimit: is not supported yet; no request is limited"
    await waitFor(() => linesOf(router, "config_warning").length > 0)
    expect(messagesOf(linesOf(router, "config_warning"))).toEqual([expect.stringContaining(told)])
    expect((await router.ask(userMessage("hello"))).status).toBe(200)

    router.write(plain)
    await waitFor(() => linesOf(router, "config_active").length === 1)
    router.write(limited(backend.endpoint))
    await waitFor(() => linesOf(router, "config_active").length === 2)
    expect(messagesOf(linesOf(router, "config_warning"))).toEqual([
      expect.stringContaining(told),
      expect.stringContaining(told),
    ])
    expect((await statusOf(router)).config_warnings).toEqual([told])
  })
})
