// Follows docs/embedding.md: its programs are checked and run as they stand there, in front of a backend that tells what it heard.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import express from "express"
import { Hono } from "hono"
import type { KernelOptions } from "rtr"
import { createKernel as createEdgeKernel } from "rtr/edge"
import { createKernel, createPrometheusMetrics, type Kernel, toNodeListener } from "rtr/node"
import { createFakeInference } from "rtr/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import { chat, get, post } from "../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../fakes/transport.ts"
import { atEnd } from "./_ends.ts"
import { askHost, type Host, hostContract } from "./_host-contract.ts"
import { installedFolder, readPage, typeCheck } from "./_page-files.ts"
import { startTestBackend, type TestBackend, userMessage, waitFor } from "./_processes.ts"
import { startWorkerd } from "./_workerd.ts"

const { files } = readPage("embedding.md")
const document = files.get("config.yaml") ?? ""
const nodePrograms = [...files.keys()].filter((name) => name.endsWith("server.ts"))

/** `config` is the document of the page's programs for Node. */
const hostFolder = (config = document): string =>
  installedFolder([...files, ["config.yaml", config]], ["express", "hono", "@hono/node-server", "@types"])

const documentOn = (endpoint: string): string => document.replaceAll("127.0.0.1:11434", endpoint)

/** Runs a program of the page for Node until the test ends. `stop` tells it to stop, and resolves with its exit code. */
async function startProgram(name: string, endpoint: string, routing = "{}") {
  const program = spawn(process.execPath, [name], {
    cwd: hostFolder(documentOn(endpoint).replace("routing: {}", `routing: ${routing}`)),
    env: { ...process.env, PORT: "0", BACKEND_KEY: "sesame", NO_COLOR: "1" },
  })
  const exited = once(program, "exit")
  atEnd(async () => {
    program.kill("SIGKILL")
    await exited
  })
  let output = ""
  for (const stream of [program.stdout, program.stderr])
    stream.on("data", (piece: Buffer) => (output += piece.toString()))
  const portOf = (): string | undefined => /port: (\d+)/.exec(output)?.[1]
  await waitFor(() => portOf() !== undefined || program.exitCode !== null, 60_000)
  expect(portOf(), output).toBeDefined()
  const host: Host = { url: `http://127.0.0.1:${portOf()}`, headers: {} }
  const stop = async (): Promise<unknown> => {
    program.kill("SIGTERM")
    return (await exited)[0]
  }
  return { ...host, output: () => output, stop }
}

const startWorker = async ({ endpoint }: TestBackend): Promise<Host> => ({
  ...(await startWorkerd(join(hostFolder(), "worker.ts"), documentOn(endpoint), { BACKEND_KEY: "sesame" })),
  headers: {},
})

