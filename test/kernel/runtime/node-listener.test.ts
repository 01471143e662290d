import { once } from "node:events"
import { createServer, request as httpRequest, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, onTestFinished, test } from "vitest"
import { createKernel } from "rtr"
import { maxChatBodyBytes, readBody } from "../../../ts/kernel/http/body.ts"
import { cancelSignalOf } from "../../../ts/kernel/http/cancel-signal.ts"
import { streamResponse, textResponse } from "../../../ts/kernel/http/response.ts"
import {
  type ListenerLimits,
  openListener,
  type OpenListener,
  toNodeListener,
} from "../../../ts/kernel/runtime/node-listener.ts"
import type { ByteSource } from "../../../ts/kernel/types/byte-source.ts"

type Handler = (request: Request) => Response | Promise<Response>

const limits: ListenerLimits = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  lingerMs: 1000,
  writeStallMs: 60_000,
  bodyWindowMs: 60_000,
  minBodyBytes: 1000,
  maxHeadBytes: 2000,
}

async function listen(
  handler: Handler,
  changes: Partial<ListenerLimits> = {},
  onUnreadable: (status: number) => void = () => {},
): Promise<OpenListener> {
  const listener = await openListener({ fetch: handler }, "127.0.0.1", 0, {
    limits: { ...limits, ...changes },
    onUnreadable,
  })
  onTestFinished(() => listener.close(0))
  return listener
}

interface RawClient {
  readonly socket: Socket
  /** Everything that has come, without what changes from run to run. */
  text(): string
  /** Resolves when the text holds this, or when the connection is closed. */
  until(mark: string): Promise<string>
  readonly closed: Promise<void>
}

function open({ url }: OpenListener): RawClient {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  let text = ""
  let ended = false
  socket.on("data", (piece: Buffer) => (text += piece.toString("latin1")))
  socket.on("error", () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      ended = true
      resolve()
    })
  })
  onTestFinished(() => void socket.destroy())
  const read = (): string =>
    text
      .replaceAll(/\r\n(date|keep-alive): [^\r]*/gi, "")
      .replaceAll(/\r\n(Connection|Transfer-Encoding):/g, (name) => name.toLowerCase())
  return {
    socket,
    closed,
    text: read,
    async until(mark) {
      const isThere = (): boolean => text.includes(mark) || ended
      while (!isThere()) await sleep(2)
      return read()
    },
  }
}

const post = (body: string, more = ""): string =>
  `POST /echo HTTP/1.1\r\nhost: rtr\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const echo: Handler = async (request) => textResponse(await request.text(), 200, { "content-type": "text/plain" })

const answer = (body: string, connection = "keep-alive"): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: ${connection}\r\n\r\n${body}`

