import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import {
  besideRequests,
  type BackendHandler,
  chunkOf,
  providersOn,
  replyOf,
  startRouter,
  startTestBackend,
  type TestRouter,
  userMessage,
  waitFor,
} from "./_processes.ts"

async function routerOn(
  handler: BackendHandler,
  listener: object = {},
): Promise<TestRouter & { readonly openUpstreamSockets: () => number }> {
  const backend = await startTestBackend(handler)
  const router = await startRouter({
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, ...listener }],
    providers: providersOn(backend.endpoint, "small"),
  })
  return { ...router, openUpstreamSockets: backend.openSockets }
}

interface ErrorReply {
  readonly error: {
    readonly message: string
    readonly code: string
    readonly type: string
    readonly details: { readonly request_id: string }
  }
}

/** Every failure has the client's format and carries the id that is in the header. */
async function expectError(response: Response, status: number, code: string, message: RegExp): Promise<void> {
  const { error } = (await response.json()) as ErrorReply
  expect({ status: response.status, code: error.code }).toEqual({ status, code })
  expect(error.message).toMatch(message)
  expect(error.details.request_id).toBe(response.headers.get("x-request-id"))
}

/** The error event that ends a stream which had begun. */
async function streamError(response: Response): Promise<ErrorReply["error"]> {
  const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: "))
  const last = JSON.parse(events.at(-1)?.slice("data: ".length) ?? "{}") as ErrorReply
  expect(last.error.details.request_id).toBe(response.headers.get("x-request-id"))
  return last.error
}

const stream = userMessage("hi", { stream: true })

describe("a backend that", () => {
  test("refuses connections", async () => {
    const router = await startRouter({ providers: providersOn("127.0.0.1:1", "small") })
    await expectError(
      await router.ask(userMessage("hi")),
      503,
      "upstream_unavailable",
      /^No reply from model "small": the connection was refused$/,
    )
    await expectError(await router.ask(stream), 503, "upstream_unavailable", /refused/)
  })

  test("hangs before its headers", async () => {
    const router = await routerOn(() => {}, { timeout: "300ms" })
    await expectError(await router.ask(userMessage("hi")), 504, "upstream_timeout", /no answer within 0.3 seconds/)
  })

  test("hangs in the middle of a stream", async () => {
    const router = await routerOn(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(chunkOf("one"))
      },
      { timeout: "300ms" },
    )
    const response = await router.ask(stream)
    expect(response.status).toBe(200)
    expect(await streamError(response)).toMatchObject({ code: "upstream_timeout" })
  })

  test("closes before it answers", async () => {
    const router = await routerOn((_, __, socket) => void socket.destroy())
    await expectError(await router.ask(userMessage("hi")), 503, "upstream_unavailable", /broke before an answer came/)
  })

  test("cuts a whole reply in the middle", async () => {
    const router = await routerOn((_, response, socket) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" })
      response.write('{"id":')
      setTimeout(() => socket.destroy(), 20)
    })
    await expectError(await router.ask(userMessage("hi")), 502, "upstream_error", /broke in the middle/)
  })

  test("cuts a stream in the middle", async () => {
    const router = await routerOn((_, response, socket) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(chunkOf("one"))
      setTimeout(() => socket.destroy(), 20)
    })
    expect(await streamError(await router.ask(stream))).toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(/broke in the middle/) as unknown,
    })
  })

  test("ends a stream without its end mark", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(chunkOf("one"))
    })
    expect(await streamError(await router.ask(stream))).toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(/end mark/) as unknown,
    })
  })

  test.each([
    ["text that is no JSON", "data: {broken\n\n"],
    ["a JSON value that is no object", "data: 42\n\n"],
    ["no events at all", "<html>gateway</html>"],
  ])("sends a stream of %s", async (_, text) => {
    const router = await routerOn((__, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(text)
    })
    expect(await streamError(await router.ask(stream))).toMatchObject({ code: "upstream_error", type: "server_error" })
  })

  test("sends lines of ten megabytes", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(`data: {"a":"${"x".repeat(10_000_000)}"}`)
    })
    expect(await streamError(await router.ask(stream))).toMatchObject({
      code: "upstream_error",
      message: expect.stringMatching(/larger than/) as unknown,
    })
  })

  test("answers with something that is no reply", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end("[1, 2]")
    })
    await expectError(await router.ask(userMessage("hi")), 502, "upstream_error", /not a JSON object/)
  })

  test("redirects", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/" })
      response.end()
    })
    await expectError(await router.ask(userMessage("hi")), 502, "upstream_error", /status 302/)
  })

  test("streams although nobody asked", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(`${chunkOf("one")}data: [DONE]\n\n`)
    })
    await expectError(await router.ask(userMessage("hi")), 502, "upstream_error", /asked for none/)
  })

  test("answers whole although a stream was asked for", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(replyOf("small", "all at once")))
    })
    const response = await router.ask(stream)
    expect(response.headers.get("content-type")).toMatch(/event-stream/)
    const events = (await response.text()).split("\n\n").filter((event) => event !== "")
    expect(events.pop()).toBe("data: [DONE]")
    const chunks = events.map(
      (event) =>
        JSON.parse(event.slice("data: ".length)) as {
          choices: [{ delta: { role?: string; content?: string }; finish_reason: string | null }]
        },
    )
    expect(chunks[0]?.choices[0].delta.role).toBe("assistant")
    expect(chunks.map(({ choices: [{ delta }] }) => delta.content ?? "").join("")).toBe("all at once")
    expect(chunks.at(-1)?.choices[0].finish_reason).toBe("stop")
  })

  test("rejects the request: its own error and status reach the client", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "7" })
      response.end(
        JSON.stringify({
          error: { message: "Slow down", type: "rate_limit_error", code: "rate_limited", param: "tokens" },
        }),
      )
    })
    const response = await router.ask(userMessage("hi"))
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"])
    const id = response.headers.get("x-request-id")
    expect(await response.json()).toEqual({
      error: {
        message: "Slow down",
        type: "rate_limit_error",
        code: "rate_limited",
        param: "tokens",
        details: { request_id: id },
      },
    })
  })

  test("refuses the router's key: its text, which may quote the key, does not reach the client", async () => {
    const router = await routerOn((_, response) => {
      response.writeHead(401, { "content-type": "application/json" })
      response.end(
        JSON.stringify({ error: { message: "Incorrect API key provided: sk-secret", type: "invalid_request_error" } }),
      )
    })
    const response = await router.ask(userMessage("hi"))
    const text = await response.text()
    expect(response.status).toBe(502)
    expect(text).toMatch(/refused the router's credentials/)
    expect(text).not.toMatch(/sk-secret/)
  })
})

