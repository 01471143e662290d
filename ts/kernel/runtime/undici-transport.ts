// Calls backends and workers through undici's `request`, which serves three times as many requests a second as Node's `fetch`.

import { Agent, type Dispatcher, Pool, request as send } from "undici"
import { RtrError } from "../error.ts"
import type { Transport, TransportRequest, TransportResponse } from "../types/transport.ts"

/** Connections to one origin; more requests wait in line. */
const connections = 1024
const connectTimeoutMs = 10_000

export function createUndiciTransport(): Transport {
  const network = new Agent({ connections, connect: { timeout: connectTimeoutMs }, maxHeaderSize: 64 * 1024 })
  const sockets = new Map<string, Pool>()
  const dispatcherFor = (socketPath: string | undefined): Dispatcher => {
    if (socketPath === undefined) return network
    let pool = sockets.get(socketPath)
    if (pool === undefined) {
      pool = new Pool("http://localhost", { connections, connect: { timeout: connectTimeoutMs, socketPath } })
      sockets.set(socketPath, pool)
    }
    return pool
  }
  return {
    request: (request) => requestOnce(request, dispatcherFor(request.socketPath)),
    async close() {
      await Promise.all([network, ...sockets.values()].map((dispatcher) => dispatcher.destroy()))
    },
  }
}

async function requestOnce(request: TransportRequest, dispatcher: Dispatcher): Promise<TransportResponse> {
  try {
    const { method, url, headers, body, signal, headersTimeoutMs, bodyTimeoutMs } = request
    const response = await send(url, {
      method,
      headers,
      dispatcher,
      headersTimeout: headersTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    })
    return toResponse(response, request)
  } catch (cause) {
    throw toError(cause, request, "before")
  }
}

function toResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  request: TransportRequest,
): TransportResponse {
  // Destroying a body emits an error; without a listener that error would end the process.
  body.on("error", () => {})
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ")
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      // Leaving the loop early destroys the body and with it the connection.
      for await (const piece of body) yield piece as Uint8Array
    } catch (cause) {
      throw toError(cause, request, "after")
    }
  }

  return {
    status: statusCode,
    headers: joined,
    pieces,
    cancel: () => {
      body.destroy()
    },
    async text(maxBytes) {
      const length = Number(joined["content-length"] ?? Number.NaN)
      if (length > maxBytes) {
        body.destroy()
        throw tooLarge(maxBytes)
      }
      // A declared length is enforced by the parser, so the fast path is bounded too.
      if (Number.isFinite(length))
        return body.text().catch((cause: unknown) => Promise.reject(toError(cause, request, "after")))
      const parts: Uint8Array[] = []
      let size = 0
      for await (const piece of pieces()) {
        size += piece.length
        if (size > maxBytes) throw tooLarge(maxBytes)
        parts.push(piece)
      }
      return Buffer.concat(parts).toString()
    },
  }
}

const tooLarge = (maxBytes: number): RtrError =>
  new RtrError("upstream_error", `the reply is larger than ${maxBytes} bytes`)

/** `before` the headers nothing has been answered yet; `after` them the reply is broken. */
function toError(
  cause: unknown,
  { signal, headersTimeoutMs, bodyTimeoutMs }: TransportRequest,
  moment: "before" | "after",
): RtrError {
  if (signal?.aborted === true) return new RtrError("client_closed_request", "the client left", { cause })
  switch ((cause as { code?: unknown } | null)?.code) {
    case "UND_ERR_HEADERS_TIMEOUT":
      return new RtrError("upstream_timeout", `no answer within ${headersTimeoutMs / 1000} seconds`, { cause })
    case "UND_ERR_BODY_TIMEOUT":
      return new RtrError("upstream_timeout", `the reply paused for more than ${bodyTimeoutMs / 1000} seconds`, {
        cause,
      })
    case "UND_ERR_CONNECT_TIMEOUT":
      return new RtrError("upstream_timeout", `no connection within ${connectTimeoutMs / 1000} seconds`, { cause })
    case "ECONNREFUSED":
      return new RtrError("upstream_unavailable", "the connection was refused", { cause })
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new RtrError("upstream_unavailable", "its host name is not known", { cause })
    case "ENOENT":
      return new RtrError("upstream_unavailable", "its socket does not exist", { cause })
    default:
      return moment === "before"
        ? new RtrError("upstream_unavailable", "the connection broke before an answer came", { cause })
        : new RtrError("upstream_error", "the connection broke in the middle of the reply", { cause })
  }
}
