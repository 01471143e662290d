import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { freePorts } from "../../bench/_shared/free-ports.ts"
import { writeModules } from "./_modules.ts"
import {
  chunkOf,
  providersOn,
  replyOf,
  startRouter,
  startTestBackend,
  temporaryFolder,
  userMessage,
  waitFor,
  writeDocument,
} from "./_processes.ts"

interface Line extends Readonly<Record<string, unknown>> {
  readonly level: string
  readonly event: string
}

const linesOf = (text: string): readonly Line[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)

const events = (text: string, event: string): readonly Line[] => linesOf(text).filter((line) => line.event === event)

test("each request is a line, and a refused backend and refused credentials are warnings, once and then counted", async () => {
  const backend = await startTestBackend((_, response) => {
    response.writeHead(401).end('{"error":{"message":"bad key sk-CANARY-of-the-router"}}')
  })
  const router = await startRouter({
    providers: {
      models: [
        { name: "gone", backend_refs: [{ name: "nobody", endpoint: "127.0.0.1:1" }] },
        {
          name: "locked",
          backend_refs: [{ name: "vault", endpoint: backend.endpoint, api_key: "sk-CANARY-of-the-router" }],
        },
      ],
    },
  })
  const ask = async (model: string, times: number): Promise<void> => {
    for (let count = 0; count < times; count++) await (await router.ask(userMessage("CANARY-prompt", { model }))).text()
  }
  await ask("gone", 20)
  await ask("locked", 20)
  expect(await router.stop()).toBe(0)
  const requests = events(router.stderr(), "request")
  expect(requests.map(({ model, status, error, level }) => [model, status, error, level])).toEqual([
    ...Array.from({ length: 20 }, () => ["gone", 503, "upstream_unavailable", "error"]),
    ...Array.from({ length: 20 }, () => ["locked", 502, "upstream_error", "error"]),
  ])
  const failures = events(router.stderr(), "attempt_failed")
  const counts = (wanted: string): readonly unknown[] =>
    failures.filter(({ backend: name }) => name === wanted).map(({ failures: count }) => count)
  expect(failures[0]).toMatchObject({
    level: "warning",
    backend: "nobody",
    model: "gone",
    error: "upstream_unavailable",
    reason: "ECONNREFUSED",
    ms: expect.any(Number) as unknown,
    request_id: requests[0]?.["id"],
  })
  expect(failures.find(({ backend: name }) => name === "vault")).toMatchObject({
    status: 401,
    reason: "the backend refused the router's credentials",
  })
  expect([counts("nobody"), counts("vault")]).toEqual([
    [undefined, 19],
    [undefined, 19],
  ])
  expect(router.stderr()).not.toContain("CANARY")
})

test("why a reply is none is told in fixed words, and nothing of what the backend sent", async () => {
  const json = { "content-type": "application/json" }
  const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
    page: (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>CANARY</p>"),
    error: (response) => void response.writeHead(200, json).end('{"error":{"message":"CANARY"}}'),
    odd: (response) => void response.writeHead(200, json).end('{"id":"CANARY","choices":"CANARY"}'),
    cut: (response) => {
      response.writeHead(200, { ...json, "content-length": "99" }).write('{"id":"CANARY"')
      setTimeout(() => response.destroy(), 20)
    },
    stream: (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(chunkOf("CANARY")),
  }
  const backend = await startTestBackend((body, response) => answers[String(body["model"])]?.(response))
  const router = await startRouter({ providers: providersOn(backend.endpoint, ...Object.keys(answers)) })
  for (const model of Object.keys(answers))
    await (await router.ask(userMessage("hi", { model, stream: model === "stream" }))).text().catch(() => "")
  expect(await router.stop()).toBe(0)
  const reasons = events(router.stderr(), "attempt_failed").map(({ model, error, reason }) => [model, error, reason])
  expect(reasons).toEqual([
    ["page", "upstream_error", "the reply is a page and not a JSON object"],
    ["error", "upstream_error", "the backend reported an error"],
    ["odd", "upstream_error", '"choices" of the reply is not a list'],
    ["cut", "upstream_error", expect.stringMatching(/^ECONNRESET$|^the connection broke in the middle of the reply$/)],
    ["stream", "upstream_error", "the stream ended before its end mark"],
  ])
  expect(router.stderr()).not.toContain("CANARY")
})

test("level and sampling leave out lines of success and nothing else", async () => {
  const backend = await startTestBackend()
  const run = async (...args: readonly string[]): Promise<readonly string[]> => {
    const router = await startRouter(
      {
        providers: {
          models: [
            { name: "small", backend_refs: [{ endpoint: backend.endpoint }] },
            { name: "gone", backend_refs: [{ endpoint: "127.0.0.1:1" }] },
          ],
        },
      },
      {},
      args,
    )
    await (await router.ask(userMessage("hi", { model: "small" }))).text()
    await (await router.ask(userMessage("hi", { model: "gone" }))).text()
    await router.stop()
    return linesOf(router.stderr()).map(({ level, event, model }) => `${level} ${event} ${String(model)}`)
  }
  const failed = ["error request gone", "warning attempt_failed gone"]
  expect(await run()).toEqual(["info request small", ...failed, "info stopping undefined"])
  expect(await run("--log-sample", "0")).toEqual([...failed, "info stopping undefined"])
  expect(await run("--log-level", "warning")).toEqual(failed)
  expect(await run("--log-level", "error")).toEqual(["error request gone"])
})

/** A router that writes to these outputs answers requests and stops, and nothing is wrong with either. */
async function serveOn(
  stdio: (number | "pipe" | "ignore")[],
  times: number,
  onReady: (child: ChildProcess) => void = () => {},
): Promise<void> {
  const backend = await startTestBackend()
  const [port] = await freePorts(1)
  const file = writeDocument({
    listeners: [{ name: "test", address: "127.0.0.1", port }],
    providers: providersOn(backend.endpoint, "small"),
  })
  const rtr = join(import.meta.dirname, "../../bin/rtr.js")
  const child = spawn(process.execPath, [rtr, "serve", "--config", file, "--metrics-port", "0"], { stdio })
  onTestFinished(() => void child.kill("SIGKILL"))
  const url = `http://127.0.0.1:${port}`
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  await waitFor(isReady, 60_000)
  onReady(child)
  await askMany(url, times)
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  expect(await exit).toBe(0)
}

async function askMany(url: string, times: number): Promise<void> {
  const body = JSON.stringify(userMessage("hi", { model: "small" }))
  const ask = async (): Promise<void> => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body }
    const response = await fetch(`${url}/v1/chat/completions`, init)
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  }
  for (let count = 0; count < times; count += 10) await Promise.all(Array.from({ length: 10 }, ask))
}

