import { execFileSync } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import {
  answerPolitely,
  chunkOf,
  replyOf,
  startRouter,
  startTestBackend,
  type TestRouter,
  userMessage,
  waitFor,
} from "./_processes.ts"

/** Document number `n`: everything that a reply shows carries the number, so that a mixture of two would be seen. */
function documentOf(n: number, endpoint: string, more: object = {}): object {
  return {
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: ["for-all", `only-${n}`] }],
    providers: {
      models: [
        {
          name: `model-${n}`,
          provider_model_id: `upstream-${n}`,
          backend_refs: [{ endpoint, extra_headers: { "x-document": String(n) } }],
        },
      ],
    },
    routing: {
      signals: { keywords: [{ name: `rule-${n}`, operator: "OR", keywords: [n % 2 === 0 ? "hello" : "world"] }] },
      decisions: [
        {
          name: `decision-${n}`,
          rules: { type: "keyword", name: `rule-${n}` },
          modelRefs: [{ model: `model-${n}` }],
        },
      ],
    },
    ...more,
  }
}

/** Asks a worker of its own about meaning. */
const withWorker = (n: number, endpoint: string): object => {
  const document = documentOf(n, endpoint) as { routing: { signals: object; decisions: { rules: object }[] } }
  const { routing } = document
  return {
    ...document,
    routing: {
      ...routing,
      signals: { ...routing.signals, embeddings: [{ name: "near", threshold: -1, candidates: ["hello world"] }] },
      decisions: routing.decisions.map((decision) => ({
        ...decision,
        rules: { operator: "AND", conditions: [decision.rules, { type: "embedding", name: "near" }] },
      })),
    },
    global: {
      model_catalog: {
        deployments: { small: { artifact: "static" } },
        bindings: { embedding: { deployment: "small" } },
      },
    },
  }
}

const broken = (n: number, endpoint: string): object => ({
  ...documentOf(n, endpoint),
  providers: { models: [{ name: "x", backend_refs: [{ endpoint, wieght: 1 }] }] },
})

interface StartupStatus {
  readonly last_rejection?: {
    readonly stage: string
    readonly reasons: readonly { readonly path?: string; readonly message: string }[]
  }
}

const startupStatus = async (router: TestRouter): Promise<StartupStatus> =>
  (await fetch(`${router.management}/startup-status`)).json() as Promise<StartupStatus>

