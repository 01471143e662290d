// Notices that a client leaves before its reply is complete.

/**
 * A request whose host says so without an `AbortSignal`, which costs more than routing a request does. A host that cannot
 * gives a plain request.
 */
export interface LeaveAwareRequest {
  onLeave(callback: () => void): void
  left(): boolean
}

const isAware = (request: Request): request is Request & LeaveAwareRequest =>
  typeof (request as Partial<LeaveAwareRequest>).onLeave === "function"

/** Calls back once when the client leaves. */
export function onLeave(request: Request, callback: () => void): void {
  if (isAware(request)) request.onLeave(callback)
  else if (request.signal.aborted) callback()
  else request.signal.addEventListener("abort", callback, { once: true })
}

export function hasLeft(request: Request): boolean {
  return isAware(request) ? request.left() : request.signal.aborted
}
