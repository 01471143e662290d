// A closed-loop load generator on raw sockets: each connection sends its next request when the last reply is complete.

import { connect, type Socket } from "node:net"
import { median, quantile } from "../statistics.ts"
import type { Address } from "./address.ts"
import type { PreparedRequest } from "./prepared-request.ts"
import { createReplyReader, type ReplyReader } from "./reply-reader.ts"

export interface LoadOptions {
  readonly address: Address
  readonly connections: number
  readonly seconds: number
  /** Rest of a connection between a reply and its next request, for loads below the limit; none when left out. */
  readonly pauseMs?: number
  /** Called for each request, so that texts need not repeat. */
  readonly nextRequest: () => PreparedRequest
  /** Sees every right reply; for headers that a bench collects. */
  readonly onReply?: (reply: ReplyReader, latencyMs: number) => void
}

export interface LoadResult {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Until the first byte of the body. */
  readonly firstByteP50Ms: number
  readonly firstByteP90Ms: number
  readonly firstByteP99Ms: number
}

/**
 * Sends requests for a time and waits for the replies that are on their way then.
 * Rejects at the first wrong reply: a failure must never count as speed.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = []
  const firstBytes: number[] = []
  const startedAt = performance.now()
  const until = startedAt + options.seconds * 1000
  await Promise.all(
    Array.from({ length: options.connections }, () => runConnection(options, until, latencies, firstBytes)),
  )
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  return {
    requests: latencies.length,
    requestsPerSecond: latencies.length / elapsedSeconds,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
    firstByteP50Ms: median(firstBytes),
    firstByteP90Ms: quantile(firstBytes, 0.9),
    firstByteP99Ms: quantile(firstBytes, 0.99),
  }
}

function runConnection(
  { address, nextRequest, onReply, pauseMs = 0 }: LoadOptions,
  until: number,
  latencies: number[],
  firstBytes: number[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = createReplyReader()
    let request = nextRequest()
    let sentAt = 0
    let firstByteMs = 0
    let finished = false
    const socket: Socket = connect({ ...address, noDelay: true })

    const send = (): void => {
      reader.reset()
      firstByteMs = 0
      sentAt = performance.now()
      socket.write(request.bytes)
    }
    const fail = (reason: string): void => {
      if (finished) return
      finished = true
      socket.destroy()
      reject(new Error(reason))
    }
    const read = (piece: Buffer): void => {
      const complete = reader.push(piece)
      if (firstByteMs === 0 && reader.bodyStarted) firstByteMs = performance.now() - sentAt
      if (!complete) return
      const latencyMs = performance.now() - sentAt
      const wrong = whatIsWrong(reader, request)
      if (wrong !== undefined) return fail(wrong)
      latencies.push(latencyMs)
      firstBytes.push(firstByteMs)
      onReply?.(reader, latencyMs)
      if (performance.now() >= until) {
        finished = true
        socket.destroy()
        return resolve()
      }
      request = nextRequest()
      if (pauseMs === 0) send()
      else setTimeout(send, pauseMs)
    }
    // Connections that rest do not all rest at the same time.
    socket.on("connect", () => (pauseMs === 0 ? send() : void setTimeout(send, Math.random() * pauseMs)))
    socket.on("data", (piece) => {
      try {
        read(piece)
      } catch (error) {
        fail((error as Error).message)
      }
    })
    socket.on("error", (error) => fail(`The connection failed: ${error.message}`))
    socket.on("close", () => {
      if (!finished) fail("The server closed the connection in the middle of the load")
    })
  })
}

function whatIsWrong(reader: ReplyReader, { expected }: PreparedRequest): string | undefined {
  const status = reader.status()
  const body = reader.rawBody()
  if (status !== 200) return `A reply has status ${status}: ${body.toString().slice(0, 500)}`
  const missing = expected.find((text) => !body.includes(text))
  return missing === undefined ? undefined : `A reply lacks ${missing.toString()}: ${body.toString().slice(0, 500)}`
}
