// Plugins on streams: those that hold and check a whole stream, and those that change its events.

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { dataOf, textOfEvents } from "../fakes/event-stream.ts"
import { writeModules } from "./_modules.ts"
import {
  chunkOf,
  providersOn,
  runCommand,
  startRouter,
  startTestBackend,
  type TestRouter,
  temporaryFolder,
  userMessage,
  waitFor,
} from "./_processes.ts"

const guard = (stream: string): string => `
import { definePlugin, RtrError, Type } from "rtr"
const textOf = ({ choices }) => choices.flatMap(({ blocks }) => blocks.map(({ text = "" }) => text)).join("")
export default definePlugin({
  about: "Refuses replies with a secret",
  options: Type.Object({}),
  hooks: ["after"],
  ${stream}
  setup: () => ({
    open: () => ({
      after(reply) {
        if (textOf(reply).includes("secret")) throw new RtrError("model_not_allowed", "The reply was refused")
        return reply
      },
    }),
  }),
})
`

const marker = `
import { definePlugin, Type } from "rtr"
export default definePlugin({
  about: "Writes each delta with the words of its own call, and their number at the end",
  options: Type.Object({}),
  hooks: ["before", "event"],
  setup: () => ({
    open() {
      let prompt = ""
      let count = 0
      return {
        before(call) {
          prompt = call.text
          return undefined
        },
        async event(event) {
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
          if (event.type === "block_delta") return { ...event, text: \`<\${prompt}:\${++count}>\` }
          if (event.type !== "stop") return event
          return [{ type: "block_delta", choice: 0, index: 0, text: \`(\${count} of \${prompt})\` }, event]
        },
      }
    },
  }),
})
`

const modules = () => writeModules({ unheld: guard(""), held: guard('stream: "buffer",'), marker })

const documentOf = (endpoint: string, path: string, plugin: string): object => ({
  modules: [path],
  providers: providersOn(endpoint, "small"),
  routing: {
    decisions: [
      {
        name: "any",
        rules: { operator: "AND", conditions: [] },
        modelRefs: [{ model: "small" }],
        plugins: [{ type: plugin, configuration: {} }],
      },
    ],
  },
})

const ask = (router: TestRouter, content: string): Promise<Response> =>
  router.ask(userMessage(content, { stream: true }))

test("a plugin that would let a stream pass unseen is refused with its place; buffering it makes the document valid", async () => {
  const { unheld, held } = modules()
  const file = join(temporaryFolder(), "config.json")
  const validate = (path: string, plugin: string) => {
    writeFileSync(file, JSON.stringify({ version: "v0.3", ...documentOf("127.0.0.1:1", path, plugin) }))
    return runCommand("rtr", ["config", "validate", "--load-modules", "--config", file])
  }
  const refused = await validate(unheld, "unheld")
  expect(refused.code).toBe(1)
  expect(refused.stderr.replaceAll(file, "F")).toMatch(
    /^ {2}F:1:\d+ routing\.decisions\[0\]\.plugins\[0\]: plugin "unheld" sees whole replies only \(after\), so that a stream would pass it unseen; the plugin must have event as well, or say stream: "buffer"$/m,
  )
  expect(await validate(held, "held")).toMatchObject({ code: 0, stderr: "" })
})

