// What the management API changes, as an operator calls it: knowledge bases, recipes and outcomes. What it has taken is there
// after the process was killed, and what it cannot keep changes nothing.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import {
  type RunningCommand,
  startCommand,
  startTestBackend,
  temporaryFolder,
  userMessage,
  waitFor,
} from "./_processes.ts"

const documentOf = (endpoint: string, folder: string): string => `# Kept by hand
version: v0.3
listeners:
  - { name: test, address: 127.0.0.1, port: 0 }
providers:
  defaults: { model: small }
  models:
    - { name: small, backend_refs: [{ endpoint: "${endpoint}" }] }
    - { name: large, backend_refs: [{ endpoint: "${endpoint}" }] }
routing:
  signals:
    keywords:
      - { name: contract, operator: OR, keywords: [contract] } # what lawyers read
    embeddings:
      - { name: greeting, threshold: 0.9, candidates: [good morning] }
  decisions:
    - name: legal
      rules: { type: keyword, name: contract }
      modelRefs: [{ model: small }, { model: large }]
    - name: polite
      rules: { type: embedding, name: greeting }
      modelRefs: [{ model: small }]
global:
  router: { learning: { enabled: true } }
  stores: { state: { type: sqlite, configuration: { path: "${join(folder, "state.db")}" } } }
  services: { management_api: { port: 0 } }
  model_catalog:
    deployments: { words: { artifact: static } }
    bindings: { embedding: { deployment: words } }
`