// Programs and a compiler start here; a busy machine takes its time.
describe("the page's programs", { timeout: 120_000 }, () => {
  test("type-check", () => {
    typeCheck(hostFolder())
  })

  test("are those of the four hosts", () => {
    expect([...nodePrograms, "worker.ts"]).toEqual(["server.ts", "express-server.ts", "hono-server.ts", "worker.ts"])
  })

  describe.each(nodePrograms)("%s", (name) => {
    hostContract(({ endpoint }) => startProgram(name, endpoint))

    test("serves chat with the secret beside its own routes, warns, and stops when told", async () => {
      const backend = await startTestBackend()
      const program = await startProgram(name, backend.endpoint, "{ signals: { jailbreak: [{ name: attack }] } }")
      const reply = await askHost(program, "hello")
      expect([reply.status, reply.headers.get("x-selected-model"), await reply.json()]).toMatchObject([
        200,
        "small",
        { choices: [{ message: { content: "hello" } }] },
      ])
      expect(backend.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sesame"])
      expect(await (await fetch(program.url)).text()).toBe("Hello from your own server\n")
      expect(program.output()).toMatch(
        /^warning config_warning .*\n.*config.yaml routing.signals.jailbreak\[0\]: stops nothing/m,
      )
      expect(await program.stop()).toBe(0)
    })
  })

  describe("worker.ts", () => {
    hostContract(startWorker)

    test("serves chat with the secret", async () => {
      const backend = await startTestBackend()
      const reply = await askHost(await startWorker(backend), "hello")
      expect([reply.status, await reply.json()]).toMatchObject([200, { choices: [{ message: { content: "hello" } }] }])
      expect(backend.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer sesame"])
    })
  })
})

/** A kernel of the page's document, or of one with these parts beside, whose backend says "hi". */
async function createPageKernel(more: object = {}, options: Partial<KernelOptions> = {}): Promise<Kernel> {
  const kernel = await createKernel({
    config: { ...plain, ...more },
    environment: { BACKEND_KEY: "sesame" },
    transport: createFakeTransport(jsonReply(completion("hi"))),
    ...options,
  })
  onTestFinished(() => kernel.close())
  return kernel
}

const backendOf = (ref: object = {}): object => ({
  defaults: { model: "small" },
  models: [{ name: "small", backend_refs: [{ endpoint: "127.0.0.1:1", ...ref }] }],
})
const plain = { version: "v0.3", providers: backendOf(), routing: {} }
const asksModel = {
  signals: { domains: [{ name: "math" }] },
  decisions: [{ name: "sums", rules: { type: "domain", name: "math" }, modelRefs: [{ model: "small" }] }],
}

const serve = async (listener: Parameters<typeof createServer>[1]): Promise<{ url: string; port: number }> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

describe("what the page says", () => {
  test("of parsers of bodies and of prefixes", async () => {
    const kernel = await createPageKernel()
    const listener = toNodeListener(kernel)
    const late = express().use(express.json()).all("/v1/{*path}", listener)
    const under = (prefix: string): express.Express => express().use(prefix, listener)
    const reading = new Hono()
      .use(async (context, next) => {
        if (context.req.header("x-copy") === undefined) await context.req.json()
        else await context.req.raw.clone().json()
        await next()
      })
      .all("/v1/*", (context) => kernel.fetch(context.req.raw))
    const statusOf = async (app: Parameters<typeof serve>[0], path = "", headers = {}): Promise<unknown> => {
      const reply = await askHost({ url: (await serve(app)).url + path, headers }, "hello")
      const { error } = (await reply.json()) as { error?: { code: string; message: string } }
      return [reply.status, error?.code, error?.message.split("; ")[0]]
    }
    const wasRead = [500, "internal_error", "Cannot read the request: something has read its body already"]
    expect(await statusOf(late)).toEqual(wasRead)
    expect(await statusOf(toNodeListener(reading))).toEqual(wasRead)
    expect(await statusOf(toNodeListener(reading), "", { "x-copy": "1" })).toEqual([200, undefined, undefined])
    expect(await statusOf(under("/ai"), "/ai")).toEqual([200, undefined, undefined])
    expect(await statusOf(under("/v1"))).toMatchObject([404, "not_found", expect.any(String)])
  })

  test("of clients that leave while a handler before rtr works", async () => {
    const transport = createFakeTransport(jsonReply(completion("hi")))
    const kernel = await createPageKernel({}, { transport })
    let hasPassed = false
    const app = express()
      .use((_, response, next) => {
        response.once("close", () => setImmediate(() => next()))
        client.destroy()
      })
      .use((_, __, next) => {
        hasPassed = true
        next()
      })
      .all("/v1/{*path}", toNodeListener(kernel))
    const { port } = await serve(app)
    const client = connect(port, "127.0.0.1")
    const body = JSON.stringify(userMessage("hello"))
    client.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    await waitFor(() => hasPassed)
    // It ends only when no request is left.
    await kernel.close()
    expect(transport.requests).toEqual([])
  })

  test("of secrets", async () => {
    const named = { providers: backendOf({ api_key_env: "NOWHERE_KEY" }) }
    for (const create of [createKernel, createEdgeKernel])
      await expect(create({ config: { ...plain, ...named }, environment: {} })).rejects.toThrow(
        /NOWHERE_KEY.* is not set/,
      )
    const said: unknown[] = []
    const log: KernelOptions["log"] = (level, event, fields) => said.push([level, event, fields])
    await createPageKernel({ providers: backendOf({ api_key: "${NOWHERE_KEY}" }) }, { log })
    const message = expect.stringContaining("NOWHERE_KEY is not set; its place stays empty")
    expect(said).toEqual([["warning", "config_warning", { message }]])
  })

  test("of clients", async () => {
    const listener = { name: "main", address: "192.0.2.1", port: 1 }
    const cors = { origins: ["https://chat.example.com"] }
    const kernel = await createPageKernel({ listeners: [{ ...listener, api_keys: ["key"], models: ["MoM"], cors }] })
    const key = { authorization: "Bearer key", origin: "https://chat.example.com" }
    const allowed = await kernel.fetch(chat("hello", {}, key))
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([200, cors.origins[0]])
    expect((await kernel.fetch(chat("hello"))).status).toBe(401)
    expect((await kernel.fetch(chat("hello", { model: "small" }, key))).status).toBe(403)
    // `post` asks for a name that is not local.
    expect((await (await createPageKernel()).fetch(chat("hello"))).status).toBe(200)
  })

  test("of models, modules and files", async () => {
    for (const create of [createKernel, createEdgeKernel])
      await expect(create({ config: { ...plain, routing: asksModel } })).rejects.toThrow(
        "it asks a model, and this kernel has no inference",
      )
    await expect(createPageKernel({ modules: ["./shouting.ts"] })).rejects.toThrow(
      /createKernel loads no files; .* pass it as modules: \{ "shouting": … \}/,
    )
    const knowing = {
      global: { model_catalog: { kbs: [{ name: "faq", source: { path: "faq" }, groups: { all: ["one"] } }] } },
      routing: {
        ...asksModel,
        signals: { kb: [{ name: "asked", kb: "faq", target: { kind: "group", value: "all" } }] },
        decisions: [{ ...asksModel.decisions[0], rules: { type: "kb", name: "asked" } }],
      },
    }
    const inference = createFakeInference()
    await expect(createPageKernel(knowing, { inference })).rejects.toThrow("this host reads no files")
    const read: string[] = []
    const readFile = async (path: string): Promise<string> => {
      read.push(path)
      throw new Error("there is none")
    }
    await expect(createPageKernel(knowing, { inference, readFile })).rejects.toThrow("there is none")
    expect(new Set(read)).toEqual(new Set(["faq/labels.json"]))
  })

  test("of another document", async () => {
    const kernel = await createPageKernel()
    const other = (changes: object): object => ({ ...plain, ...changes })
    await expect(kernel.activate(other({ routin: {} }))).rejects.toThrow("did you mean")
    await expect(kernel.activate(other({ listeners: [{ name: "x", address: "127.0.0.1", port: 1 }] }))).rejects.toThrow(
      "needs a restart",
    )
    expect((await kernel.fetch(chat("hello"))).status).toBe(200)
    await kernel.activate(
      other({
        providers: {
          ...backendOf(),
          models: [{ name: "new", backend_refs: [{ endpoint: "a:1" }] }],
          defaults: { model: "new" },
        },
      }),
    )
    expect((await kernel.fetch(chat("hello"))).headers.get("x-selected-model")).toBe("new")
  })

  test("of limits", async () => {
    const large = await (await createPageKernel()).fetch(post("/v1/chat/completions", " ".repeat(33 * 1024 * 1024)))
    expect([large.status, await large.text()]).toEqual([413, expect.stringContaining("33554432 bytes")])
    const small = await createPageKernel({}, { memoryBytes: 1000 })
    expect((await small.fetch(chat("hello ".repeat(1000)))).status).toBe(413)
  })

  test("of the end", async () => {
    let answer: (() => void) | undefined
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const transport = createFakeTransport(() => answered.then(() => jsonReply(completion("hi"))))
    const kernel = await createPageKernel({}, { transport })
    const running = kernel.fetch(chat("hello"))
    await waitFor(() => transport.requests.length === 1)
    const closing = kernel.close()
    expect((await kernel.fetch(chat("hello"))).status).toBe(503)
    answer?.()
    expect((await running).status).toBe(200)
    await closing
  })

  test("of what is not served", async () => {
    const prometheus = createPrometheusMetrics()
    const kernel = await createPageKernel({}, prometheus)
    const statusOf = async (host: Pick<Kernel, "fetch">, path: string): Promise<number> =>
      (await host.fetch(get(path))).status
    expect(await Promise.all(["/health", "/ready"].map((path) => statusOf(kernel, path)))).toEqual([200, 200])
    for (const path of ["/metrics", "/api/v1", "/startup-status"]) expect(await statusOf(kernel, path), path).toBe(404)
    expect(await statusOf(kernel.management, "/startup-status")).toBe(200)
    await kernel.fetch(chat("hello"))
    expect((await prometheus.metricsText())?.text).toMatch(/^semantic_router_requests_total\{.*\} 1$/m)
  })
})
