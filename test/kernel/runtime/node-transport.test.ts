import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { createNodeTransport } from "../../../ts/kernel/runtime/node-transport.ts"
import type { Transport } from "../../../ts/kernel/types/transport.ts"
import { startServer, transportContract } from "../../contracts/transport.ts"

describe("contract", () => {
  transportContract(createNodeTransport)
})

const request = { method: "POST", headers: {}, body: "{}", headersTimeoutMs: 1000, bodyTimeoutMs: 1000 } as const

test("connections are kept for the next request, and closed with the transport", async () => {
  const server = await startServer((_, response) => void response.end("{}"))
  const transport = createNodeTransport()
  for (let round = 0; round < 5; round++) await (await transport.request({ ...request, url: server.url })).text(10)
  // A second one may be opened before the first is free again.
  expect([1, 2]).toContain(server.open())
  await transport.close()
  await expect.poll(() => server.open()).toBe(0)
  await server.close()
})

test("a refused connection is told as such", async () => {
  const server = await startServer(() => {})
  await server.close()
  const transport = createNodeTransport()
  await expect(transport.request({ ...request, url: server.url })).rejects.toMatchObject({
    code: "upstream_unavailable",
    message: "the connection was refused",
  })
  await expect(transport.request({ ...request, url: "http://nobody.invalid" })).rejects.toMatchObject({
    message: "its host name is not known",
  })
  await transport.close()
})

test("a connection that does not come in the request's own time is given up, and only what went out is told as sent", async () => {
  const answering = await startServer((_, response) => void response.end("{}"))
  // It accepts connections and says nothing, so that none is secure.
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
  const transport = createNodeTransport()
  const sent: string[] = []
  const { port } = silent.address() as AddressInfo
  const late = { ...request, url: `https://127.0.0.1:${port}`, connectTimeoutMs: 50, onSent: () => sent.push("late") }
  await expect(transport.request(late)).rejects.toMatchObject({
    code: "upstream_timeout",
    message: "no connection within 0.05 seconds",
  })
  // Over a new connection, and over one that is there.
  for (const name of ["first", "second"])
    await (await transport.request({ ...request, url: answering.url, onSent: () => sent.push(name) })).text(10)
  expect(sent).toEqual(["first", "second"])
  await transport.close()
  silent.close()
  await answering.close()
})

test("an answer that is not HTTP/1.1 is told as such", async () => {
  const server = await startRawServer("SSH-2.0-OpenSSH\r\n\r\n")
  await expect(server.ask()).rejects.toMatchObject({
    code: "upstream_error",
    message: "its answer is not valid HTTP/1.1: the status line is not well-formed",
  })
})

test("a reply is asked for uncompressed, and one that is compressed all the same is refused", async () => {
  const answer = (status: number, lines: string): string =>
    `HTTP/1.1 ${status} X\r\n${lines}content-length: 2\r\n\r\n{}`
  for (const lines of ["content-encoding: gzip\r\n", "content-encoding: gzip\r\ncontent-encoding: br\r\n"]) {
    const server = await startRawServer(answer(200, lines))
    await expect(server.ask({ "accept-encoding": "gzip" })).rejects.toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(
        /^it answered with content encoding "gzip(, br)?", but the request asked for none$/,
      ) as unknown,
    })
    expect(server.requests[0]?.match(/accept-encoding: .*/g)).toEqual(["accept-encoding: identity"])
    await expect.poll(server.open).toBe(0)
  }
  for (const [status, lines] of [
    [200, ""],
    [200, "content-encoding: identity\r\n"],
    [200, "content-encoding: \r\n"],
    [500, "content-encoding: gzip\r\n"],
  ] as const)
    expect((await (await startRawServer(answer(status, lines))).ask()).status).toBe(status)
})

test("an idle connection that the backend closes is not used again, and its announced patience is respected", async () => {
  const sockets = new Set<Socket>()
  const server = await startServer((incoming, response) => {
    sockets.add(incoming.socket)
    if (incoming.headers["x-short"] !== undefined) response.setHeader("keep-alive", "timeout=1")
    response.end("{}")
  })
  onTestFinished(() => server.close())
  const transport = createNodeTransport()
  onTestFinished(() => transport.close())
  const ask = async (headers: Record<string, string> = {}): Promise<void> =>
    void (await (await transport.request({ ...request, headers, url: server.url })).text(10))
  await ask()
  await ask()
  expect(sockets.size).toBe(1)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => server.open()).toBe(0)
  await ask()
  expect(sockets.size).toBe(2)
  await ask({ "x-short": "1" })
  await expect.poll(() => server.open()).toBe(0)
})

