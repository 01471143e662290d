import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { connectManagement } from "../../ts/cli/remote.ts"
import { emptyFolder } from "../fakes/hub.ts"

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  delete process.env["TEST_TOKEN"]
})

interface Seen {
  readonly line: string
  readonly authorization: string | undefined
  readonly body: string
}

/** A router that answers everything alike. */
async function answering(status: number, body: object): Promise<{ endpoint: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = ""
    for await (const piece of request) text += String(piece)
    seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization, body: text })
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

const client = (endpoint: string, config?: string) =>
  connectManagement({ endpoint, ...(config !== undefined && { config }), tokenEnv: "TEST_TOKEN", timeout: 5 })

test("a call sends method, path, query, body and the token of the named variable", async () => {
  const { endpoint, seen } = await answering(200, { ready: true })
  expect(await (await client(endpoint)).statusStartup()).toEqual({ ready: true })
  process.env["TEST_TOKEN"] = "secret"
  await (await client(`${endpoint}/api/v1`)).routingPreview({ body: { text: "hi" }, query: { trace: true } })
  expect(seen).toEqual([
    { line: "GET /startup-status", authorization: undefined, body: "" },
    { line: "POST /api/v1/routing/preview?trace=true", authorization: "Bearer secret", body: '{"text":"hi"}' },
  ])
})

test("a status that the operation describes is a reply, unless it brings an error", async () => {
  expect(await (await client((await answering(503, { ready: false })).endpoint)).statusStartup()).toEqual({
    ready: false,
  })
  const failed = await answering(503, { error: { code: "NOT_READY", message: "no configuration" } })
  await expect((await client(failed.endpoint)).routingPreview({ body: { text: "x" } })).rejects.toMatchObject({
    code: "upstream_error",
    message: "The router answered 503 NOT_READY: no configuration",
  })
})

test("an error has the router's code and message, and where the token comes from", async () => {
  const { endpoint } = await answering(401, { error: { code: "UNAUTHORIZED", message: "Missing or invalid token" } })
  await expect((await client(endpoint)).statusRead()).rejects.toMatchObject({
    message: "The router answered 401 UNAUTHORIZED: Missing or invalid token",
    hint: expect.stringContaining("TEST_TOKEN"),
  })
  await expect((await client((await answering(404, {})).endpoint)).statusRead()).rejects.toMatchObject({
    message: "The router answered 404: no message",
  })
})

test("a router that is not there is told", async () => {
  const { endpoint } = await answering(200, {})
  servers.splice(0).forEach((server) => server.close())
  await expect((await client(endpoint)).statusRead()).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining(`not reachable at ${endpoint} (from --endpoint): `),
    hint: expect.stringContaining("Start the router with: rtr serve"),
  })
})

test("the address is the document's, and the message says so", async () => {
  const { endpoint, seen } = await answering(200, {})
  const config = join(emptyFolder(), "mine.yaml")
  const services = { management_api: { port: Number(new URL(endpoint).port) } }
  writeFileSync(config, JSON.stringify({ version: "v0.3", global: { services }, modules: ["./not-there.ts"] }))
  await (await connectManagement({ config, tokenEnv: "TEST_TOKEN", timeout: 5 })).statusStartup()
  expect(seen).toHaveLength(1)
  const elsewhere = await answering(200, {})
  await (await client(elsewhere.endpoint, config)).statusStartup()
  expect([seen.length, elsewhere.seen.length]).toEqual([1, 1])
  servers.splice(0).forEach((server) => server.close())
  await expect(
    (await connectManagement({ config, tokenEnv: "TEST_TOKEN", timeout: 5 })).statusRead(),
  ).rejects.toMatchObject({
    message: expect.stringContaining(`at ${endpoint} (from global.services.management_api of ${config}): `),
  })
})

test("a document that is named and cannot be read is refused", async () => {
  await expect(connectManagement({ config: "/nowhere.yaml", tokenEnv: "TEST_TOKEN", timeout: 5 })).rejects.toThrow(
    "There is no file /nowhere.yaml",
  )
})

test("an endpoint that is no origin is refused", async () => {
  for (const endpoint of ["x", "ftp://h", "http://user:secret@h", "http://h/x", "http://h?x=1", "http://h/#x"])
    await expect(client(endpoint)).rejects.toThrow(
      // A password in it is not printed.
      /^--endpoint must be an origin such as http:\/\/127\.0\.0\.1:8080, without user, query or fragment$/,
    )
})
