// An error as a client sees it. Unknown errors leave without detail.

import { isRtrError, RtrError } from "../error.ts"
import { managementCodeOf } from "./management-error.ts"
import type { WireObject } from "../types/dialect.ts"
import { textResponse } from "./response.ts"

/**
 * Anything thrown, as an `RtrError` that may be shown. Messages about broken modules have names and files of the router: they
 * are for operators.
 */
export function toPublicError(error: unknown, isForOperators = false): RtrError {
  if (!isRtrError(error))
    return new RtrError("internal_error", "Something went wrong inside the router; its log has the request id")
  return error.code !== "invalid_module" || isForOperators
    ? error
    : new RtrError("invalid_module", "A module of the router does not work; the router's log says which")
}

const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
}

/** What the error object of chat completions tells. */
export interface InferenceErrorFields {
  readonly message: string
  readonly status: number
  readonly code: string | null
}

/** The error object of chat completions, with the request id. It is the body where no dialect has one of its own. */
export function inferenceErrorBody({ message, status, code }: InferenceErrorFields, requestId: string): WireObject {
  const type = errorTypes[status] ?? (status >= 500 ? "server_error" : "invalid_request_error")
  return { error: { message, type, code, param: null, details: { request_id: requestId } } }
}

/** Body of the management listener. */
export function managementErrorBody(error: RtrError, requestId: string): object {
  return {
    error: {
      code: managementCode(error),
      message: error.message,
      timestamp: new Date().toISOString(),
      request_id: requestId,
    },
  }
}

/** The management API writes its codes in capitals, and some under names of their own. */
function managementCode(error: RtrError): string {
  const own = managementCodeOf(error)
  if (own !== undefined) return own
  const named: Partial<Record<RtrError["code"], string>> = {
    invalid_request: "INVALID_INPUT",
    request_too_large: "REQUEST_BODY_TOO_LARGE",
    model_not_found: "INVALID_ROUTING_MODEL",
    deadline_exceeded: "REQUEST_TIMEOUT",
  }
  return named[error.code] ?? error.code.toUpperCase()
}

export function errorResponse(
  error: RtrError,
  body: object,
  {
    requestId,
    headers: more = {},
  }: { readonly requestId: string; readonly headers?: Readonly<Record<string, string>> },
): Response {
  const headers: Record<string, string> = { ...more, "content-type": "application/json", "x-request-id": requestId }
  if (error.retryAfterSeconds !== undefined) headers["retry-after"] = String(error.retryAfterSeconds)
  if (error.status === 401) headers["www-authenticate"] = "Bearer"
  return textResponse(JSON.stringify(body), error.status, headers)
}
