// One HTTP listener on Node: limits, errors in words, and a graceful end.

import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import type { BodyPace } from "./node-http/body-source.ts"
import { ClientSignal } from "./node-http/client-signal.ts"
import { IncomingRequest } from "./node-http/incoming-request.ts"
import { inTurn, isServing, type Turn } from "./node-http/one-at-a-time.ts"
import { type Exchange, type ExchangeServer, sendFailure, sendResponse } from "./node-http/send-response.ts"
import { watchWrites } from "./node-http/write-stall.ts"

export interface OpenListener {
  readonly url: string
  close(graceMs: number): Promise<void>
}

/** Milliseconds and bytes. */
export interface ListenerLimits extends BodyPace {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** A client that is answered before it has sent its whole body has this long to stop. */
  readonly lingerMs: number
  /** A client that takes nothing of its reply for this long is dropped. */
  readonly writeStallMs: number
  readonly maxHeadBytes: number
}

/** Most connections of one listener; more are refused instead of exhausting the process. */
const maxConnections = 50_000

/** A client has this long to send its headers and its body; replies may take as long as the upstream needs. */
export const defaultLimits: ListenerLimits = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 30_000,
  writeStallMs: 30_000,
  bodyWindowMs: 15_000,
  minBodyBytes: 16 * 1024,
  maxHeadBytes: 60 * 1024,
}

/** Time-outs are looked at this often at most. */
const sweepMs = 1000

export interface ListenerOptions {
  readonly limits?: ListenerLimits
  /** Told the status of each request that was answered before the app could see it, because its head cannot be read. */
  readonly onUnreadable?: (status: number) => void
}

/** Resolves when the port is open. Rejects with `unavailable` when it cannot be. */
export async function openListener(
  app: ListenerApp,
  address: string,
  port: number,
  { limits = defaultLimits, onUnreadable }: ListenerOptions = {},
): Promise<OpenListener> {
  const state = { ...limits, isClosing: false }
  const server = createServer({
    noDelay: true,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeadBytes,
    connectionsCheckingInterval: Math.min(sweepMs, limits.headersTimeoutMs / 4, limits.requestTimeoutMs / 4),
  })
  const answer = answerWith(app)
  server.on("request", (incoming, outgoing) => answer(createExchange(incoming, outgoing, state)))
  // The body is asked for when somebody reads it, so that a refused client does not send it.
  server.on("checkContinue", (incoming, outgoing) =>
    answer({ ...createExchange(incoming, outgoing, state), waitsForContinue: true }),
  )
  server.on("checkExpectation", (_, outgoing) => {
    outgoing.writeHead(417, { connection: "close" }).end()
    onUnreadable?.(417)
  })
  server.maxConnections = maxConnections
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    if (onUnreadable !== undefined)
      socket.on("error", (error: NodeJS.ErrnoException) => {
        const status = statusOfUnreadable(error.code)
        // A request that has begun tells of its end itself, and a connection that carried nothing brought no request.
        if (status !== undefined && socket.bytesRead > 0 && !isServing(socket)) onUnreadable(status)
      })
  })
  const stopWatching = watchWrites(sockets, limits.writeStallMs)
  server.on("close", stopWatching)
  await listen(server, address, port)
  // A connection that cannot be accepted is lost; the others go on.
  server.on("error", () => {})
  return {
    url: urlOf(server.address() as AddressInfo),
    async close(graceMs) {
      state.isClosing = true
      await closeGracefully(server, sockets, graceMs)
    },
  }
}

/** What node:http has answered by itself when a connection fails with this code; undefined where the connection itself failed. */
function statusOfUnreadable(code = ""): number | undefined {
  if (code === "HPE_HEADER_OVERFLOW") return 431
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return 408
  return code.startsWith("HPE_") ? 400 : undefined
}

/** Makes a listener for your own `http.createServer` from a kernel. */
export function toNodeListener(kernel: ListenerApp): RequestListener {
  const state: ExchangeServer = { ...defaultLimits, isClosing: false }
  const answer = answerWith(kernel)
  return (incoming, outgoing) => answer(createExchange(incoming, outgoing, state))
}

function createExchange(incoming: Exchange["incoming"], outgoing: Exchange["outgoing"], server: ExchangeServer): Turn {
  return { incoming, outgoing, client: new ClientSignal(), waitsForContinue: false, dropsRest: false, server }
}

/** The step from a request to its reply, made once for a listener. */
function answerWith(app: ListenerApp): (exchange: Turn) => void {
  const beginOne = (exchange: Exchange): void => begin(app, exchange)
  return (exchange) => inTurn(exchange, beginOne)
}

function begin(app: ListenerApp, exchange: Exchange): void {
  try {
    const response = app.fetch(new IncomingRequest(exchange) as unknown as Request)
    if (!(response instanceof Promise)) return sendResponse(exchange, response)
    response.then(
      (done) => sendResponse(exchange, done),
      () => sendFailure(exchange),
    )
  } catch {
    sendFailure(exchange)
  }
}

const urlOf = ({ address, port }: AddressInfo): string =>
  `http://${address.includes(":") ? `[${address}]` : address}:${port}`

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException): void => {
      const reason =
        cause.code === "EADDRINUSE"
          ? "the port is in use; stop the other program, or choose another port under listeners, under global.services.management_api, or with --metrics-port"
          : cause.code === "EACCES"
            ? "this user may not open it"
            : cause.message
      reject(new RtrError("unavailable", `Cannot listen on ${address}:${port}: ${reason}`, { cause }))
    }
    server.once("error", onError)
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off("error", onError)
      resolve()
    })
  })
}

/** Refuses new connections, waits for running requests, and drops each connection as soon as it is idle. */
function closeGracefully(server: Server, sockets: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  // node:http takes a connection that has never carried anything for a busy one.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), idlePollMs)
    const force = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

const idlePollMs = 50
