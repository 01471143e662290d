// Stands between a client and the router and passes every byte on as it comes; tells what came when.

import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { waitFor } from "./_processes.ts"

export interface Tap {
  readonly url: string
  /** Where requests go from now on. */
  leadTo(url: string): void
  /** Resolves when a client has been sent this text. */
  readonly has: (text: string) => Promise<void>
  readonly requests: { readonly path: string; readonly body: unknown }[]
  /** Answers to chats that were errors. */
  readonly failures: readonly string[]
}

export async function startTap(): Promise<Tap> {
  let target = ""
  let passed = ""
  const requests: Tap["requests"] = []
  const failures: string[] = []
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method, url: path = "", headers } = incoming
    const pieces: Buffer[] = []
    incoming.on("data", (piece: Buffer) => pieces.push(piece))
    incoming.on("end", () => {
      const body = Buffer.concat(pieces)
      if (method === "POST") requests.push({ path, body: JSON.parse(body.toString()) })
      const outgoing = send(`${target}${path}`, { method, headers }, (answer) => {
        const status = answer.statusCode ?? 0
        response.writeHead(status, answer.headers)
        answer.on("data", (piece: Buffer) => {
          const text = piece.toString()
          passed += text
          if (method === "POST" && status >= 400) failures.push(`${path} ${status} ${text}`)
          response.write(piece)
        })
        answer.on("end", () => response.end())
        answer.on("error", () => response.destroy())
      })
      outgoing.on("error", () => response.destroy())
      response.on("close", () => outgoing.destroy())
      outgoing.end(body)
    })
  }
  const server = createServer(pass)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      target = url
    },
    has: (text) => waitFor(() => passed.includes(text)),
    requests,
    failures,
  }
}
