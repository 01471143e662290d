// A transport for one attempt: it keeps the time-outs of the model, and the attempt can be cancelled.

import { RtrError, secondsText } from "../../../error.ts"
import type { PlannedTimeouts } from "../../../types/plan.ts"
import type { Transport, TransportResponse } from "../../../types/transport.ts"

export interface TimedTransport {
  readonly transport: Transport
  /** The request has gone out on a connection. */
  readonly wasSent: () => boolean
  /** Ends the attempt with this error, whatever it does. */
  cancel(error: RtrError): void
}

/** `leftMs` is what is left of the total time; without it there is no end. */
export function createTimedTransport(
  transport: Transport,
  { connectMs, firstByteMs, idleMs }: PlannedTimeouts,
  leftMs: number | undefined,
): TimedTransport {
  const controller = new AbortController()
  let sent = false
  let reason: RtrError | undefined
  const cancel = (error: RtrError): void => {
    reason ??= error
    controller.abort()
  }
  const late = (ms: number, what: string) => (): void =>
    cancel(new RtrError("upstream_timeout", `no ${what} within ${secondsText(Math.round(ms))}`))
  return {
    wasSent: () => sent,
    cancel,
    transport: {
      async request(request) {
        const startedAt = performance.now()
        const { signal: client } = request
        const onLeft = (): void => controller.abort()
        if (client?.aborted === true) onLeft()
        client?.addEventListener("abort", onLeft, { once: true })
        const total = leftMs === undefined ? undefined : setTimeout(late(leftMs, "whole reply"), leftMs)
        const end = (): void => {
          clearTimeout(total)
          client?.removeEventListener("abort", onLeft)
        }
        try {
          const response = await transport.request({
            ...request,
            signal: controller.signal,
            ...(connectMs !== undefined && { connectTimeoutMs: connectMs }),
            headersTimeoutMs: firstByteMs ?? request.headersTimeoutMs,
            bodyTimeoutMs: idleMs ?? request.bodyTimeoutMs,
            onSent: () => (sent = true),
          })
          sent = true
          const left = firstByteMs === undefined ? undefined : firstByteMs - (performance.now() - startedAt)
          const first =
            left === undefined ? undefined : setTimeout(late(firstByteMs as number, "first byte"), Math.max(left, 0))
          return timedResponse(response, {
            begun: () => clearTimeout(first),
            end: () => {
              clearTimeout(first)
              end()
            },
            errorOf: (cause) => reason ?? cause,
          })
        } catch (cause) {
          end()
          throw reason ?? cause
        }
      },
      close: () => transport.close(),
    },
  }
}

interface Watch {
  /** A part of the body has come. */
  begun(): void
  end(): void
  errorOf(cause: unknown): unknown
}

function timedResponse(response: TransportResponse, { begun, end, errorOf }: Watch): TransportResponse {
  const seen = <Piece extends Uint8Array | undefined>(piece: Piece): Piece => {
    if (piece === undefined) end()
    else begun()
    return piece
  }
  const failed = (cause: unknown): never => {
    end()
    throw errorOf(cause)
  }
  return {
    status: response.status,
    headerList: response.headerList,
    header: (name) => response.header(name),
    pull() {
      try {
        const pulled = response.pull()
        return pulled instanceof Promise ? pulled.then(seen, failed) : seen(pulled)
      } catch (cause) {
        return failed(cause)
      }
    },
    cancel() {
      end()
      response.cancel()
    },
    text: (maxBytes, hold) =>
      response
        .text(maxBytes, (bytes) => {
          begun()
          hold?.(bytes)
        })
        .then((text) => {
          end()
          return text
        }, failed),
  }
}
