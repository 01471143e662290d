// What a kernel does on every host, tried over real connections. Node has more tests of its own.

import type { Socket } from "node:net"
import { expect, test } from "vitest"
import { type BackendHandler, chunkOf, startTestBackend, type TestBackend, userMessage, waitFor } from "./_processes.ts"
import { sendChat } from "./_raw-clients.ts"

/** A kernel that is served. */
export interface Host {
  readonly url: string
  /** What clients have to send. */
  readonly headers: Readonly<Record<string, string>>
}

/** Asks a host in the way of most clients. */
export const askHost = (
  { url, headers }: Host,
  content: string,
  extra: object = {},
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(userMessage(content, extra)),
    ...init,
  })

// workerd hears of a connection that is closed, and not reset, when it next writes to it.
const leavings = [
  { how: "resets its connection", leave: (socket: Socket) => void socket.resetAndDestroy(), sendsMore: false },
  { how: "closes its connection", leave: (socket: Socket) => void socket.destroy(), sendsMore: true },
]

/** Runs the whole suite; `start` serves a kernel over a backend until the test ends. */
export function hostContract(start: (backend: TestBackend) => Promise<Host>): void {
  const startOver = async (answer: BackendHandler) => {
    const backend = await startTestBackend(answer)
    return { backend, host: await start(backend) }
  }

  test("a stream passes event by event", async () => {
    let sendRest: (() => void) | undefined
    const { host } = await startOver((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(chunkOf("one "))
      sendRest = () => response.end(`${chunkOf("two")}${chunkOf("", "stop")}data: [DONE]\n\n`)
    })
    const reply = await askHost(host, "hello", { stream: true })
    expect(reply.status).toBe(200)
    const reader = (reply.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
    // The backend has sent one event and waits.
    expect((await reader.read()).value).toMatch(/"content":"one "/)
    sendRest?.()
    let rest = ""
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) rest += piece.value
    expect(rest).toMatch(/"content":"two".*data: \[DONE\]\n\n$/s)
  })

  test("a body that is no JSON is refused", async () => {
    const { backend, host } = await startOver(() => expect.unreachable("the backend was asked"))
    const wrong = await askHost(host, "", {}, { body: "{" })
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { type: "invalid_request_error" } }])
    expect(backend.requests).toEqual([])
  })

  test.each(leavings)("the backend hears of a client that $how", async ({ leave, sendsMore }) => {
    let hasHeard = false
    const { host } = await startOver((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(chunkOf("one "))
      const more = sendsMore ? setInterval(() => response.write(chunkOf("more ")), 50) : undefined
      response.once("close", () => {
        clearInterval(more)
        hasHeard = true
      })
    })
    const client = sendChat(host.url, userMessage("hello", { stream: true }), host.headers)
    let read = ""
    client.on("data", (piece: Buffer) => (read += piece.toString()))
    await waitFor(() => read.includes('"content":"one "'))
    leave(client)
    await waitFor(() => hasHeard)
  })
}