/** A file for outputs, which is closed after the test. */
function opened(path: string): number {
  const file = openSync(path, "a")
  onTestFinished(() => closeSync(file))
  return file
}

test("a reader of the log that has gone ends nothing", () =>
  serveOn(["ignore", "pipe", "pipe"], 100, ({ stdout, stderr }) => {
    stdout?.destroy()
    stderr?.destroy()
  }))

test("a reader of the log that does not read holds up no request, and not the end", () =>
  serveOn(["ignore", "ignore", "pipe"], 1000, ({ stderr }) => void stderr?.pause()))

test("a full disk ends nothing", async () => {
  const full = opened("/dev/full")
  await serveOn(["ignore", full, full], 100)
})

test("a file has every line", async () => {
  const path = join(temporaryFolder(), "log")
  await serveOn(["ignore", "ignore", opened(path)], 500)
  expect(events(readFileSync(path, "utf8"), "request")).toHaveLength(500)
})

const canaries = {
  before: `
import { definePlugin, Type } from "rtr"
export default definePlugin({
  about: "Fails for each request",
  options: Type.Object({}),
  hooks: ["before"],
  setup: () => ({
    open: () => ({
      before(call) {
        throw new TypeError("Cannot find a price for " + call.text + call.header("x-note") + JSON.stringify(call.request))
      },
    }),
  }),
})
`,
  event: `
import { definePlugin, Type } from "rtr"
export default definePlugin({
  about: "Fails at the first words",
  options: Type.Object({}),
  hooks: ["event"],
  setup: () => ({
    open: () => ({
      event(event) {
        if (event.type === "block_delta") throw new Error("bad words: " + event.text)
        return event
      },
    }),
  }),
})
`,
}

