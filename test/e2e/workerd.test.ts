import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
import { bundleForEdge, bytesOf, edgeWorker, staticClosure } from "../../bench/size/bundle.ts"
import {
  chunkOf,
  providersOn,
  replyOf,
  startTestBackend,
  type TestBackend,
  userMessage,
  waitFor,
} from "./_processes.ts"
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

const asker =
  (url: string) =>
  (content: string, extra: object = {}, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(userMessage(content, extra)),
      ...init,
    })

test("the kernel routes in workerd, from a YAML text, with an outside module and management", async () => {
  const backend = await startTestBackend()
  const { url } = await startWorkerd(
    join(import.meta.dirname, "fixtures/edge-worker.ts"),
    stringify(documentOn(backend.endpoint)),
  )
  const ask = asker(url)
  // The requests that come while the kernel is being made wait for it.
  const first = await Promise.all(
    ["a Rust function", "hello", "where is order 12", "RUST PLEASE"].map((text) => ask(text)),
  )
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

/** A worker of chosen modules, and the backend that its one decision is for. */
async function startChosen(
  answer?: Parameters<typeof startTestBackend>[0],
): Promise<{ readonly backend: TestBackend; readonly url: string }> {
  const backend = await startTestBackend(answer)
  const document = {
    ...documentOn(backend.endpoint),
    routing: {
      signals: { keywords: [{ name: "code", operator: "OR", keywords: ["rust"] }] },
      decisions: [{ name: "coding", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "large" }] }],
    },
  }
  return { backend, ...(await startWorkerd(edgeWorker, document)) }
}

test("a worker of chosen modules streams event by event, and refuses what is wrong", async () => {
  let sendRest: (() => void) | undefined
  const { backend, url } = await startChosen((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunkOf("one "))
    sendRest = () => response.end(`${chunkOf("two")}${chunkOf("", "stop")}data: [DONE]\n\n`)
  })
  const ask = asker(url)
  const reply = await ask("rust", { stream: true })
  expect([reply.status, reply.headers.get("x-rtr-selected-model")]).toEqual([200, "large"])
  const reader = (reply.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  // The backend has sent one event and waits.
  expect((await reader.read()).value).toMatch(/"content":"one "/)
  sendRest?.()
  let rest = ""
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value
  expect(rest).toMatch(/"content":"two".*data: \[DONE\]\n\n$/s)

  const wrong = await ask("rust", {}, { body: "{" })
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }])
  const unavailable = await fetch(`${url}/v1/none`)
  expect([unavailable.status, await unavailable.json()]).toMatchObject([
    404,
    { error: { message: expect.any(String) } },
  ])
  expect(backend.requests).toHaveLength(1)
})

/** Sends a request over a connection of its own. */
function send(url: string, body: object): Socket {
  const text = JSON.stringify(body)
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: rtr\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}

// workerd hears of a connection that is closed, and not reset, when it next writes to it.
test.each([
  { how: "resets its connection", leave: (socket: Socket) => void socket.resetAndDestroy(), sendsMore: false },
  { how: "closes its connection", leave: (socket: Socket) => void socket.destroy(), sendsMore: true },
])("the backend of a worker hears of a client that $how", async ({ leave, sendsMore }) => {
  let hasHeard = false
  const { url } = await startChosen((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunkOf("one "))
    const more = sendsMore ? setInterval(() => response.write(chunkOf("more ")), 50) : undefined
    response.once("close", () => {
      clearInterval(more)
      hasHeard = true
    })
  })
  const client = send(url, userMessage("rust", { stream: true }))
  let read = ""
  client.on("data", (piece: Buffer) => (read += piece.toString()))
  await waitFor(() => read.includes('"content":"one "'))
  leave(client)
  await waitFor(() => hasHeard)
})

test("requests whose clients left while they waited take nothing from the other requests of a worker", async () => {
  let isAnswering = false
  const { backend, url } = await startChosen((_, response) => {
    if (isAnswering) response.end(JSON.stringify(replyOf("small", "hello")))
  })
  const large = userMessage("a word and ".repeat(400_000))
  for (let left = 1; left <= 30; left += 1) {
    const client = send(url, large)
    await waitFor(() => backend.requests.length === left)
    client.resetAndDestroy()
  }
  isAnswering = true
  const reply = await asker(url)("a word and ".repeat(400_000))
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: "hello" } }] })
}, 60_000)

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
