// The h3 app of one listener: request id, timing, keys, and the catch of every error.

import { H3 } from "h3"
import { RtrError } from "../error.ts"
import type { RouteOperation, RouteRequest } from "../types/module.ts"
import { createKeyCheck } from "./auth.ts"
import { errorResponse, inferenceErrorBody, managementErrorBody, toPublicError } from "./error-body.ts"

/** One operation with its handler. */
export interface MountedOperation extends RouteOperation {
  readonly handle: (request: RouteRequest) => Response | Promise<Response>
}

export interface AppOptions {
  readonly listener: string
  readonly surface: "inference" | "management"
  readonly apiKeys: readonly string[]
  readonly operations: readonly MountedOperation[]
  /** Told about errors that are bugs, with the request id and never with content. */
  readonly onInternalError?: (error: unknown, requestId: string) => void
}

/** Paths that load balancers probe; they need no key. */
const openPaths: ReadonlySet<string> = new Set(["/health", "/ready"])

export interface ListenerApp {
  fetch(request: Request): Response | Promise<Response>
}

/** Bytes of request bodies that one listener keeps in memory; a parsed body takes a few times as much. */
export const maxHeldBytes = 256 * 1024 * 1024

export function createListenerApp(options: AppOptions): ListenerApp {
  const app = new H3()
  let heldBytes = 0
  const checkKey = createKeyCheck(options.apiKeys)
  const toBody = options.surface === "inference" ? inferenceErrorBody : managementErrorBody

  const answer = async (
    request: Request,
    operation: (request: RouteRequest) => Response | Promise<Response>,
    { open = false, errorHeaders = {} }: { open?: boolean; errorHeaders?: Readonly<Record<string, string>> } = {},
  ): Promise<Response> => {
    const startedAt = performance.now()
    const id = requestId(request)
    let ownBytes = 0
    const hold = (bytes: number): void => {
      if (heldBytes + bytes > maxHeldBytes)
        throw new RtrError("overloaded", "The router holds too many large requests at the moment", {
          retryAfterSeconds: 1,
        })
      heldBytes += bytes
      ownBytes += bytes
    }
    const release = (): void => {
      heldBytes -= ownBytes
      ownBytes = 0
    }
    let streams = false
    const keep = (): (() => void) => {
      streams = true
      return release
    }
    try {
      if (!open) checkKey(request.headers)
      return await operation({ id, request, startedAt, listener: options.listener, hold, keep })
    } catch (error) {
      const known = toPublicError(error)
      if (known.code === "internal_error") options.onInternalError?.(error, id)
      return errorResponse(known, toBody(known, id), { requestId: id, headers: errorHeaders })
    } finally {
      if (!streams) release()
    }
  }

  const paths = new Map<string, MountedOperation[]>()
  for (const operation of options.operations) {
    app.on(operation.method, operation.path, (event) =>
      answer(event.req, operation.handle, { open: openPaths.has(operation.path) }),
    )
    paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation])
  }
  for (const [path, operations] of paths) {
    const methods = operations.map(({ method }) => method).join(", ")
    app.all(path, (event) =>
      answer(
        event.req,
        () => refuse("method_not_allowed", `${event.req.method} is not allowed on ${path}; use ${methods}`),
        { errorHeaders: { allow: methods } },
      ),
    )
  }
  app.all("/**", (event) =>
    answer(event.req, () => refuse("not_found", `There is no ${event.req.method} ${shorten(event.url.pathname)} here`)),
  )
  return { fetch: (request) => app.fetch(request) }
}

function refuse(code: "method_not_allowed" | "not_found", message: string): never {
  throw new RtrError(code, message)
}

const shorten = (path: string): string => (path.length > 100 ? `${path.slice(0, 100)}…` : path)

/** The client's own id when it is short and printable, otherwise a new one. */
function requestId(request: Request): string {
  const sent = request.headers.get("x-request-id")
  return sent !== null && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : crypto.randomUUID()
}
