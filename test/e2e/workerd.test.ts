import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { stringify } from "yaml"
import { bundleForEdge, bytesOf, edgeWorker, staticClosure } from "../../bench/size/bundle.ts"
import { askHost, type Host, hostContract } from "./_host-contract.ts"
import { providersOn, replyOf, startTestBackend, type TestBackend, userMessage, waitFor } from "./_processes.ts"
import { sendChat } from "./_raw-clients.ts"
import { startWorkerd } from "./_workerd.ts"

const root = join(import.meta.dirname, "../..")

const documentOn = (endpoint: string): object => ({
  version: "v0.3",
  listeners: [{ name: "edge", address: "127.0.0.1", port: 8801 }],
  providers: providersOn(endpoint, "small", "large"),
  routing: {
    signals: {
      keywords: [
        { name: "code", operator: "OR", keywords: ["rust"] },
        { name: "order", operator: "OR", method: "regex", keywords: ["order [0-9]+"] },
      ],
      shouting: [{ name: "loud", min_ratio: 0.7 }],
    },
    decisions: [
      {
        name: "calm-down",
        priority: 10,
        rules: { type: "shouting", name: "loud" },
        plugins: [{ type: "fast_response", configuration: { message: "We hear you." } }],
      },
      { name: "coding", priority: 5, rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "large" }] },
      { name: "orders", priority: 5, rules: { type: "keyword", name: "order" }, modelRefs: [{ model: "large" }] },
    ],
  },
})

test("the kernel routes in workerd, from a YAML text, with an outside module and management", async () => {
  const backend = await startTestBackend()
  const { url } = await startWorkerd(
    join(import.meta.dirname, "fixtures/edge-worker.ts"),
    stringify(documentOn(backend.endpoint)),
  )
  const ask = (text: string): Promise<Response> => askHost({ url, headers: {} }, text)
  // The requests that come while the kernel is being made wait for it.
  const first = await Promise.all(["a Rust function", "hello", "where is order 12", "RUST PLEASE"].map(ask))
  expect(first.map(({ headers, status }) => [status, headers.get("x-rtr-selected-decision")])).toEqual([
    [200, "coding"],
    [200, null],
    [200, "orders"],
    [200, "calm-down"],
  ])
  const replies = await Promise.all(first.map(async (reply) => (await reply.json()) as object))
  expect(replies).toMatchObject(
    ["hello", "hello", "hello", "We hear you."].map((content) => ({ choices: [{ message: { content } }] })),
  )
  expect(backend.requests.map(({ body }) => body["model"]).toSorted()).toEqual(["large", "large", "small"])

  const preview = await fetch(`${url}/api/v1/routing/preview`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "rust" }),
  })
  expect(await preview.json()).toMatchObject({ decision_result: { decision_name: "coding" }, selected_model: "large" })
  expect(await (await fetch(`${url}/startup-status`)).json()).toMatchObject({ ready: true })
  expect(await (await fetch(`${url}/openapi.json`)).json()).toMatchObject({ openapi: "3.0.3" })
})

/** Serves a worker of chosen modules. */
async function startChosen({ endpoint }: TestBackend): Promise<Host> {
  const document = {
    ...documentOn(endpoint),
    routing: {
      signals: { keywords: [{ name: "code", operator: "OR", keywords: ["rust"] }] },
      decisions: [{ name: "coding", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "large" }] }],
    },
  }
  return { ...(await startWorkerd(edgeWorker, document)), headers: {} }
}

describe("a worker of chosen modules", () => {
  hostContract(startChosen)

  test("forgets requests whose clients left while they waited, so that they take nothing from the others", async () => {
    let isAnswering = false
    const backend = await startTestBackend((_, response) => {
      if (isAnswering) response.end(JSON.stringify(replyOf("small", "hello")))
    })
    const host = await startChosen(backend)
    const large = "a word and ".repeat(400_000)
    for (let left = 1; left <= 30; left += 1) {
      const client = sendChat(host.url, userMessage(large))
      await waitFor(() => backend.requests.length === left)
      client.resetAndDestroy()
    }
    isAnswering = true
    const reply = await askHost(host, large)
    expect(await reply.json()).toMatchObject({ choices: [{ message: { content: "hello" } }] })
  }, 60_000)

  test("routes, and says what it does not serve", async () => {
    const host = await startChosen(await startTestBackend())
    const reply = await askHost(host, "rust")
    expect([reply.status, reply.headers.get("x-rtr-selected-model")]).toEqual([200, "large"])
    const unavailable = await fetch(`${host.url}/v1/none`)
    expect([unavailable.status, await unavailable.json()]).toMatchObject([
      404,
      { error: { message: expect.any(String) } },
    ])
  })
})

test("a worker of the rule signals keeps the budget of its size and needs nothing from Node", async () => {
  const { budgets } = JSON.parse(readFileSync(join(root, "bench/budgets.json"), "utf8")) as {
    readonly budgets: readonly { readonly figure: string; readonly most?: number }[]
  }
  const most = budgets.find(({ figure }) => figure === "size/bundle/edge/gzip")?.most
  const chunks = await bundleForEdge(edgeWorker)
  expect(bytesOf(staticClosure(chunks)).gzip).toBeLessThanOrEqual(most ?? 0)
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  const own = new Set(chunks.map(({ fileName }) => fileName))
  expect(imported.filter((name) => !own.has(name))).toEqual([])
})

test("the kernel and its modules are checked without the types of Node", () => {
  // Fails with the errors when there are any.
  const files = execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "ts/kernel", "--listFiles"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 16 * 1024 * 1024,
  }).split("\n")
  expect(files.some((file) => file.endsWith("ts/plugins/stores/sqlite.ts"))).toBe(true)
  expect(files.filter((file) => /@types\/node|undici-types/.test(file))).toEqual([])
})