const bases = "/api/v1/storage/knowledge-bases"
const recipes = "/api/v1/config/recipes"

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Served extends RunningCommand {
  manage(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Decision and model of a prompt, and the id by which an outcome speaks of it. */
  chat(text: string, model?: string): Promise<{ readonly routed: readonly unknown[]; readonly id: string }>
  /** Waits until a change serves. */
  serves(hash: unknown): Promise<void>
  kill(): Promise<void>
}

async function serve(file: string, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
  const command = startCommand("rtr", ["serve", "--config", file, "--metrics-port", "0"], environment)
  await waitFor(() => command.stdout().includes("\n  test ") || command.child.exitCode !== null, 60_000)
  const urlOf = (name: string): string => {
    const url = new RegExp(`^ {2}${name}\\s+(http\\S+)$`, "m").exec(command.stdout())?.[1]
    if (url === undefined) throw new Error(`The router did not start:\n${command.stderr()}`)
    return url
  }
  const send = async (
    url: string,
    method: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const response = await fetch(url, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson(response) ? (JSON.parse(text) as Answer["body"]) : {},
    }
  }
  const manage: Served["manage"] = (method, path, body, headers) =>
    send(`${urlOf("management")}${path}`, method, body, headers)
  return {
    ...command,
    manage,
    async chat(text, model = "MoM") {
      const { headers } = await send(`${urlOf("test")}/v1/chat/completions`, "POST", { ...userMessage(text), model })
      return {
        routed: ["decision", "model"].map((name) => headers.get(`x-rtr-selected-${name}`)),
        id: headers.get("x-request-id") ?? "",
      }
    },
    serves: (hash) =>
      waitFor(async () => (await manage("GET", "/api/v1/config/hash")).body["active_runtime_hash"] === hash, 30_000),
    async kill() {
      command.child.kill("SIGKILL")
      await command.exited
    },
  }
}

const isJson = ({ headers }: Response): boolean => headers.get("content-type")?.startsWith("application/json") === true
const codeOf = ({ status, body }: Answer): readonly unknown[] => [status, (body["error"] as { code?: unknown })?.code]
const namesIn = (items: unknown): readonly string[] => (items as readonly { name: string }[]).map(({ name }) => name)

async function setUp() {
  const { endpoint } = await startTestBackend()
  const folder = temporaryFolder()
  const file = join(folder, "config.yaml")
  writeFileSync(file, documentOf(endpoint, folder))
  return { folder, file }
}

test("knowledge bases, recipes and outcomes are there after the process was killed", { timeout: 120_000 }, async () => {
  const { file } = await setUp()
  const first = await serve(file)
  expect(namesIn((await first.manage("GET", bases)).body["items"])).toEqual(["privacy_kb", "mmlu_kb"])

  // A knowledge base, made and replaced.
  const bills = { name: "bills", threshold: 0.5, labels: [{ name: "invoice", exemplars: ["Where is my invoice?"] }] }
  const made = await first.manage("POST", bases, bills)
  expect(made).toMatchObject({ status: 202, body: { name: "bills", managed: true, labels: bills.labels } })
  await first.serves(made.body["generated_runtime_hash"])
  expect(codeOf(await first.manage("POST", bases, bills))).toEqual([409, "KB_EXISTS"])
  const labels = [...bills.labels, { name: "refund", exemplars: ["I want my money back", "Send the money back"] }]
  const replaced = await first.manage("PUT", `${bases}/bills`, { threshold: 0.6, labels, groups: { all: ["refund"] } })
  expect(replaced.status).toBe(202)
  await first.serves(replaced.body["generated_runtime_hash"])
  expect(codeOf(await first.manage("DELETE", `${bases}/privacy_kb`))).toEqual([403, "KB_READ_ONLY"])

  // A recipe that asks it, for the document as it is now.
  const asksBills = {
    routing: {
      signals: { kb: [{ name: "money", kb: "bills", target: { kind: "label", value: "invoice" } }] },
      decisions: [{ name: "bill", rules: { type: "kb", name: "money" }, modelRefs: [{ model: "large" }] }],
    },
    entrypoints: [{ model_names: ["acme/bills"] }],
  }
  const listed = await first.manage("GET", recipes)
  const etag = String(listed.body["etag"])
  expect([listed.headers.get("etag"), namesIn(listed.body["recipes"])]).toEqual([etag, ["default"]])
  expect((await first.manage("POST", `${recipes}/validate`, { name: "billing", ...asksBills })).body).toEqual({
    valid: true,
    name: "billing",
    action: "create",
  })
  const wrong = { ...asksBills, routing: { ...asksBills.routing, signals: {} } }
  const refused = await first.manage("POST", `${recipes}/validate`, { name: "billing", ...wrong })
  expect(codeOf(refused)).toEqual([400, "CONFIG_VALIDATION_ERROR"])
  expect(refused.text).toContain("money")
  const put = (body: object, ifMatch?: string) =>
    first.manage("PUT", `${recipes}/billing`, body, ifMatch === undefined ? {} : { "if-match": ifMatch })
  expect(codeOf(await put(asksBills))).toEqual([428, "PRECONDITION_REQUIRED"])
  const done = await put(asksBills, etag)
  expect(done).toMatchObject({ status: 201, body: { status: "success", activation_status: "active" } })
  expect(codeOf(await put(asksBills, etag))).toEqual([412, "CONFIG_CHANGED"])
  expect((await first.chat("Where is my invoice?", "acme/bills")).routed).toEqual(["bill", "large"])
  expect(codeOf(await first.manage("DELETE", `${bases}/bills`))).toEqual([400, "CONFIG_VALIDATION_ERROR"])

  // An outcome of a request, told twice.
  const { routed, id } = await first.chat("read this contract")
  expect(routed).toEqual(["legal", "small"])
  const outcome = { replay_id: id, target: "model", verdict: "underpowered" }
  const tell = (router: Served) =>
    router.manage("POST", "/api/v1/observability/outcomes", outcome, { "idempotency-key": "once" })
  expect((await tell(first)).body).toMatchObject({ success: true, updated: 1, recorded: true })
  await first.kill()
  const text = readFileSync(file, "utf8")
  expect(text).toContain("# Kept by hand")
  expect(text).toContain("# what lawyers read")
  const second = await serve(file)
  expect(await second.manage("GET", `${bases}/bills`)).toMatchObject({
    status: 200,
    body: {
      threshold: 0.6,
      labels,
      groups: { all: ["refund"] },
      signal_references: [{ name: "money", recipe: "billing" }],
    },
  })
  expect((await second.chat("Where is my invoice?", "acme/bills")).routed).toEqual(["bill", "large"])
  expect((await second.chat("read this contract")).routed).toEqual(["legal", "large"])
  expect((await tell(second)).body).toMatchObject({ success: true, updated: 0, duplicate: true })

  const map = await second.manage("GET", `${bases}/bills/map/data.ndjson`)
  const points = map.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(points.map((point) => [point["label_name"], point["text"]])).toEqual(
    labels.flatMap(({ name, exemplars }) => exemplars.map((exemplar) => [name, exemplar])),
  )
  expect((await second.manage("GET", `${bases}/bills/map/metadata`)).body).toMatchObject({
    point_count: 3,
    label_names: ["invoice", "refund"],
    model_type: "words",
  })

  // Everything goes again: the entrypoint, the recipe, the knowledge base.
  const tag = async (): Promise<Readonly<Record<string, string>>> => ({
    "if-match": (await second.manage("GET", recipes)).headers.get("etag") ?? "",
  })
  const remove = async () => second.manage("DELETE", `${recipes}/billing`, undefined, await tag())
  expect(codeOf(await remove())).toEqual([409, "RECIPE_IN_USE"])
  const withoutNames = { routing: asksBills.routing, entrypoints: [] }
  expect((await second.manage("PUT", `${recipes}/billing`, withoutNames, await tag())).status).toBe(200)
  expect((await remove()).status).toBe(200)
  const gone = await second.manage("DELETE", `${bases}/bills`)
  expect(gone).toMatchObject({ status: 202, body: { status: "deleted" } })
  await second.serves(gone.body["generated_runtime_hash"])
  await waitFor(() => !readFileSync(file, "utf8").includes("bills"))

  await second.kill()
  const third = await serve(file)
  expect(codeOf(await third.manage("GET", `${bases}/bills`))).toEqual([404, "KB_NOT_FOUND"])
  expect(namesIn((await third.manage("GET", recipes)).body["recipes"])).toEqual(["default"])
  expect((await third.chat("Where is my invoice?")).routed).toEqual([null, "small"])
})

test(
  "a folder that cannot be written refuses changes, and the old document serves on",
  { timeout: 60_000 },
  async () => {
    const { file } = await setUp()
    const folder = temporaryFolder()
    const closed = join(folder, "config.yaml")
    writeFileSync(closed, readFileSync(file, "utf8").replace(/^ {2}stores: .*\n/m, ""))
    chmodSync(folder, 0o555)
    // Root may write everywhere, so the router gives that up.
    const asNobody = "--import data:text/javascript,process.getuid()===0&&process.setuid(65534)"
    const router = await serve(closed, { NODE_OPTIONS: asNobody })
    const before = readFileSync(closed, "utf8")
    const bills = { name: "bills", labels: [{ name: "invoice", exemplars: ["Where is my invoice?"] }] }
    const etag = (await router.manage("GET", recipes)).headers.get("etag") ?? ""
    const recipe = { routing: { decisions: [{ name: "rest", modelRefs: [{ model: "large" }] }] } }
    for (const [answer, name] of [
      [await router.manage("POST", bases, bills), "labels.json"],
      [await router.manage("PUT", `${recipes}/private`, recipe, { "if-match": etag }), "config.yaml"],
    ] as const) {
      expect(codeOf(answer)).toEqual([500, "CONFIG_PERSIST_ERROR"])
      expect(answer.text).toContain(`Cannot write ${name} beside the document (EACCES)`)
      expect(answer.text).not.toContain(dirname(closed))
    }
    expect((await router.manage("GET", recipes)).headers.get("etag")).toBe(etag)
    expect(namesIn((await router.manage("GET", bases)).body["items"])).toEqual(["privacy_kb", "mmlu_kb"])
    expect((await router.chat("read this contract")).routed).toEqual(["legal", "small"])
    expect([readFileSync(closed, "utf8"), readdirSync(folder)]).toEqual([before, ["config.yaml"]])
  },
)
