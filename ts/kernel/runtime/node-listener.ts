// One HTTP listener on Node: limits, errors in words, and a graceful end.

import type { RequestListener } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { toNodeHandler } from "srvx/node"
import { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import { ServerConnection, type ServerLimits, type ServerState } from "./http1/server-connection.ts"

export interface OpenListener {
  readonly url: string
  close(graceMs: number): Promise<void>
}

/** Most connections of one listener; more are refused instead of exhausting the process. */
const maxConnections = 50_000

/** A client has this long to send its headers and its body; replies may take as long as the upstream needs. */
const defaultLimits: ServerLimits = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 65_000,
  lingerMs: 30_000,
  maxHeadBytes: 60 * 1024,
}

/** Time-outs are looked at this often at most. */
const sweepMs = 1000

/** Resolves when the port is open. Rejects with `unavailable` when it cannot be. */
export async function openListener(
  app: ListenerApp,
  address: string,
  port: number,
  limits: ServerLimits = defaultLimits,
): Promise<OpenListener> {
  const state: ServerState = { app, limits, now: performance.now(), closing: false }
  const connections = new Set<ServerConnection>()
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = new ServerConnection(socket, state)
    connections.add(connection)
    socket.once("close", () => connections.delete(connection))
  })
  server.maxConnections = maxConnections
  await listen(server, address, port)
  // A connection that cannot be accepted is lost; the others go on.
  server.on("error", () => {})
  const sweep = setInterval(
    () => {
      state.now = performance.now()
      for (const connection of connections) if (connection.deadline <= state.now) connection.onDeadline()
    },
    Math.min(sweepMs, limits.headersTimeoutMs / 4, limits.requestTimeoutMs / 4, limits.keepAliveTimeoutMs / 4),
  )
  sweep.unref()
  return {
    url: urlOf(server.address() as AddressInfo),
    async close(graceMs) {
      state.closing = true
      await closeGracefully(server, connections, graceMs)
      clearInterval(sweep)
    },
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
function closeGracefully(server: Server, connections: ReadonlySet<ServerConnection>, graceMs: number): Promise<void> {
  const closeIdle = (): void => connections.forEach((connection) => connection.closeIfIdle())
  return new Promise((resolve) => {
    const idle = setInterval(closeIdle, idlePollMs)
    const force = setTimeout(() => connections.forEach(({ socket }) => socket.destroy()), graceMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(force)
      resolve()
    })
    closeIdle()
  })
}

const idlePollMs = 50

/** Makes a listener for your own `http.createServer` from a kernel. */
export function toNodeListener(kernel: ListenerApp): RequestListener {
  return toNodeHandler((request) => kernel.fetch(request)) as RequestListener
}
