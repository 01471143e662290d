// Errors in the shape of the Messages API.

import type { RtrError, UpstreamFailure, WireObject } from "../../../kernel/index.ts"
import { isObject, isText } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
}

const typeOf = (status: number): string => types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error")

/** The error object of the API. The vendor's clients look for a code under `details`, and show the request id. */
export function errorBody(error: RtrError, requestId: string): WireObject {
  const { message, status, code } = error
  return {
    type: "error",
    error: { type: typeOf(status), message, details: { error_code: code } },
    request_id: requestId,
  }
}

export function errorEvent(error: RtrError, requestId: string): Uint8Array {
  return new TextEncoder().encode(`event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`)
}

/** What an upstream's error object says; undefined for another body. */
export function readError({ error }: WireObject): Pick<UpstreamFailure, "message" | "type" | "code"> | undefined {
  if (isText(error)) return { message: error, type: "upstream_error", code: "upstream_error" }
  if (!isObject(error) || !isText(error["message"])) return undefined
  const { message, type, details } = error
  const code = isObject(details) ? details["error_code"] : undefined
  return { message, type: isText(type) ? type : undefined, code: isText(code) ? code : undefined }
}

/** An upstream's error keeps its fields and gains the request id. */
export function failureBody({ status, message, code, original }: UpstreamFailure, requestId: string): WireObject {
  if (original?.dialect === dialectId && isObject(original.body["error"]))
    return { ...original.body, request_id: requestId }
  return {
    type: "error",
    error: { type: typeOf(status), message, details: { error_code: code ?? "upstream_error" } },
    request_id: requestId,
  }
}