describe("a plugin that holds streams", () => {
  test("gives the client its first byte after the backend's last, and the whole reply", async () => {
    let sentLast = 0
    const backend = await startTestBackend(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const word of ["one ", "two ", "three"]) {
        response.write(chunkOf(word))
        await sleep(100)
      }
      sentLast = performance.now()
      response.end(`${chunkOf("", "stop")}data: [DONE]\n\n`)
    })
    const router = await startRouter(documentOf(backend.endpoint, modules().held, "held"))
    const response = await ask(router, "count")
    const pieces: { readonly at: number; readonly text: string }[] = []
    const decoder = new TextDecoder()
    for await (const bytes of response.body as ReadableStream<Uint8Array>)
      pieces.push({ at: performance.now(), text: decoder.decode(bytes) })
    expect(sentLast).toBeGreaterThan(0)
    expect(pieces[0]?.at).toBeGreaterThan(sentLast)
    const text = pieces.map((piece) => piece.text).join("")
    expect(textOfEvents(dataOf(text))).toBe("one two three")
    expect(text).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/)
  })

  test("leaks nothing of a reply that it refuses, and tells the client why", async () => {
    const backend = await startTestBackend(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(chunkOf("harmless words, "))
      await sleep(50)
      response.end(`${chunkOf("then a secret")}${chunkOf("", "stop")}data: [DONE]\n\n`)
    })
    const router = await startRouter(documentOf(backend.endpoint, modules().held, "held"))
    const text = await (await ask(router, "tell me")).text()
    expect(text).not.toMatch(/harmless|secret|\[DONE\]|chat\.completion\.chunk/)
    expect(text).toMatch(/"message":"The reply was refused".*"code":"model_not_allowed"/)
    const metrics = await (await fetch(`${router.metrics}/metrics`)).text()
    expect(metrics).toMatch(/semantic_router_requests_total\{[^}]*category="any",status="403"[^}]*\} 1/)
  })

  test("gives up on a stream that does not end, and closes it", async () => {
    const piece = chunkOf("x".repeat(1_000_000))
    const backend = await startTestBackend(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      while (!response.destroyed && !response.socket?.destroyed)
        if (!response.write(piece))
          await Promise.race([new Promise((done) => response.once("drain", done)), sleep(200)])
    })
    const router = await startRouter(documentOf(backend.endpoint, modules().held, "held"))
    const text = await (await ask(router, "go on")).text()
    expect(text).toMatch(/"message":"The stream is longer than 64 MiB, and plugin \\"held\\" has to read it whole"/)
    expect(text).toMatch(/"code":"upstream_error"/)
    expect(text).not.toContain("xxx")
    await waitFor(() => backend.openSockets() === 0)
  }, 60_000)

  test("a client that leaves closes the backend's stream", async () => {
    const backend = await startTestBackend(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      while (!response.destroyed) {
        response.write(chunkOf("on and "))
        await sleep(20)
      }
    })
    const router = await startRouter(documentOf(backend.endpoint, modules().held, "held"))
    const leaving = new AbortController()
    const body = JSON.stringify(userMessage("go on", { stream: true }))
    const asked = fetch(`${router.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: leaving.signal,
    }).then((response) => response.text())
    await waitFor(() => backend.requests.length === 1)
    await sleep(100)
    leaving.abort()
    await expect(asked).rejects.toThrow(/abort/i)
    await waitFor(() => backend.openSockets() === 0)
  })
})

test("event hooks change a live stream, and the state of a call stays its own", async () => {
  const backend = await startTestBackend(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const word of ["one ", "two ", "three ", "four"]) {
      response.write(chunkOf(word))
      await sleep(10)
    }
    response.end(`${chunkOf("", "stop")}data: [DONE]\n\n`)
  })
  const router = await startRouter(documentOf(backend.endpoint, modules().marker, "marker"))
  const names = Array.from({ length: 20 }, (_, index) => `call-${index}`)
  const texts = await Promise.all(names.map(async (name) => (await ask(router, name)).text()))
  expect(texts.map((text) => textOfEvents(dataOf(text)))).toEqual(
    names.map((name) => `<${name}:1><${name}:2><${name}:3><${name}:4>(4 of ${name})`),
  )
  for (const text of texts) expect(text).toMatch(/data: \[DONE\]\n\n$/)

  const live = await ask(router, "live")
  const first = await live.body?.getReader().read()
  expect(new TextDecoder().decode(first?.value)).not.toContain("[DONE]")
}, 60_000)
