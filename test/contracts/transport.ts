// What every transport must do, against a real server.

import { RtrError } from "rtr"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { createServer as createRawServer, type Server as RawServer } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Transport, TransportRequest, TransportResponse } from "../../ts/kernel/types/transport.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface TestServer {
  readonly url: string
  /** Connections that are open now, the idle ones closed. */
  busy(): Promise<number>
  /** Connections that are open now. */
  open(): number
  close(): Promise<void>
}

/** A server on a free port, or on a Unix socket. */
export async function startServer(handler: Handler, socketPath?: string): Promise<TestServer> {
  const server = createServer((request, response) => void handler(request, response))
  const sockets = track(server)
  await new Promise<void>(
    (resolve) =>
      void (socketPath === undefined ? server.listen(0, "127.0.0.1", resolve) : server.listen(socketPath, resolve)),
  )
  return {
    url: socketPath === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : "http://localhost",
    open: () => sockets.size,
    busy: () =>
      settled(() => {
        server.closeIdleConnections()
        return sockets.size
      }),
    close: () => closeServer(server, sockets),
  }
}

/** A server that speaks no HTTP of its own: it gets each connection once a request has arrived. */
async function startRawServer(handler: (socket: Socket) => void): Promise<TestServer> {
  const server = createRawServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => handler(socket))
  })
  const sockets = track(server)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.size,
    busy: () => settled(() => sockets.size),
    close: () => closeServer(server, sockets),
  }
}

function track(server: Server | RawServer): Set<Socket> {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  return sockets
}

/** The count once it is 0, or after half a second. */
async function settled(count: () => number): Promise<number> {
  for (let round = 0; round < 100 && count() > 0; round++) await pause(5)
  return count()
}

