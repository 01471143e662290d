// Clients on real sockets: one that reads what comes, one that takes its time, one that never reads, one that leaves.

import { type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
  /** The body had its end. */
  readonly isWhole: boolean
}

/** Sends a chat request and reads the whole answer; a slow client pauses between its reads. */
export function readAnswer(url: string, body: object, isSlow: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const outgoing = request(
      `${url}/v1/chat/completions`,
      {
        method: "POST",
        agent: false,
        maxHeaderSize: 16_384,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) },
      },
      (response) => {
        const pieces: Buffer[] = []
        let pauses = 20
        response.on("data", (piece: Buffer) => {
          pieces.push(piece)
          if (!isSlow || pauses-- <= 0) return
          response.pause()
          setTimeout(() => response.resume(), 10)
        })
        response.on("error", () => {})
        response.once("close", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
            isWhole: response.complete,
          }),
        )
      },
    )
    outgoing.once("error", reject)
    outgoing.end(text)
  })
}

/**
 * Sends a chat request and, once its backend has it, does what `behaviour` says; the connection is gone when this
 * resolves.
 */
export async function askAndLeave(
  url: string,
  body: object,
  behaviour: "never-reads" | "leaves",
  atBackend: () => Promise<unknown>,
): Promise<void> {
  const socket = sendChat(url, body)
  if (behaviour === "never-reads") {
    socket.pause()
    await atBackend()
    await sleep(200)
  } else {
    const firstBytes = new Promise((resolve) => socket.once("data", resolve))
    await atBackend()
    await Promise.race([firstBytes, sleep(40)])
  }
  socket.resetAndDestroy()
}

/** Sends a chat request and stays without reading. Returns how to leave. */
export function askAndStay(url: string, body: object): () => void {
  const socket = sendChat(url, body)
  socket.pause()
  return () => void socket.resetAndDestroy()
}

/** Sends a chat request on a connection of its own. */
export function sendChat(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Socket {
  const { hostname, port } = new URL(url)
  const text = JSON.stringify(body)
  const all = { host: "localhost", "content-type": "application/json", ...headers }
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on("error", () => {})
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\n${Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return socket
}