test("five hundred clients that leave in the middle of a stream leave no upstream socket open", async () => {
  const router = await routerOn((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const timer = setInterval(() => response.write(chunkOf("word ")), 5)
    response.on("close", () => clearInterval(timer))
  })
  const { hostname, port } = new URL(router.url)
  const body = JSON.stringify(stream)
  const leaveAfterFirstWord = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
      )
      let seen = ""
      socket.on("data", (piece) => {
        seen += piece.toString()
        if (seen.includes("word ")) socket.destroy()
      })
      socket.on("error", reject)
      socket.on("close", () => resolve())
    })
  for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 50 }, leaveAfterFirstWord))
  await waitFor(() => router.openUpstreamSockets() === 0)
  expect((await fetch(`${router.url}/health`)).status).toBe(200)
  expect(besideRequests(router.stderr())).toEqual([])
})

test("a client that leaves before the answer ends the upstream call", async () => {
  const router = await routerOn(() => {})
  const controller = new AbortController()
  const pending = fetch(`${router.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(userMessage("hi")),
    signal: controller.signal,
  }).catch(() => "left")
  await waitFor(() => router.openUpstreamSockets() === 1)
  controller.abort()
  expect(await pending).toBe("left")
  await waitFor(() => router.openUpstreamSockets() === 0)
})

test("a slow reader slows the backend down instead of filling the router's memory", async () => {
  let written = 0
  const router = await routerOn(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    const event = chunkOf("x".repeat(50_000))
    const closed = once(response, "close")
    while (!response.destroyed && written < 400_000_000) {
      written += event.length
      if (!response.write(event)) await Promise.race([once(response, "drain"), closed])
    }
  })
  const { hostname, port } = new URL(router.url)
  const body = JSON.stringify(stream)
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    ),
  )
  socket.pause()
  await sleep(1500)
  const afterPause = written
  await sleep(500)
  expect(written).toBe(afterPause)
  expect(afterPause).toBeLessThan(50_000_000)
  socket.destroy()
})

test("a router that is told to stop finishes what runs and accepts nothing more", async () => {
  const router = await routerOn(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const word of ["one ", "two ", "three "]) {
      response.write(chunkOf(word))
      await sleep(150)
    }
    response.end("data: [DONE]\n\n")
  })
  const running = await router.ask(stream)
  const stopped = router.stop()
  await waitFor(async () =>
    fetch(`${router.url}/health`).then(
      () => false,
      () => true,
    ),
  )
  expect(await running.text()).toMatch(/one .*two .*three .*\[DONE\]/s)
  expect(await stopped).toBe(0)
})