function closeServer(server: Server | RawServer, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    for (const socket of sockets) socket.destroy()
  })
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Runs the whole suite; `create` makes a transport for each test, `notHttp` is what it calls an answer that is not HTTP. */
export function transportContract(
  create: () => Transport,
  notHttp: "upstream_error" | "upstream_unavailable" = "upstream_error",
): void {
  let transport: Transport
  const servers: TestServer[] = []
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason)

  beforeEach(() => {
    transport = create()
    unhandled.length = 0
    process.on("unhandledRejection", onUnhandled)
  })

  afterEach(async () => {
    const busy = await Promise.all(servers.map((server) => server.busy()))
    await transport.close()
    await Promise.all(servers.splice(0).map((server) => server.close()))
    await pause(0)
    process.off("unhandledRejection", onUnhandled)
    expect({ unhandled, busy }).toEqual({ unhandled: [], busy: busy.map(() => 0) })
  })

  const serve = async (handler: Handler): Promise<TestServer> => {
    const server = await startServer(handler)
    servers.push(server)
    return server
  }
  const serveRaw = async (handler: (socket: Socket) => void): Promise<TestServer> => {
    const server = await startRawServer(handler)
    servers.push(server)
    return server
  }
  const send = (server: Pick<TestServer, "url">, changes: Partial<TransportRequest> = {}): Promise<TransportResponse> =>
    transport.request({
      method: "POST",
      url: `${server.url}/path?x=1`,
      headers: { "content-type": "application/json" },
      body: "{}",
      headersTimeoutMs: 2000,
      bodyTimeoutMs: 2000,
      ...changes,
    })
  const decoder = new TextDecoder()
  const read = async (response: TransportResponse): Promise<readonly string[]> => {
    const pieces: string[] = []
    for (let piece = await response.pull(); piece !== undefined; piece = await response.pull())
      pieces.push(decoder.decode(piece))
    return pieces
  }
  const megabyte = 1024 * 1024

  describe("a request", () => {
    test("arrives as it was given", async () => {
      const seen: unknown[] = []
      const server = await serve(async (request, response) => {
        let body = ""
        for await (const piece of request) body += String(piece)
        const { method, url, headers } = request
        seen.push({ method, url, body, type: headers["content-type"], own: headers["x-own"] })
        response.end("{}")
      })
      await (
        await send(server, { headers: { "content-type": "application/json", "x-own": "1" }, body: '{"é":"👩"}' })
      ).text(100)
      await (await send(server, { method: "GET", headers: {}, body: undefined as never })).text(100)
      expect(seen).toEqual([
        { method: "POST", url: "/path?x=1", body: '{"é":"👩"}', type: "application/json", own: "1" },
        { method: "GET", url: "/path?x=1", body: "", type: undefined, own: undefined },
      ])
    })

    test("of a megabyte arrives whole", async () => {
      let size = 0
      const server = await serve(async (request, response) => {
        for await (const piece of request) size += (piece as Buffer).length
        response.end("{}")
      })
      await (await send(server, { body: "x".repeat(megabyte) })).text(100)
      expect(size).toBe(megabyte)
    })
  })

  describe("a reply", () => {
    test("has status, headers in lower case, and text", async () => {
      const server = await serve((_, response) => {
        response.writeHead(201, { "Content-Type": "application/json", "X-Own": "1", "X-Twice": ["a", "b"] })
        response.end('{"é":"👩"}')
      })
      const response = await send(server)
      expect([response.status, await response.text(1000)]).toEqual([201, '{"é":"👩"}'])
      expect(["content-type", "x-own", "x-twice", "x-none"].map((name) => response.header(name))).toEqual([
        "application/json",
        "1",
        "a, b",
        undefined,
      ])
      const own = response.headerList.indexOf("x-own")
      expect([own % 2, response.headerList[own + 1]]).toEqual([0, "1"])
    })

    test("may be empty", async () => {
      const server = await serve((_, response) => {
        response.writeHead(204)
        response.end()
      })
      const response = await send(server)
      expect([response.status, await response.text(10)]).toEqual([204, ""])
      expect(await read(await send(server))).toEqual([])
    })

    test.each([302, 400, 404, 429, 500, 503])("of status %i is a reply", async (status) => {
      const server = await serve((_, response) => {
        response.writeHead(status, { location: "/elsewhere" })
        response.end("why")
      })
      const response = await send(server)
      expect([response.status, await response.text(10)]).toEqual([status, "why"])
    })

    test("in pieces of unknown length is one text", async () => {
      const bytes = new TextEncoder().encode("漢👩é")
      const server = await serve(async (_, response) => {
        for (const byte of bytes) {
          response.write(Uint8Array.of(byte))
          await pause(1)
        }
        response.end()
      })
      expect(await (await send(server)).text(100)).toBe("漢👩é")
    })
  })

  describe("a streamed reply", () => {
    test("comes as it is written", async () => {
      let next = (): void => {}
      const server = await serve((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write("one")
        next = () => void response.write("two")
      })
      const response = await send(server)
      expect(decoder.decode(await response.pull())).toBe("one")
      next()
      expect(decoder.decode(await response.pull())).toBe("two")
      response.cancel()
    })

    test("ends with the server", async () => {
      const server = await serve((_, response) => {
        response.write("one")
        setTimeout(() => response.end("two"), 10)
      })
      expect((await read(await send(server))).join("")).toBe("onetwo")
    })

    test("that is left early closes the connection", async () => {
      const server = await serve((_, response) => void response.write("one"))
      const response = await send(server)
      await response.pull()
      response.cancel()
      expect(await server.busy()).toBe(0)
    })

    test("that is cancelled unread closes the connection", async () => {
      const server = await serve((_, response) => void response.write("one"))
      const response = await send(server)
      response.cancel()
      response.cancel()
      expect(await server.busy()).toBe(0)
    })

    test("may be cancelled after its end", async () => {
      const server = await serve((_, response) => void response.end("one"))
      const response = await send(server)
      expect(await read(response)).toEqual(["one"])
      response.cancel()
    })
  })

  describe("a client that leaves", () => {
    const left = { code: "client_closed_request", message: "the client left" }

    test("before the request is sent", async () => {
      let reached = 0
      const server = await serve((_, response) => {
        reached += 1
        response.end("{}")
      })
      await expect(send(server, { signal: AbortSignal.abort() })).rejects.toMatchObject(left)
      expect(reached).toBe(0)
    })

    test("before the headers", async () => {
      const controller = new AbortController()
      const server = await serve(() => controller.abort())
      await expect(send(server, { signal: controller.signal })).rejects.toMatchObject(left)
    })

    test("in the middle of the reply", async () => {
      const controller = new AbortController()
      const server = await serve((_, response) => void response.write("one"))
      const response = await send(server, { signal: controller.signal })
      const seen: string[] = []
      const reading = async (): Promise<void> => {
        for (let piece = await response.pull(); piece !== undefined; piece = await response.pull()) {
          seen.push(decoder.decode(piece))
          controller.abort()
        }
      }
      await expect(reading()).rejects.toMatchObject(left)
      expect(seen).toEqual(["one"])
    })

    test("while the text is read", async () => {
      const controller = new AbortController()
      const server = await serve((_, response) => {
        response.write("one")
        setTimeout(() => controller.abort(), 10)
      })
      const response = await send(server, { signal: controller.signal })
      await expect(response.text(100)).rejects.toMatchObject(left)
    })

    test("while a text of known length is read", async () => {
      const controller = new AbortController()
      const server = await serve((_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("one")
        setTimeout(() => controller.abort(), 10)
      })
      const response = await send(server, { signal: controller.signal })
      await expect(response.text(1000)).rejects.toMatchObject(left)
    })

    test("before anybody reads the reply", async () => {
      const controller = new AbortController()
      const server = await serve((_, response) => void response.write("one"))
      await send(server, { signal: controller.signal })
      controller.abort()
      expect(await server.busy()).toBe(0)
    })

    test("after the end changes nothing", async () => {
      const controller = new AbortController()
      const server = await serve((_, response) => void response.end("one"))
      const response = await send(server, { signal: controller.signal })
      expect(await response.text(100)).toBe("one")
      controller.abort()
      await pause(10)
    })
  })

  describe("a server that is slow", () => {
    test("to answer", async () => {
      const server = await serve(() => {})
      await expect(send(server, { headersTimeoutMs: 50 })).rejects.toMatchObject({
        code: "upstream_timeout",
        message: "no answer within 0.05 seconds",
      })
    })

    test("in the middle of its reply", async () => {
      const server = await serve((_, response) => void response.write("one"))
      const response = await send(server, { bodyTimeoutMs: 50 })
      await expect(read(response)).rejects.toMatchObject({
        code: "upstream_timeout",
        message: "the reply paused for more than 0.05 seconds",
      })
    })

    test("in the middle of a text", async () => {
      const server = await serve((_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("one")
      })
      await expect((await send(server, { bodyTimeoutMs: 50 })).text(1000)).rejects.toMatchObject({
        code: "upstream_timeout",
      })
    })

    test("all in all, but never pauses for long", async () => {
      const server = await serve(async (_, response) => {
        for (let round = 0; round < 10; round++) {
          response.write("x")
          await pause(20)
        }
        response.end()
      })
      const response = await send(server, { headersTimeoutMs: 100, bodyTimeoutMs: 100 })
      expect((await read(response)).join("")).toBe("x".repeat(10))
    })

    test("and is given more time than a timer can hold", async () => {
      const server = await serve((_, response) => {
        response.write("one")
        setTimeout(() => response.end("two"), 20)
      })
      const response = await send(server, { headersTimeoutMs: 3_000_000_000, bodyTimeoutMs: 3_000_000_000 })
      expect(await response.text(100)).toBe("onetwo")
    })
  })

  describe("a connection that fails", () => {
    test("because nobody listens", async () => {
      const server = await startServer(() => {})
      await server.close()
      await expect(send(server)).rejects.toMatchObject({ code: "upstream_unavailable" })
    })

    test("because the host is not known", async () => {
      await expect(send({ url: "http://nobody.invalid" })).rejects.toMatchObject({ code: "upstream_unavailable" })
    })

    test.each<[string, (socket: Socket) => void]>([
      ["is reset", (socket) => void socket.resetAndDestroy()],
      ["is closed", (socket) => void socket.end()],
      ["is closed in the middle of the headers", (socket) => void socket.end("HTTP/1.1 200 OK\r\nx-own")],
    ])("before the headers: it %s", async (_, handler) => {
      await expect(send(await serveRaw(handler))).rejects.toMatchObject({ code: "upstream_unavailable" })
    })

    test("because it carries something else than HTTP", async () => {
      const server = await serveRaw((socket) => void socket.end("SSH-2.0-OpenSSH\r\n\r\n"))
      await expect(send(server)).rejects.toMatchObject({ code: notHttp })
    })

    const broken = { code: "upstream_error", message: "the connection broke in the middle of the reply" }
    const head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"

    test.each<[string, string]>([
      ["a reply of known length", `${head}content-length: 100\r\n\r\nonly this`],
      ["a reply in chunks", `${head}transfer-encoding: chunked\r\n\r\n9\r\nonly this\r\n`],
      ["a chunk", `${head}transfer-encoding: chunked\r\n\r\nff\r\nonly this`],
    ])("in the middle of %s", async (_, text) => {
      const server = await serveRaw((socket) => void socket.end(text))
      await expect(read(await send(server))).rejects.toMatchObject(broken)
      await expect((await send(server)).text(1000)).rejects.toMatchObject(broken)
    })

    test("by a reset in the middle of the reply", async () => {
      const server = await serveRaw((socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n3\r\none\r\n`)
        setTimeout(() => socket.resetAndDestroy(), 10)
      })
      await expect(read(await send(server))).rejects.toMatchObject(broken)
    })

    test("and leaves the transport able to call again", async () => {
      let round = 0
      const server = await serveRaw((socket) => {
        round += 1
        if (round === 1) socket.resetAndDestroy()
        else socket.end(`${head}content-length: 2\r\n\r\nok`)
      })
      await expect(send(server)).rejects.toMatchObject({ code: "upstream_unavailable" })
      expect(await (await send(server)).text(10)).toBe("ok")
    })
  })

  describe("a reply that is too large", () => {
    const tooLarge = { code: "upstream_error", message: "the reply is larger than 1000 bytes" }

    test("by its declared length is refused", async () => {
      const server = await serve((_, response) => {
        response.writeHead(200, { "content-length": String(50 * megabyte) })
        response.write("x".repeat(2000))
      })
      await expect((await send(server)).text(1000)).rejects.toMatchObject(tooLarge)
      expect(await server.busy()).toBe(0)
    })

    test("for the memory that is left is refused, and no more is taken", async () => {
      const server = await serve((_, response) => void response.end("x".repeat(10 * megabyte)))
      let held = 0
      const refused = (await send(server)).text(50 * megabyte, (bytes) => {
        held += bytes
        if (held > megabyte) throw new RtrError("unavailable", "full")
      })
      await expect(refused).rejects.toMatchObject({ code: "unavailable" })
      expect(held).toBeLessThan(5 * megabyte)
      expect(await server.busy()).toBe(0)
    })

    test("by what it sends is refused, and no more is taken", async () => {
      let sent = 0
      const server = await serve((_, response) => {
        const piece = Buffer.alloc(64 * 1024)
        const write = (): void => {
          if (response.destroyed || sent > 200 * megabyte) return
          sent += piece.length
          if (response.write(piece)) setImmediate(write)
          else response.once("drain", write)
        }
        write()
      })
      await expect((await send(server)).text(1000)).rejects.toMatchObject(tooLarge)
      expect(await server.busy()).toBe(0)
      expect(sent).toBeLessThan(50 * megabyte)
    })

    test("by one byte is refused, and one of exactly the size is not", async () => {
      const server = await serve((request, response) => {
        const size = request.headers["x-size"]
        if (request.headers["x-declared"] === "yes") response.setHeader("content-length", String(size))
        response.write("x")
        response.end("x".repeat(Number(size) - 1))
      })
      for (const declared of ["yes", "no"]) {
        const ask = (size: number) => send(server, { headers: { "x-size": String(size), "x-declared": declared } })
        await expect((await ask(1001)).text(1000)).rejects.toMatchObject(tooLarge)
        expect(await (await ask(1000)).text(1000)).toHaveLength(1000)
      }
    })
  })

  test("many requests at once each get their own reply", async () => {
    const server = await serve((request, response) => {
      setTimeout(() => response.end(request.headers["x-number"]), Number(request.headers["x-number"]) % 7)
    })
    const replies = Array.from({ length: 100 }, async (_, number) =>
      (await send(server, { headers: { "x-number": String(number) } })).text(10),
    )
    expect(await Promise.all(replies)).toEqual(Array.from({ length: 100 }, (_, number) => String(number)))
  })
}