/** Bytes that live in the router's heap after a collection; its resident size depends on when the collector last ran. */
async function liveBytes(router: TestRouter): Promise<number> {
  const [address = ""] = /ws:\/\/\S+/.exec(router.stderr()) ?? []
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", reject)
  })
  const call = (id: number, method: string): Promise<{ readonly result: { readonly usedSize?: number } }> =>
    new Promise((resolve) => {
      socket.addEventListener("message", ({ data }) => {
        const answer = JSON.parse(String(data)) as { id?: number; result: { usedSize?: number } }
        if (answer.id === id) resolve(answer)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  await call(1, "HeapProfiler.collectGarbage")
  const { result } = await call(2, "Runtime.getHeapUsage")
  socket.close()
  return result.usedSize ?? Number.NaN
}

const childrenOf = (pid: number): readonly string[] =>
  execFileSync("ps", ["-eo", "ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.trim().startsWith(`${pid} `) && line.includes("rtrun"))

/** One request with everything that tells which document served it. */
async function askOnce(router: TestRouter, stream: boolean) {
  const response = await router.ask(userMessage("hello world", { stream }), { authorization: "Bearer for-all" })
  const text = await response.text()
  const upstream = /upstream-(\d+) for (\d+)/.exec(text)
  return {
    status: response.status,
    version: response.headers.get("x-rtr-config-version"),
    model: response.headers.get("x-selected-model"),
    decision: response.headers.get("x-rtr-selected-decision"),
    upstream: upstream?.[1],
    document: upstream?.[2],
    complete: stream ? text.trimEnd().endsWith("data: [DONE]") : text.includes("routing_metadata"),
    text,
  }
}

describe("live configuration", () => {
  test("2,000 requests meet fifty changes of the document, and each is served by exactly one", async () => {
    const backend = await startTestBackend(async (body, response, _socket) => {
      const document = response.req.headers["x-document"]
      const said = `${String(body["model"])} for ${String(document)}`
      if (body["stream"] !== true) {
        await sleep(5)
        response.writeHead(200, { "content-type": "application/json" })
        response.end(JSON.stringify(replyOf("m", said)))
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(chunkOf("begins "))
      await sleep(30)
      response.end(`${chunkOf(said)}${chunkOf("", "stop")}data: [DONE]\n\n`)
    })
    const router = await startRouter(documentOf(0, backend.endpoint), { NODE_OPTIONS: "--inspect=127.0.0.1:0" })
    const pid = router.child.pid as number
    // A first round of everything, so that what is loaded once does not count as growth.
    router.write(withWorker(1000, backend.endpoint))
    await waitFor(async () => (await askOnce(router, false)).document === "1000", 60_000)
    router.write(broken(1001, backend.endpoint))
    await waitFor(async () => (await startupStatus(router)).last_rejection !== undefined)
    router.write(documentOf(1002, backend.endpoint))
    await waitFor(async () => (await askOnce(router, false)).document === "1002")
    const warm = async (): Promise<void> => {
      for (let asked = 0; asked < 250; asked++) await askOnce(router, asked % 2 === 0)
    }
    // The heap of a new process grows to its working size with its first thousands of requests, whatever the document does.
    await Promise.all(Array.from({ length: 20 }, warm))
    await waitFor(() => childrenOf(pid).length === 0, 20_000)
    const before = await liveBytes(router)

    const answers: Awaited<ReturnType<typeof askOnce>>[] = []
    const changed = new AbortController()
    const client = async (index: number): Promise<void> => {
      for (let asked = 0; asked < 100 || (!changed.signal.aborted && asked < 5000); asked++)
        answers.push(await askOnce(router, (asked + index) % 2 === 0))
    }
    const rejections: StartupStatus["last_rejection"][] = []
    const change = async (): Promise<void> => {
      for (let n = 1; n <= 50; n++) {
        if (n % 5 === 0) {
          router.write(broken(n, backend.endpoint))
          await waitFor(async () => (await startupStatus(router)).last_rejection !== undefined)
          rejections.push((await startupStatus(router)).last_rejection)
          continue
        }
        router.write(n % 7 === 0 ? withWorker(n, backend.endpoint) : documentOf(n, backend.endpoint))
        await waitFor(async () => (await askOnce(router, false)).document === String(n), 30_000)
      }
      changed.abort()
    }
    await Promise.all([change(), ...Array.from({ length: 20 }, (_, index) => client(index))])

    expect(answers.length).toBeGreaterThanOrEqual(2000)
    expect(rejections.length).toBe(10)
    for (const rejection of rejections) {
      expect(rejection?.stage).toBe("validate")
      expect(rejection?.reasons.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          "providers.models[0].backend_refs[0].wieght",
          "routing.decisions[0].modelRefs[0].model",
        ]),
      )
    }
    expect(answers.filter(({ status, complete }) => status !== 200 || !complete)).toEqual([])
    // Reply, headers and upstream request agree on the document, and a version is always the same document.
    const documents = new Map<string, Set<string>>()
    for (const { version, model, decision, upstream, document } of answers) {
      expect([model, decision, upstream]).toEqual([`model-${document}`, `decision-${document}`, document])
      documents.set(String(version), (documents.get(String(version)) ?? new Set()).add(String(document)))
    }
    expect([...documents.values()].filter((names) => names.size !== 1)).toEqual([])
    expect(documents.size).toBeGreaterThan(30)

    // Keys follow the document, too.
    expect((await router.ask(userMessage("hello world"), { authorization: "Bearer only-49" })).status).toBe(200)
    expect((await router.ask(userMessage("hello world"), { authorization: "Bearer only-1" })).status).toBe(401)

    router.write(documentOf(51, backend.endpoint))
    await waitFor(async () => (await askOnce(router, false)).document === "51")
    await waitFor(() => childrenOf(pid).length === 0, 20_000)
    await sleep(500)
    expect((await liveBytes(router)) / before).toBeLessThan(1.1)
    expect(await router.stop()).toBe(0)
  }, 180_000)

  test("SIGHUP activates the file, and --no-watch leaves it to that", async () => {
    const backend = await startTestBackend(answerPolitely)
    const router = await startRouter(documentOf(1, backend.endpoint), {}, ["--no-watch"])
    router.write(documentOf(2, backend.endpoint))
    await sleep(500)
    expect((await askOnce(router, false)).decision).toBe("decision-1")
    router.child.kill("SIGHUP")
    await waitFor(async () => (await askOnce(router, false)).decision === "decision-2")
  }, 30_000)

  test("what needs a restart is refused with its path, and the old document goes on", async () => {
    const backend = await startTestBackend(answerPolitely)
    const router = await startRouter(documentOf(1, backend.endpoint))
    router.write({
      ...documentOf(2, backend.endpoint),
      listeners: [{ name: "test", address: "127.0.0.1", port: 0, timeout: "10s", api_keys: ["for-all"] }],
    })
    await waitFor(async () => (await startupStatus(router)).last_rejection !== undefined)
    const { last_rejection: rejection } = await startupStatus(router)
    expect(rejection?.reasons).toEqual([
      expect.objectContaining({ code: "restart_required", path: "listeners[0].timeout" }),
    ])
    expect((await askOnce(router, false)).decision).toBe("decision-1")
    await waitFor(() => router.stderr().includes("listeners[0].timeout"))
    expect(router.stderr()).toMatch(/"event":"config_rejected".*"code":"restart_required"/)
  }, 30_000)

  test("a document whose model cannot be loaded leaves the old one serving, and the next one need not wait for it", async () => {
    const backend = await startTestBackend(answerPolitely)
    const router = await startRouter(documentOf(1, backend.endpoint))
    const unloadable = withWorker(2, backend.endpoint) as { global: { model_catalog: object } }
    router.write({
      ...unloadable,
      global: {
        model_catalog: {
          ...unloadable.global.model_catalog,
          deployments: { small: { endpoint: "http://127.0.0.1:9" } },
        },
      },
    })
    await sleep(1000)
    expect((await askOnce(router, false)).decision).toBe("decision-1")
    // A broken document ends no loading.
    router.write(broken(3, backend.endpoint))
    await waitFor(async () => (await startupStatus(router)).last_rejection !== undefined)
    expect(router.stderr()).not.toContain("config_superseded")
    router.write(documentOf(3, backend.endpoint))
    await waitFor(async () => (await askOnce(router, false)).decision === "decision-3", 5000)
    await waitFor(() => router.stderr().includes("config_superseded"))
  }, 30_000)

  test("a document that no longer asks for a guard is served, and a warning names the guard", async () => {
    const backend = await startTestBackend(answerPolitely)
    const document = documentOf(1, backend.endpoint) as { routing: { signals: object; decisions: object[] } }
    const { routing } = document
    const guarded = {
      ...document,
      routing: {
        signals: { ...routing.signals, pii: [{ name: "private" }] },
        decisions: [
          { name: "stop", priority: 9, rules: { type: "pii", name: "private" }, modelRefs: [{ model: "model-1" }] },
          ...routing.decisions,
        ],
      },
    }
    const router = await startRouter(guarded)
    router.write({ ...guarded, routing: { ...guarded.routing, signals: { ...guarded.routing.signals, events: [] } } })
    await waitFor(() => router.stderr().includes('"event":"config_active"'))
    expect(router.stderr()).not.toContain("guards_lost")
    router.write(documentOf(2, backend.endpoint))
    await waitFor(() => router.stderr().includes('"level":"warning","event":"guards_lost","guards":"pii:private"'))
  }, 60_000)
})
