// Calls backends and workers through undici's dispatcher, without the streams that its `request` makes for each reply.

import { Agent, type Dispatcher, Pool } from "undici"
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

function requestOnce(request: TransportRequest, dispatcher: Dispatcher): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const exchange = new Exchange(request, resolve, reject)
    const { method, url, headers, body, signal, headersTimeoutMs, bodyTimeoutMs } = request
    if (signal?.aborted === true) return exchange.cancel()
    try {
      dispatcher.dispatch(
        {
          ...splitUrl(url),
          method,
          headers,
          headersTimeout: headersTimeoutMs,
          bodyTimeout: bodyTimeoutMs,
          ...(body !== undefined && { body }),
        },
        exchange,
      )
    } catch (cause) {
      exchange.onResponseError(undefined, cause)
    }
  })
}

interface Address {
  readonly origin: string
  readonly path: string
}

/** A router calls few addresses, again and again. */
const addresses = new Map<string, Address>()
const maxAddresses = 1000

function splitUrl(url: string): Address {
  let address = addresses.get(url)
  if (address === undefined) {
    const { origin, pathname, search } = new URL(url)
    address = { origin, path: pathname + search }
    if (addresses.size < maxAddresses) addresses.set(url, address)
  }
  return address
}

/** The backend is held up when this much has come that nobody has read. */
const maxUnreadBytes = 64 * 1024

const maxInformational = 16

/** One request with its reply: what undici tells, and what the reader asks for. */
class Exchange implements Dispatcher.DispatchHandler, TransportResponse {
  status = 0
  headers: Readonly<Record<string, string>> = {}
  readonly #request: TransportRequest
  readonly #answered: (response: TransportResponse) => void
  readonly #refused: (error: unknown) => void
  readonly #onAbort = (): void => this.cancel()
  #controller: Dispatcher.DispatchController | undefined
  #unread: Uint8Array[] = []
  #unreadBytes = 0
  #informational = 0
  #state: "waiting" | "reading" | "ended" | "failed" = "waiting"
  #error: unknown
  #wake: (() => void) | undefined

  constructor(
    request: TransportRequest,
    answered: (response: TransportResponse) => void,
    refused: (error: unknown) => void,
  ) {
    this.#request = request
    this.#answered = answered
    this.#refused = refused
    request.signal?.addEventListener("abort", this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The client left while the request waited for a connection.
    if (this.#state === "failed") controller.abort(readerLeft())
  }

  onResponseStart(
    _: unknown,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    // Another answer follows an informational one, which also starts undici's timer anew.
    if (status < 200) {
      this.#informational += 1
      if (this.#informational > maxInformational) this.cancel()
      return
    }
    this.#state = "reading"
    this.status = status
    this.headers = joinHeaders(headers)
    this.#answered(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    this.#unread.push(piece)
    this.#unreadBytes += piece.length
    if (this.#unreadBytes > maxUnreadBytes) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#finish("ended", undefined)
  }

  onResponseError(_: unknown, cause: unknown): void {
    const wasWaiting = this.#state === "waiting"
    this.#finish("failed", toError(cause, this.#request, wasWaiting ? "before" : "after"))
    if (wasWaiting) this.#refused(this.#error)
  }

  #finish(state: "ended" | "failed", error: unknown): void {
    this.#state = state
    this.#error = error
    this.#request.signal?.removeEventListener("abort", this.#onAbort)
    this.#wake?.()
  }

  /** What has come since the last call, waiting for it when that is nothing; empty at the end. */
  async #read(): Promise<readonly Uint8Array[]> {
    while (this.#unread.length === 0) {
      if (this.#state === "failed") throw this.#error
      if (this.#state === "ended") return []
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const pieces = this.#unread
    this.#unread = []
    this.#unreadBytes = 0
    if (this.#controller?.paused === true) this.#controller.resume()
    return pieces
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (let pieces = await this.#read(); pieces.length > 0; pieces = await this.#read()) yield join(pieces)
    } finally {
      this.cancel()
    }
  }

  async text(maxBytes: number): Promise<string> {
    const parts: Uint8Array[] = []
    let size = Number(this.headers["content-length"] ?? 0)
    if (size <= maxBytes) size = 0
    while (size <= maxBytes) {
      const pieces = await this.#read()
      if (pieces.length === 0) return decode(parts)
      for (const piece of pieces) size += piece.length
      parts.push(...pieces)
    }
    this.cancel()
    throw new RtrError("upstream_error", `the reply is larger than ${maxBytes} bytes`)
  }

  cancel(): void {
    if (this.#state === "ended" || this.#state === "failed") return
    if (this.#controller === undefined) this.onResponseError(undefined, readerLeft())
    else this.#controller.abort(readerLeft())
  }
}

const readerLeft = (): Error => new Error("the reader left")

function joinHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ")
  }
  return joined
}

const decoder = new TextDecoder()

const decode = (pieces: readonly Uint8Array[]): string => decoder.decode(join(pieces))

/** Few large pieces cost the readers less than many small ones. */
function join(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)
}

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
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
    case "ERR_INVALID_URL":
      return new RtrError(
        "internal_error",
        "the request cannot be written: its address or one of its headers is invalid",
        {
          cause,
        },
      )
    default:
      return moment === "before"
        ? new RtrError("upstream_unavailable", "the connection broke before an answer came", { cause })
        : new RtrError("upstream_error", "the connection broke in the middle of the reply", { cause })
  }
}
