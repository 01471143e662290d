// One HTTP listener on Node: limits, errors in words, and a graceful end.

import type { RequestListener, Server as NodeServer } from "node:http"
import type { Server } from "srvx"
import { serve, toNodeHandler } from "srvx/node"
import { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import { maxBodyBytes } from "../http/body.ts"

export interface OpenListener {
  readonly url: string
  close(graceMs: number): Promise<void>
}

/** Most connections of one listener; more are refused instead of exhausting the process. */
const maxConnections = 50_000

/** Resolves when the port is open. Rejects with `unavailable` when it cannot be. */
export async function openListener(app: ListenerApp, address: string, port: number): Promise<OpenListener> {
  const server = serve({
    fetch: (request) => app.fetch(request),
    hostname: address,
    port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    maxRequestBodySize: maxBodyBytes,
    // A client has this long to send its headers and its body; replies may take as long as the upstream needs.
    node: { headersTimeout: 60_000, requestTimeout: 300_000, keepAliveTimeout: 65_000, maxHeaderSize: 60 * 1024 },
  })
  const http = nodeServer(server)
  http.maxConnections = maxConnections
  await listen(server, http, address, port)
  return {
    url: server.url?.replace(/\/$/, "") ?? `http://${address}:${port}`,
    close: (graceMs) => closeGracefully(http, graceMs),
  }
}

function nodeServer(server: Server): NodeServer {
  const http = server.node?.server
  if (http === undefined) throw new RtrError("internal_error", "The server has no Node server; this is a bug")
  return http as NodeServer
}

async function listen(server: Server, http: NodeServer, address: string, port: number): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    http.once("error", (cause: NodeJS.ErrnoException) => {
      const reason =
        cause.code === "EADDRINUSE"
          ? "the port is in use; stop the other program, or choose another port under listeners, under global.services.management_api, or with --metrics-port"
          : cause.code === "EACCES"
            ? "this user may not open it"
            : cause.message
      reject(new RtrError("unavailable", `Cannot listen on ${address}:${port}: ${reason}`, { cause }))
    })
  })
  await Promise.race([server.serve(), failed])
  await Promise.race([server.ready(), failed])
}

/** Refuses new connections, waits for running requests, and drops each connection as soon as it is idle. */
function closeGracefully(http: NodeServer, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => http.closeIdleConnections(), idlePollMs)
    const force = setTimeout(() => http.closeAllConnections(), graceMs)
    http.close(() => {
      clearInterval(idle)
      clearTimeout(force)
      resolve()
    })
    http.closeIdleConnections()
  })
}

const idlePollMs = 50

/** Makes a listener for your own `http.createServer` from a kernel. */
export function toNodeListener(kernel: ListenerApp): RequestListener {
  return toNodeHandler((request) => kernel.fetch(request)) as RequestListener
}
