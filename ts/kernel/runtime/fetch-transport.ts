// Calls backends through the host's `fetch`: edge hosts, Deno, and anything without an HTTP client of its own.

import { RtrError, secondsText, upstreamFault } from "../error.ts"
import type { Transport, TransportRequest, TransportResponse } from "../types/transport.ts"

export function createFetchTransport(send: typeof fetch = globalThis.fetch): Transport {
  return {
    request: (request) => requestOnce(request, send),
    close: async () => {},
  }
}

/** Timers hold 31 bits and fire at once when given more. */
const longestTimerMs = 2 ** 31 - 1

async function requestOnce(request: TransportRequest, send: typeof fetch): Promise<TransportResponse> {
  if (request.socketPath !== undefined)
    throw new RtrError("upstream_unavailable", "this host cannot connect to Unix sockets")
  const controller = new AbortController()
  let timedOut = false
  const onAbort = (): void => controller.abort()
  if (request.signal?.aborted === true) onAbort()
  request.signal?.addEventListener("abort", onAbort, { once: true })
  const timer = setTimeout(
    () => {
      timedOut = true
      controller.abort()
    },
    Math.min(request.headersTimeoutMs, longestTimerMs),
  )
  // How far it came when it fails is not told, so it may have reached the backend.
  request.onSent?.()
  try {
    const response = await send(request.url, {
      method: request.method,
      headers: { ...request.headers },
      signal: controller.signal,
      redirect: "manual",
      ...(request.body !== undefined && { body: request.body }),
    })
    return toResponse(response, request, controller)
  } catch (cause) {
    if (request.signal?.aborted === true) throw new RtrError("client_closed_request", "the client left", { cause })
    if (timedOut)
      throw new RtrError("upstream_timeout", `no answer within ${secondsText(request.headersTimeoutMs)}`, { cause })
    throw new RtrError("upstream_unavailable", "the connection failed", { cause })
  } finally {
    clearTimeout(timer)
  }
}

function toResponse(response: Response, request: TransportRequest, controller: AbortController): TransportResponse {
  const reader = response.body?.getReader()
  let over = reader === undefined
  const cancel = (): void => {
    if (over) return
    over = true
    controller.abort()
  }
  const pull = async (): Promise<Uint8Array | undefined> => {
    if (reader === undefined || over) return undefined
    try {
      const { value, done } = await withTimeout(reader.read(), request)
      if (done) over = true
      return done ? undefined : value
    } catch (cause) {
      cancel()
      if (cause instanceof RtrError) throw cause
      if (request.signal?.aborted === true) throw new RtrError("client_closed_request", "the client left", { cause })
      throw upstreamFault("the connection broke in the middle of the reply", cause)
    }
  }
  let headerList: readonly string[] | undefined

  return {
    status: response.status,
    get headerList() {
      return (headerList ??= [...response.headers].flat())
    },
    header: (name) => response.headers.get(name) ?? undefined,
    pull,
    cancel,
    async text(maxBytes, hold) {
      const decoder = new TextDecoder()
      let text = ""
      let size = 0
      for (let piece = await pull(); piece !== undefined; piece = await pull()) {
        size += piece.length
        if (size > maxBytes) {
          cancel()
          throw upstreamFault(`the reply is larger than ${maxBytes} bytes`)
        }
        try {
          hold?.(piece.length)
        } catch (error) {
          cancel()
          throw error
        }
        text += decoder.decode(piece, { stream: true })
      }
      return text + decoder.decode()
    },
  }
}

async function withTimeout<Value>(work: Promise<Value>, { bodyTimeoutMs }: TransportRequest): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RtrError("upstream_timeout", `the reply paused for more than ${secondsText(bodyTimeoutMs)}`)),
      Math.min(bodyTimeoutMs, longestTimerMs),
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