test("more requests than connections wait in line, and one that leaves there is never sent", async () => {
  let open = 0
  const server = await startServer((_, response) => {
    open += 1
    setTimeout(() => response.end("{}"), 300)
  })
  onTestFinished(() => server.close())
  const transport = createNodeTransport()
  onTestFinished(() => transport.close())
  const controller = new AbortController()
  const replies = Array.from({ length: 1030 }, async (_, number) => {
    const signal = number === 1029 ? { signal: controller.signal } : {}
    const reply = await transport.request({ ...request, headersTimeoutMs: 20_000, url: server.url, ...signal })
    return reply.text(10)
  })
  const last = replies.pop()
  controller.abort()
  await expect(last).rejects.toMatchObject({ code: "client_closed_request" })
  expect(new Set(await Promise.all(replies))).toEqual(new Set(["{}"]))
  expect(open).toBe(1029)
}, 30_000)

test.each<[string, Record<string, string>]>([
  ["a line break", { a: "1\r\nb: 2" }],
  ["a character beyond Latin-1", { a: "漢" }],
  ["a name that is none", { "a b": "1" }],
  ["another length", { "Content-Length": "1" }],
  ["another frame", { "transfer-encoding": "chunked" }],
  ["another connection", { connection: "close" }],
])("a header with %s is never written", async (_, headers) => {
  let reached = 0
  const server = await startServer((_incoming, response) => {
    reached += 1
    response.end()
  })
  onTestFinished(() => server.close())
  const transport = createNodeTransport()
  await expect(transport.request({ ...request, headers, url: server.url })).rejects.toMatchObject({
    code: "internal_error",
    message: "the request cannot be written: its address or one of its headers is invalid",
  })
  expect(reached).toBe(0)
  await transport.close()
})

test("a backend over TLS is called when its certificate is trusted, and its connection is used again", async () => {
  const fixtures = join(import.meta.dirname, "fixtures")
  const [key, cert] = ["localhost-key.pem", "localhost-certificate.pem"].map((name) =>
    readFileSync(join(fixtures, name), "utf8"),
  ) as [string, string]
  let connections = 0
  const server = createSecureServer({ key, cert }, (incoming, response) => {
    let size = 0
    incoming.on("data", (piece: Buffer) => (size += piece.length)).on("end", () => response.end("é".repeat(size)))
  })
  server.on("secureConnection", () => (connections += 1))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  const transport = createNodeTransport()
  onTestFinished(() => transport.close())
  await expect(transport.request({ ...request, url })).rejects.toMatchObject({ code: "upstream_unavailable" })
  const trusted = getCACertificates("default")
  setDefaultCACertificates([...trusted, cert])
  onTestFinished(() => setDefaultCACertificates(trusted))
  for (const size of [1, 500_000]) {
    const response = await transport.request({ ...request, url, body: "x".repeat(size) })
    expect(await response.text(2_000_000)).toBe("é".repeat(size))
  }
  expect(connections).toBe(1)
})

describe("Unix sockets", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test("are connected to by path, with the URL's path", async () => {
    const socketPath = join(folder, "w.sock")
    const server = await startServer((incoming, response) => void response.end(incoming.url), socketPath)
    const transport = createNodeTransport()
    for (let round = 0; round < 3; round++) {
      const response = await transport.request({ ...request, url: "http://worker/v1/bundle", socketPath })
      expect([response.status, await response.text(100)]).toEqual([200, "/v1/bundle"])
    }
    // A second one may be opened before the first is free again.
    expect([1, 2]).toContain(server.open())
    await transport.close()
    await expect.poll(() => server.open()).toBe(0)
    await server.close()
  })

  test("that are not there are told as such", async () => {
    const transport = createNodeTransport()
    await expect(
      transport.request({ ...request, url: "http://worker/", socketPath: join(folder, "none.sock") }),
    ).rejects.toMatchObject({ code: "upstream_unavailable", message: "its socket does not exist" })
    await transport.close()
  })
})

/** Answers every request with these bytes. */
async function startRawServer(answer: string): Promise<{
  readonly ask: (headers?: Readonly<Record<string, string>>) => ReturnType<Transport["request"]>
  readonly requests: readonly string[]
  readonly open: () => number
}> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("data", (piece: Buffer) => {
      requests.push(piece.toString().replaceAll("\r\n", "\n"))
      socket.write(answer, "latin1")
    })
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const transport = createNodeTransport()
  onTestFinished(async () => {
    await transport.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { requests, open: () => sockets.size, ask: (headers = {}) => transport.request({ ...request, headers, url }) }
}
