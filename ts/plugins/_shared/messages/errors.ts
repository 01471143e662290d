// Errors in the shape of the Messages API.

import { RtrError, type UpstreamFailure, type WireObject } from "../../../kernel/index.ts"
import { namedEvent } from "../dialect/named-event.ts"
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

interface ErrorFields extends Pick<UpstreamFailure, "message" | "code"> {
  readonly status: number
}

/** An error of the API. The vendor's clients look for a code under `details`; a backend's error about the request may have none. */
export const writeError = ({
  status,
  message,
  code = status >= 500 ? "upstream_error" : undefined,
}: ErrorFields): WireObject => ({
  type: "error",
  error: {
    type: types[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"),
    message,
    ...(code !== undefined && { details: { error_code: code } }),
  },
})

/** A conversation that the vendor should keep goes to another backend. By the code its clients know to send the whole conversation. */
export class ThreadUnsupported extends RtrError {
  constructor({ code, message }: RtrError) {
    super(code, message)
  }
}

/** The vendor's clients show the request id. */
export const errorBody = (error: RtrError, requestId: string): WireObject => ({
  ...writeError({
    status: error.status,
    message: error.message,
    code: error instanceof ThreadUnsupported ? "thread_unsupported_request" : error.code,
  }),
  request_id: requestId,
})

export const errorEvent = (error: RtrError, requestId: string): Uint8Array =>
  new TextEncoder().encode(namedEvent(errorBody(error, requestId)))

/** What an upstream's error object says; undefined for another body. */
export function readError({ error }: WireObject): Pick<UpstreamFailure, "message" | "code"> | undefined {
  if (isText(error)) return { message: error }
  if (!isObject(error) || !isText(error["message"])) return undefined
  const { message, details } = error
  const code = isObject(details) ? details["error_code"] : undefined
  return { message, code: isText(code) ? code : undefined }
}

/** An upstream's error keeps its fields and gains the request id. */
export function failureBody(failure: UpstreamFailure, requestId: string): WireObject {
  const { original } = failure
  const isOwn = original?.dialect === dialectId && isObject(original.body["error"])
  return { ...(isOwn ? original.body : writeError(failure)), request_id: requestId }
}
