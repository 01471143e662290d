// Tells when the client of a request has left, without the cost of an `AbortSignal` where the host has something lighter.

import type { CancelSignal } from "../types/cancel-signal.ts"

/** Under this name a host puts its own signal on its requests. */
export const ownCancelSignal: unique symbol = Symbol("rtr.cancelSignal")

/** The host's own signal, or the web one. */
export function cancelSignalOf(request: Request): CancelSignal {
  return (request as { readonly [ownCancelSignal]?: CancelSignal })[ownCancelSignal] ?? request.signal
}