/** Gives pieces as `next` says, and tells when it is cancelled. */
function createSource(next: (count: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>): ByteSource & {
  readonly seen: { pulled: number; cancelled: number }
} {
  const seen = { pulled: 0, cancelled: 0 }
  return {
    seen,
    pull: () => next(seen.pulled++),
    cancel: () => void (seen.cancelled += 1),
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("a request", () => {
  test("is a web request in all its parts", async () => {
    const seen: unknown[] = []
    const listener = await listen(async (request) => {
      seen.push(
        [request instanceof Request, request.method, request.url],
        [request.headers instanceof Headers, request.headers.get("X-Own"), request.headers.get("none")],
        [request.headers.has("x-own"), request.headers.get("x-twice"), [...request.headers.keys()].includes("x-twice")],
        [request.bodyUsed, request.signal.aborted, request.redirect],
      )
      const copy = request.clone()
      seen.push([await request.json(), await copy.text()])
      await expect(request.text()).rejects.toThrow(TypeError)
      return new Response("web", {
        status: 201,
        headers: [
          ["set-cookie", "a"],
          ["set-cookie", "b"],
        ],
      })
    })
    const response = await fetch(`${listener.url}/path?x=1`, {
      method: "POST",
      headers: [
        ["x-own", "1"],
        ["x-twice", "a"],
        ["x-twice", "b"],
      ],
      body: '{"é":"👩"}',
    })
    expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([201, ["a", "b"], "web"])
    expect(seen).toEqual([
      [true, "POST", `${listener.url}/path?x=1`],
      [true, "1", null],
      [true, "a, b", true],
      [false, false, "follow"],
      [{ é: "👩" }, '{"é":"👩"}'],
    ])
  })

  test("without a body has none", async () => {
    const listener = await listen(async (request) => textResponse(`${request.body}${await request.text()}`, 200, {}))
    expect(await (await fetch(listener.url)).text()).toBe("null")
  })

  test("has its body as text, JSON, bytes or stream, whether it comes in one piece, in many, or in chunks", async () => {
    const text = "é".repeat(50_000)
    const readers: readonly ((request: Request) => Promise<string>)[] = [
      (request) => request.text(),
      async (request) => new TextDecoder().decode(await request.arrayBuffer()),
      async (request) => {
        const decoder = new TextDecoder()
        let read = ""
        for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>)
          read += decoder.decode(piece, { stream: true })
        return read
      },
    ]
    for (const read of readers) {
      const listener = await listen(async (request) => textResponse(await read(request), 200, {}))
      for (const framing of ["content-length", "transfer-encoding"]) {
        const client = httpRequest(listener.url, {
          method: "POST",
          headers: framing === "content-length" ? { [framing]: Buffer.byteLength(text) } : { [framing]: "chunked" },
        })
        const reply = new Promise<string>((resolve) =>
          client.on("response", (response) => {
            let body = ""
            response.setEncoding("utf8")
            response.on("data", (piece) => (body += piece)).on("end", () => resolve(body))
          }),
        )
        const payload = Buffer.from(text)
        for (let at = 0; at < payload.length; at += 30_001) {
          client.write(payload.subarray(at, at + 30_001))
          await sleep(1)
        }
        client.end()
        expect(await reply).toBe(text)
      }
    }
  })

  test("that is larger than the limit is refused while it comes, and what nobody reads is held back", async () => {
    const listener = await listen(async (request) => {
      await sleep(50)
      try {
        return textResponse(String(await readBody(request, maxChatBodyBytes, { hold: () => {} })), 200, {})
      } catch (error) {
        return textResponse((error as { code: string }).code, 413, {})
      }
    })
    const client = open(listener)
    client.socket.write(
      "POST / HTTP/1.1\r\nhost: rtr\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n",
    )
    const piece = Buffer.alloc(1024 * 1024, " ")
    const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")])
    for (let sent = 0; sent <= maxChatBodyBytes && !client.text().includes("413"); sent += piece.length)
      if (!client.socket.write(chunk))
        await Promise.race([new Promise((resolve) => client.socket.once("drain", resolve)), client.until("413")])
    expect(await client.until("request_too_large")).toMatch(
      /^HTTP\/1\.1 413 [^]*connection: close\r\n[^]*request_too_large$/,
    )
  })

  test("whose client waits for leave gets it when the body is read, and an answer instead when it is not", async () => {
    const listener = await listen((request) =>
      request.url.endsWith("/no") ? textResponse("no", 401, {}) : echo(request),
    )
    const head = "HTTP/1.1\r\nhost: rtr\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n"
    const client = open(listener)
    client.socket.write(`POST /yes ${head}`)
    await client.until("Continue\r\n\r\n")
    client.socket.write("hello")
    expect(await client.until("hello")).toBe(`HTTP/1.1 100 Continue\r\n\r\n${answer("hello")}`)
    const refused = open(listener)
    refused.socket.write(`POST /no ${head}`)
    await refused.closed
    expect(refused.text()).toMatch(/^HTTP\/1\.1 401 [^]*connection: close\r\n[^]*no$/)
  })
})

describe("a body that comes too slowly", () => {
  const read: Handler = async (request) => {
    try {
      return textResponse(String(await readBody(request, maxChatBodyBytes, { hold: () => {} })), 200, {})
    } catch (error) {
      const { code, status } = error as { code: string; status: number }
      return textResponse(code, status, {})
    }
  }
  const head = (length: string): string =>
    `POST / HTTP/1.1\r\nhost: rtr\r\ncontent-type: application/json\r\n${length}\r\n\r\n`

  test("is answered with 408 and closed, whatever its size and wherever it stops", async () => {
    const listener = await listen(read, { bodyWindowMs: 40, lingerMs: 60_000 })
    const starts = [
      head("content-length: 100"),
      `${head("content-length: 100")}"abc`,
      `${head("content-length: 100000")}"abc`,
      `${head("transfer-encoding: chunked")}3\r\n"ab\r\n`,
    ]
    for (const start of starts) {
      const client = open(listener)
      client.socket.write(start)
      await client.closed
      expect(client.text()).toMatch(/^HTTP\/1\.1 408 [^]*connection: close\r\n[^]*request_timeout$/)
    }
  })

  test("in very many tiny chunks is refused", async () => {
    const listener = await listen(read)
    const client = open(listener)
    client.socket.write(`${head("transfer-encoding: chunked")}1\r\n"\r\n${"1\r\na\r\n".repeat(5000)}`)
    expect(await client.until("invalid_request")).toMatch(/^HTTP\/1\.1 400 [^]*connection: close/)
  })

  test("is not saved by a byte now and then", async () => {
    const listener = await listen(read, { bodyWindowMs: 60 })
    const client = open(listener)
    client.socket.write(`${head("content-length: 100000")}"`)
    const drip = setInterval(() => client.socket.write("a"), 5)
    onTestFinished(() => clearInterval(drip))
    expect(await client.until("request_timeout")).toMatch(/^HTTP\/1\.1 408 /)
  })

  test("may take many windows when it goes on", async () => {
    const listener = await listen(read, { bodyWindowMs: 40, minBodyBytes: 1 })
    const client = open(listener)
    client.socket.write(`${head("content-length: 42")}"`)
    for (let sent = 0; sent < 40; sent++) {
      client.socket.write("a")
      await sleep(5)
    }
    client.socket.write('"')
    expect(await client.until(`${"a".repeat(40)}`)).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe("a connection", () => {
  test("answers requests that are sent at once in their order", async () => {
    const listener = await listen(async (request) => {
      const text = await request.text()
      await sleep(Number(text))
      return textResponse(text, 200, { "content-type": "text/plain" })
    })
    const client = open(listener)
    client.socket.write(["20", "5", "10"].map((text) => post(text)).join(""))
    await client.until("\r\n\r\n10")
    client.socket.write(post("30"))
    await client.until("\r\n\r\n30")
    expect(client.text()).toBe(["20", "5", "10", "30"].map((text) => answer(text)).join(""))
  })

  test("carries ten thousand requests that are sent at once", async () => {
    const listener = await listen(echo)
    const client = open(listener)
    client.socket.write(Array.from({ length: 10_000 }, (_, index) => post(String(index))).join(""))
    expect((await client.until("\r\n\r\n9999")).split("HTTP/1.1 200 OK")).toHaveLength(10_001)
  })

  test("goes on behind a short body that nobody read, and ends behind a long one", async () => {
    const listener = await listen(() => textResponse("no", 401, {}))
    const client = open(listener)
    client.socket.write("POST / HTTP/1.1\r\nhost: rtr\r\ncontent-length: 10\r\n\r\n12345")
    await client.until("\r\n\r\nno")
    client.socket.write("67890GET / HTTP/1.1\r\nhost: rtr\r\n\r\n")
    await expect.poll(() => client.text().match(/connection: keep-alive/g)?.length).toBe(2)
    const long = open(listener)
    long.socket.write("POST / HTTP/1.1\r\nhost: rtr\r\ncontent-length: 10000000\r\n\r\n12345")
    await long.closed
    expect(long.text()).toMatch(/connection: close\r\n[^]*no$/)
  })

  test("goes on behind a body that was read in part, and is closed when its client leaves", async () => {
    const listener = await listen(async ({ body }) => {
      const reader = body?.getReader()
      await reader?.read()
      await reader?.cancel()
      return textResponse(reader === undefined ? "yes" : "no", 400, {})
    })
    const client = open(listener)
    client.socket.write("POST / HTTP/1.1\r\nhost: rtr\r\ncontent-length: 600000\r\n\r\n")
    client.socket.write("x".repeat(300_000))
    await client.until("\r\n\r\nno")
    client.socket.write(`${"x".repeat(300_000)}GET / HTTP/1.1\r\nhost: rtr\r\n\r\n`)
    await client.until("\r\n\r\nyes")
    const leaving = open(listener)
    leaving.socket.write(`POST / HTTP/1.1\r\nhost: rtr\r\ncontent-length: 600000\r\n\r\n${"x".repeat(300_000)}`)
    await leaving.until("\r\n\r\nno")
    leaving.socket.destroy()
    client.socket.destroy()
    // Waits for connections that carry a request, longer than a test may take.
    await listener.close(600_000)
  })

  test("ends when the client says so, and after HTTP/1.0", async () => {
    const listener = await listen(echo)
    for (const request of [post("a", "connection: close\r\n"), post("a").replace("1.1", "1.0")]) {
      const client = open(listener)
      client.socket.write(request)
      await client.closed
      expect(client.text()).toBe(answer("a", "close"))
    }
  })

  test("that carries something else than a request is told so and closed, and its owner hears of it", async () => {
    let reached = 0
    const told: number[] = []
    const handler: Handler = () => {
      reached += 1
      return textResponse("", 200, {})
    }
    const listener = await listen(handler, {}, (status) => void told.push(status))
    const cases: readonly (readonly [text: string, status: number])[] = [
      ["hello\r\n\r\n", 400],
      ["GET / HTTP/1.1\r\n\r\n", 400],
      ["POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n", 400],
      [`GET / HTTP/1.1\r\nhost: a\r\nx: ${"a".repeat(3000)}`, 431],
      ["GET / HTTP/1.1\r\nhost: a\r\nexpect: more\r\n\r\n", 417],
    ]
    for (const [text, status] of cases) {
      const client = open(listener)
      client.socket.write(text)
      await client.closed
      expect(client.text()).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close\r\n([^]+\r\n)?\r\n$`))
    }
    expect(reached).toBe(0)
    // node:http tells nobody of a missing host.
    expect(told).toEqual([400, 400, 431, 417])
  })

  test("whose body breaks its frame is closed, and its request sees a client that left", async () => {
    const seen: unknown[] = []
    const told: number[] = []
    const handler: Handler = async (request) => {
      await request.text().catch((error: Error) => seen.push(error.message))
      return textResponse("late", 200, {})
    }
    const listener = await listen(handler, {}, (status) => void told.push(status))
    const client = open(listener)
    client.socket.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\na")
    await sleep(20)
    client.socket.write("b\r\n")
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 400 /)
    expect(seen).toEqual(["The client left before its request was read"])
    // The request tells of itself.
    expect(told).toEqual([])
  })

  test("that is slow is closed: with its headers, with its body, or between requests", async () => {
    const told: number[] = []
    const slow = { headersTimeoutMs: 40, requestTimeoutMs: 80, keepAliveTimeoutMs: 40 }
    const listener = await listen(echo, slow, (status) => void told.push(status))
    const cases: readonly (readonly [text: string, wanted: RegExp])[] = [
      ["", /^(HTTP\/1\.1 408 [^]*)?$/],
      ["GET / HTTP/1.1\r\nhost:", /^HTTP\/1\.1 408 /],
      ["POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nab", /^HTTP\/1\.1 408 /],
      [post("hello"), /^HTTP\/1\.1 200 [^]*hello$/],
    ]
    for (const [text, wanted] of cases) {
      const client = open(listener)
      client.socket.write(text)
      await client.closed
      expect(client.text()).toMatch(wanted)
    }
    // Of the head alone: a body belongs to a request that tells of itself, and a silent connection asked nothing.
    expect(told).toEqual([408])
  })

  test("may wait for its reply as long as it takes", async () => {
    const listener = await listen(
      async (request) => {
        await sleep(150)
        return echo(request)
      },
      { headersTimeoutMs: 20, requestTimeoutMs: 20, keepAliveTimeoutMs: 20 },
    )
    const client = open(listener)
    client.socket.write(post("late"))
    expect(await client.until("late")).toBe(answer("late"))
  })
})

describe("a reply", () => {
  test("to HEAD, and of a status without content, has no body", async () => {
    const listener = await listen((request) =>
      request.method === "HEAD" ? textResponse("hello", 200, { a: "1" }) : textResponse("", 204, {}),
    )
    const client = open(listener)
    client.socket.write("HEAD / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n")
    expect(await client.until("204 No Content\r\n")).toContain(
      "HTTP/1.1 200 OK\r\na: 1\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\nHTTP/1.1 204",
    )
  })

  test("is in UTF-8, of every size", async () => {
    const listener = await listen((request) => {
      const size = Number(new URL(request.url).searchParams.get("size"))
      return textResponse(`${"x".repeat(size)}é👩`, 200, {})
    })
    for (const size of [0, 1000, 20_000, 5_000_000])
      expect(await (await fetch(`${listener.url}/?size=${size}`)).text()).toBe(`${"x".repeat(size)}é👩`)
  })

  test("with a header that cannot be written is an error instead, and so is a handler that throws", async () => {
    const handlers: readonly Handler[] = [
      () => textResponse("x", 200, { a: "1\r\nb: 2" }),
      () => textResponse("x", 200, { "a b": "1" }),
      () => textResponse("x", 200, { a: "é漢" }),
      () => {
        throw new Error("broken")
      },
      () => Promise.reject(new Error("broken")),
      () => undefined as never,
    ]
    for (const handler of handlers) {
      const response = await fetch((await listen(handler)).url)
      expect([response.status, response.headers.get("b"), await response.text()]).toEqual([500, null, ""])
    }
  })

  test("leaves in one piece", async () => {
    const listener = await listen(echo)
    const client = open(listener)
    const pieces: number[] = []
    client.socket.on("data", (piece: Buffer) => pieces.push(piece.length))
    for (const text of ["hello", "é".repeat(100)]) {
      pieces.length = 0
      client.socket.write(post(text))
      await client.until(Buffer.from(text).toString("latin1"))
      expect(pieces).toHaveLength(1)
    }
  })
})

describe("a streamed reply", () => {
  test("comes as it is given, in chunks, or to the connection's end in HTTP/1.0", async () => {
    const gates: (() => void)[] = []
    const listener = await listen(() =>
      streamResponse(
        createSource(async (count) => {
          await new Promise<void>((resolve) => void gates.push(resolve))
          return count === 2 ? undefined : bytes(`piece${count}`)
        }),
        200,
        {},
      ),
    )
    for (const [version, wanted] of [
      ["1.1", "transfer-encoding: chunked\r\n\r\n6\r\npiece0\r\n6\r\npiece1\r\n0\r\n\r\n"],
      ["1.0", "connection: close\r\n\r\npiece0piece1"],
    ]) {
      const client = open(listener)
      client.socket.write(`GET / HTTP/${version}\r\nhost: a\r\n\r\n`)
      for (const mark of ["piece0", "piece1", "\r\n0\r\n"]) {
        await expect.poll(() => gates.length).toBe(1)
        gates.shift()?.()
        if (version === "1.1") await client.until(mark)
      }
      if (version === "1.0") await client.closed
      expect(client.text()).toContain(wanted)
    }
  })

  test("of ten thousand events arrives whole, whether they are there at once or come one by one", async () => {
    const listener = await listen((request) =>
      streamResponse(
        createSource((count) => {
          const piece = count === 10_000 ? undefined : bytes(`data: ${count}\n\n`)
          return request.url.endsWith("/sync") ? piece : Promise.resolve(piece)
        }),
        200,
        {},
      ),
    )
    const wanted = Array.from({ length: 10_000 }, (_, count) => `data: ${count}\n\n`).join("")
    for (const path of ["/sync", "/async"]) expect(await (await fetch(listener.url + path)).text()).toBe(wanted)
  })

  test("is held up by a slow client, and goes on when it reads", async () => {
    const piece = new Uint8Array(64 * 1024)
    for (const isAsync of [false, true]) {
      const source = createSource((count) => {
        const next = count === 1000 ? undefined : piece
        return isAsync ? Promise.resolve(next) : next
      })
      const listener = await listen(() => streamResponse(source, 200, {}))
      const client = open(listener)
      await new Promise((resolve) => client.socket.once("connect", resolve))
      client.socket.pause()
      client.socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      await sleep(100)
      const held = source.seen.pulled
      await sleep(50)
      expect([held > 0, held < 500, source.seen.pulled - held]).toEqual([true, true, 0])
      client.socket.resume()
      await client.closed
      expect([source.seen.pulled, client.text().length > 1000 * piece.length]).toEqual([1001, true])
    }
  })

  test("ends when the client takes nothing for a while, and its source is cancelled", async () => {
    const source = createSource(() => new Uint8Array(64 * 1024))
    const ended: string[] = []
    const listener = await listen(
      (request) =>
        request.url.endsWith("/whole")
          ? textResponse("x".repeat(50_000_000), 200, {}, () => ended.push("whole"))
          : streamResponse(source, 200, {}),
      { writeStallMs: 100 },
    )
    for (const path of ["/", "/whole"]) {
      const client = open(listener)
      client.socket.pause()
      // A client that writes does not read for that.
      const writing = setInterval(() => client.socket.write("GET / HTTP/1.1\r\n"), 10)
      onTestFinished(() => clearInterval(writing))
      client.socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
      await expect.poll(() => (path === "/" ? source.seen.cancelled : ended.length), { timeout: 5000 }).toBe(1)
      clearInterval(writing)
      client.socket.resume()
      await client.closed
      expect(client.text().length).toBeLessThan(50_000_000)
    }
  })

  test("may be slow on both sides as long as something goes on", async () => {
    const pieces = ["one", "two", "three"]
    const listener = await listen(
      (request) =>
        request.url.endsWith("/whole")
          ? textResponse("x".repeat(30_000_000), 200, {})
          : streamResponse(
              createSource((count) => sleep(150, pieces[count] === undefined ? undefined : bytes(pieces[count]))),
              200,
              {},
            ),
      { writeStallMs: 100 },
    )
    expect(await (await fetch(listener.url)).text()).toBe("onetwothree")
    const client = open(listener)
    client.socket.write("GET /whole HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    const reading = setInterval(() => {
      client.socket.resume()
      setTimeout(() => client.socket.pause(), 2)
    }, 20)
    onTestFinished(() => clearInterval(reading))
    await client.closed
    expect(client.text().length).toBeGreaterThan(30_000_000)
  })

  test("in one large piece leaves in parts", async () => {
    const large = "0123456789".repeat(100_000)
    for (const isAsync of [false, true]) {
      const source = createSource((count) => {
        const next = count === 2 ? undefined : bytes(count === 0 ? large : "end")
        return isAsync ? Promise.resolve(next) : next
      })
      const listener = await listen(() => streamResponse(source, 200, {}))
      expect(await (await fetch(listener.url)).text()).toBe(`${large}end`)
    }
  })

  test("is cancelled when the client leaves, in the middle and while nothing comes", async () => {
    for (const more of [true, false]) {
      const source = createSource((count) => (count === 0 || more ? sleep(1, bytes("x")) : new Promise(() => {})))
      let signal: AbortSignal | undefined
      const listener = await listen((request) => {
        signal = request.signal
        return streamResponse(source, 200, {})
      })
      const client = open(listener)
      client.socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      await client.until("1\r\nx")
      expect([source.seen.cancelled, signal?.aborted]).toEqual([0, false])
      client.socket.destroy()
      await expect.poll(() => source.seen.cancelled).toBe(1)
      expect(signal?.aborted).toBe(true)
    }
  })

  test("whose source cannot even be cancelled harms no other", async () => {
    const listener = await listen((request) =>
      request.url.endsWith("/other")
        ? textResponse("fine", 200, {})
        : streamResponse(
            {
              pull: () => sleep(1, bytes("x")),
              cancel() {
                throw new Error("broken")
              },
            },
            200,
            {},
          ),
    )
    const client = open(listener)
    client.socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    await client.until("1\r\nx")
    client.socket.destroy()
    await sleep(20)
    expect(await (await fetch(`${listener.url}/other`)).text()).toBe("fine")
  })

  test("is cancelled when the client has left before it starts, and for HEAD", async () => {
    const source = createSource(() => bytes("x"))
    let answerNow = (): void => {}
    const listener = await listen(
      (request) =>
        new Promise((resolve) => {
          answerNow = () => resolve(streamResponse(source, 200, {}))
          if (request.method === "HEAD") answerNow()
        }),
    )
    const client = open(listener)
    client.socket.write("HEAD / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n")
    await expect.poll(() => source.seen.cancelled).toBe(1)
    client.socket.destroy()
    await sleep(20)
    answerNow()
    await expect.poll(() => source.seen).toEqual({ pulled: 0, cancelled: 2 })
  })

  test("that breaks closes the connection, so that the client sees it is not whole; before its first piece it is an error", async () => {
    const listener = await listen((request) =>
      streamResponse(
        createSource((count) => {
          const at = Number(new URL(request.url).searchParams.get("at"))
          if (count < at) return bytes("x")
          if (request.url.includes("sync")) throw new Error("broken")
          return Promise.reject(new Error("broken"))
        }),
        200,
        {},
      ),
    )
    for (const how of ["sync", "async"]) {
      await expect(fetch(`${listener.url}/?at=1&${how}`).then((response) => response.text())).rejects.toThrow(TypeError)
      expect((await fetch(`${listener.url}/?at=0&${how}`)).status).toBe(500)
    }
  })

  test("may be a web stream", async () => {
    const cancelled: unknown[] = []
    const listener = await listen(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(bytes("x")),
            cancel: (reason) => void cancelled.push(reason),
          }),
        ),
    )
    const response = await fetch(listener.url)
    await response.body?.cancel()
    await expect.poll(() => cancelled).toHaveLength(1)
  })
})

test("the light cancel signal tells that the client has left, and not after the reply", async () => {
  const aborted: string[] = []
  const listener = await listen((request) => {
    const { pathname } = new URL(request.url)
    const signal = cancelSignalOf(request)
    const ignored = (): void => void aborted.push("never")
    signal.addEventListener("abort", () => aborted.push(pathname))
    signal.addEventListener("abort", ignored)
    signal.removeEventListener("abort", ignored)
    return pathname === "/waits" ? new Promise(() => {}) : textResponse("x", 200, {})
  })
  const client = open(listener)
  client.socket.write("GET /replies HTTP/1.1\r\nhost: a\r\n\r\n")
  await client.until("\r\n\r\nx")
  client.socket.write("GET /waits HTTP/1.1\r\nhost: a\r\n\r\n")
  await sleep(20)
  client.socket.destroy()
  await expect.poll(() => aborted).toEqual(["/waits"])
})

describe("a listener", () => {
  test("that closes lets running requests end, drops idle connections, and takes no new ones", async () => {
    const listener = await listen(async (request) => {
      await sleep(100)
      return echo(request)
    })
    const idle = open(listener)
    const busy = open(listener)
    busy.socket.write(post("last"))
    await sleep(20)
    const closed = listener.close(5000)
    await idle.closed
    expect(busy.text()).toBe("")
    await closed
    await busy.closed
    expect(busy.text()).toBe(answer("last", "close"))
    await expect(fetch(listener.url)).rejects.toThrow("fetch failed")
  })

  test("that closes waits no longer than it may", async () => {
    const listener = await listen(() => new Promise(() => {}))
    const client = open(listener)
    client.socket.write(post("x"))
    await sleep(20)
    await listener.close(30)
    await client.closed
  })

  test("on a port that is in use says so", async () => {
    const listener = await listen(echo)
    await expect(openListener({ fetch: echo }, "127.0.0.1", Number(new URL(listener.url).port))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^Cannot listen on 127\.0\.0\.1:\d+: the port is in use; stop/) as unknown,
    })
  })
})

test("a kernel answers behind one's own server of node:http", async () => {
  const server = createServer(
    toNodeListener({
      fetch: (request) =>
        request.url.endsWith("/stream")
          ? streamResponse(
              createSource((count) => (count === 3 ? undefined : bytes(String(count)))),
              200,
              { a: "1" },
            )
          : textResponse("whole", 201, { a: "1" }),
    }),
  )
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [path, wanted] of [
    ["/whole", [201, "1", "whole"]],
    ["/stream", [200, "1", "012"]],
  ] as const) {
    const response = await fetch(url + path)
    expect([response.status, response.headers.get("a"), await response.text()]).toEqual(wanted)
  }
})

test("a body that a parser of the host has read is told as such", async () => {
  const kernel = await createKernel({ config: { version: "v0.3", routing: {} } })
  const listener = toNodeListener(kernel)
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => listener(incoming, outgoing))
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content: "a" }] }),
  })
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining("something has read its body already; mount rtr before parsers of bodies"),
  ])
})

describe("a request that is over before its host passes it on", () => {
  /** A server whose own handler does `before` and then passes the request on. */
  const serve = async (before: (outgoing: ServerResponse) => Promise<unknown>) => {
    const asked: string[] = []
    let onPassed = (): void => {}
    const passed = new Promise<void>((resolve) => (onPassed = resolve))
    const listener = toNodeListener({
      fetch({ url }) {
        asked.push(new URL(url).pathname)
        return textResponse("asked", 200, {})
      },
    })
    const server = createServer((incoming, outgoing) => {
      const passOn = (): void => {
        listener(incoming, outgoing)
        onPassed()
      }
      if (incoming.url === "/slow") void before(outgoing).then(passOn)
      else passOn()
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    return { asked, port, passed }
  }

  test("is not begun when its client has left", async () => {
    let onArrived = (): void => {}
    const arrived = new Promise<void>((resolve) => (onArrived = resolve))
    const { asked, port, passed } = await serve((outgoing) => {
      onArrived()
      return once(outgoing, "close")
    })
    const client = connect(port, "127.0.0.1")
    client.write("GET /slow HTTP/1.1\r\nhost: rtr\r\n\r\n")
    await arrived
    client.destroy()
    await passed
    expect(asked).toEqual([])
  })

  test.each([
    ["answered", (outgoing: ServerResponse) => once(outgoing.end("own"), "close")],
    ["about to be answered", async (outgoing: ServerResponse) => outgoing.end("own")],
  ])("is not begun when its host has %s it, and the connection goes on", async (_, before) => {
    const { asked, port, passed } = await serve(before)
    const client = connect(port, "127.0.0.1")
    onTestFinished(() => void client.destroy())
    let read = ""
    client.on("data", (piece: Buffer) => (read += piece.toString()))
    client.write("GET /slow HTTP/1.1\r\nhost: rtr\r\n\r\n")
    await passed
    client.write("GET /next HTTP/1.1\r\nhost: rtr\r\n\r\n")
    await expect.poll(() => read).toMatch(/own.*asked$/s)
    expect(asked).toEqual(["/next"])
  })
})

describe("requests that a client sends before it has read a reply", () => {
  test("begin one after the other, and are read no faster than they are answered", async () => {
    let running = 0
    let most = 0
    const client = open(
      await listen(async () => {
        most = Math.max(most, ++running)
        await sleep(1)
        running -= 1
        return textResponse("ok", 200, {})
      }),
    )
    const thousand = "GET / HTTP/1.1\r\nhost: rtr\r\n\r\n".repeat(1000)
    for (let sent = 0; sent < 1000; sent++) client.socket.write(thousand)
    while ((client.text().match(/ok/g)?.length ?? 0) < 50) await sleep(2)
    expect(most).toBe(1)
    // Most of the 29 MB still wait at the client; the system's buffers take some.
    expect(client.socket.writableLength).toBeGreaterThan(14_000_000)
  })

  test("may have bodies that come later than their turn", async () => {
    const client = open(await listen(echo))
    client.socket.write(Array.from({ length: 50 }, (_, at) => post(`number ${at}.`)).join(""))
    const last = post("the last one")
    client.socket.write(last.slice(0, -4))
    await client.until("number 49.")
    client.socket.write(last.slice(-4))
    expect((await client.until("the last one")).match(/number \d+/g)?.length).toBe(50)
  })

  test("are dropped when the client leaves", async () => {
    const begun: Request[] = []
    const client = open(
      await listen((request) => {
        begun.push(request)
        return new Promise<Response>(() => {})
      }),
    )
    client.socket.write("GET / HTTP/1.1\r\nhost: rtr\r\n\r\n".repeat(3))
    while (begun.length === 0) await sleep(2)
    await sleep(20)
    client.socket.destroy()
    while (!cancelSignalOf(begun[0] as Request).aborted) await sleep(2)
    expect(begun.length).toBe(1)
  })
})

describe("many requests that come at once", () => {
  /** A listener that takes 5 ms for each body, the bodies in the order in which it handled them, and clients that it has accepted. */
  async function startBusy(count: number): Promise<{ readonly handled: string[]; readonly clients: RawClient[] }> {
    const handled: string[] = []
    const listener = await listen(async (request) => {
      const body = await request.text()
      const until = performance.now() + (body === "" ? 0 : 5)
      while (performance.now() < until);
      handled.push(body)
      return textResponse(`${body}.`, 200, {})
    })
    const clients = Array.from({ length: count }, () => open(listener))
    for (const { socket } of clients) socket.write(get)
    await Promise.all(clients.map((client) => client.until(".")))
    handled.length = 0
    return { handled, clients }
  }

  const get = "GET /health HTTP/1.1\r\nhost: rtr\r\n\r\n"

  test("from many connections let a request without a body through", async () => {
    const { handled, clients } = await startBusy(41)
    for (const { socket } of clients.slice(1)) socket.write(post("x"))
    clients[0]?.socket.write(get)
    await Promise.all(clients.slice(1).map((client) => client.until("x.")))
    expect(handled.indexOf("")).toBeGreaterThanOrEqual(0)
    expect(handled.indexOf("")).toBeLessThan(20)
    expect(handled).toHaveLength(41)
  })

  test("from one connection let a request of another through", async () => {
    const { handled, clients } = await startBusy(2)
    clients[1]?.socket.write(post("x").repeat(40))
    clients[0]?.socket.write(get)
    while (handled.length < 41) await sleep(2)
    expect(handled.indexOf("")).toBeLessThan(20)
  })

  test("are not begun when their client has left", async () => {
    const { handled, clients } = await startBusy(42)
    const [last, ...leaving] = clients as [RawClient, ...RawClient[]]
    for (const { socket } of leaving) socket.write(post("x"))
    while (handled.length === 0) await new Promise(setImmediate)
    for (const { socket } of leaving) socket.resetAndDestroy()
    // Its turn comes behind all of theirs.
    last.socket.write(post("y"))
    await last.until("y.")
    expect(handled.at(-1)).toBe("y")
    expect(handled.length).toBeLessThan(30)
  })
})