test("no line has a prompt, a reply, a key or anything else that a client or a backend wrote", async () => {
  const backend = await startTestBackend((body, response) => {
    if (body["model"] === "quotes")
      response.writeHead(400).end(JSON.stringify({ error: { message: `CANARY-quoted ${JSON.stringify(body)}` } }))
    else if (body["model"] === "garbled") response.end("CANARY-garbage {")
    else if (body["stream"] === true)
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(
          `${chunkOf("CANARY-reply")}${body["model"] === "breaks" ? "data: {CANARY-broken\n\n" : "data: [DONE]\n\n"}`,
        )
    else response.end(JSON.stringify(replyOf("m", "CANARY-reply")))
  })
  const modules = Object.values(writeModules(canaries))
  const names = ["small", "quotes", "garbled", "breaks"]
  const decision = (name: string): object => ({
    name,
    rules: { operator: "AND", conditions: [{ type: "keyword", name }] },
    modelRefs: [{ model: "small" }],
    plugins: [{ type: name, configuration: {} }],
  })
  const router = await startRouter(
    {
      modules,
      listeners: [
        {
          name: "test",
          address: "127.0.0.1",
          port: 0,
          api_keys: [{ key: "CANARY-key", name: "team" }, "CANARY-second"],
        },
      ],
      providers: {
        models: names.map((name) => ({
          name,
          backend_refs: [
            { endpoint: backend.endpoint, api_key: "CANARY-secret", extra_headers: { "x-extra": "CANARY-header" } },
          ],
        })),
        defaults: { model: "small" },
      },
      routing: {
        signals: {
          keywords: ["before", "event"].map((name) => ({ name, operator: "OR", keywords: [`use-${name}`] })),
        },
        decisions: ["before", "event"].map(decision),
      },
    },
    {},
    ["--log-level", "debug"],
  )
  const headers = { "api-key": "CANARY-key", "x-note": "CANARY-note", "user-agent": "CANARY-agent" }
  const tools = [{ type: "function", function: { name: "CANARY_tool", parameters: {} } }]
  const ask = async (text: string, changes: object = {}, sent: Readonly<Record<string, string>> = headers) => {
    const response = await router.ask(
      userMessage(`CANARY-prompt ${text}`, { user: "CANARY-user", tools, ...changes }),
      sent,
    )
    await response.text()
    return response.status
  }
  const stream = { stream: true }
  for (const model of ["MoM", ...names]) for (const changes of [{}, stream]) await ask("hi", { model, ...changes })
  for (const changes of [{}, stream]) for (const use of ["use-before", "use-event"]) await ask(use, changes)
  expect(await ask("hi", { model: "\u001b[31mnobody\u0007" })).toBe(404)
  for (let count = 0; count < 50; count++) expect(await ask("hi", {}, { "api-key": "CANARY-wrong" })).toBe(401)
  await (await router.ask("{CANARY-json", headers)).text()
  await fetch(`${router.url}/CANARY-path`, { headers })
  await fetch(`${router.url}/v1/models?q=CANARY-query`, { headers })
  const nonsense = connect(Number(new URL(router.url).port), "127.0.0.1", () =>
    nonsense.write("CANARY-nonsense\r\n\r\n"),
  )
  await once(nonsense.resume(), "close")
  expect(await router.stop()).toBe(0)

  const written = router.stdout() + router.stderr()
  expect(written).not.toMatch(/CANARY/)
  // oxlint-disable-next-line no-control-regex -- what a terminal would obey
  expect(written).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
  const errors = events(router.stderr(), "module_error")
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatchObject({
    level: "error",
    kind: "plugin",
    module: "before",
    hook: "before",
    name: "TypeError",
    message: "Cannot find a price for […]",
    at: expect.stringMatching(/before\.ts:10:15$/) as unknown,
  })
  expect(errors[1]).toMatchObject({ module: "event", hook: "event", message: "bad words: […]" })
  const refused = events(router.stderr(), "request_refused")
  expect(refused.map(({ status, error, requests, key }) => [status, error, requests, key])).toEqual([
    [401, "invalid_api_key", undefined, undefined],
    [400, "invalid_request", undefined, "team"],
    [404, "not_found", undefined, "team"],
    [400, "invalid_request", undefined, undefined],
    [401, "invalid_api_key", 49, undefined],
  ])
  const requests = events(router.stderr(), "request")
  const routed = requests.filter(({ listener }) => listener === "test")
  expect(routed.filter(({ key }) => key === "team")).toHaveLength(routed.length)
  expect(requests.map(({ requested_model: model }) => model)).toContain("?[31mnobody?")
})

test("what a module throws in a timer ends the router with a line that quotes nothing", async () => {
  const backend = await startTestBackend()
  const { timer } = writeModules({
    timer: `import { definePlugin, Type } from "rtr"
export default definePlugin({
  about: "Throws when nobody listens",
  hooks: ["before"],
  options: Type.Object({}),
  setup: () => ({
    open: ({ request }) => ({
      before() {
        setTimeout(() => { throw new Error("no price for " + request.turns[0].blocks[0].text) }, 20)
      },
    }),
  }),
})
`,
  })
  const router = await startRouter({
    modules: [timer],
    providers: providersOn(backend.endpoint, "small"),
    routing: {
      decisions: [
        { name: "all", rules: {}, modelRefs: [{ model: "small" }], plugins: [{ type: "timer", configuration: {} }] },
      ],
    },
  })
  // The router may end before it has answered.
  await router.ask(userMessage("CANARY-prompt")).then(
    (answer) => answer.text().catch(() => ""),
    () => "",
  )
  expect(await router.exited).toBe(1)
  expect(router.stdout() + router.stderr()).not.toContain("CANARY")
  expect(linesOf(router.stderr()).at(-1)).toMatchObject({
    level: "error",
    event: "internal_error",
    request_id: "unknown",
    name: "Error",
    message: "no price for […]",
    at: expect.stringMatching(/timer\.ts:\d+:\d+$/) as unknown,
  })
})
