// Errors in the shape of chat completions.

import type { JsonValue, RtrError, UpstreamFailure, WireObject } from "../../../kernel/index.ts"
import { writeEvent } from "../../../kernel/index.ts"
import { isObject, isText } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
}

/** The error object of the API with the request id, under which the router's log has it. */
export function errorBody(error: RtrError, requestId: string): WireObject {
  const type = types[error.status] ?? (error.status >= 500 ? "server_error" : "invalid_request_error")
  return { error: { message: error.message, type, code: error.code, param: null, details: { request_id: requestId } } }
}

export function errorEvent(error: RtrError, requestId: string): Uint8Array {
  return writeEvent(JSON.stringify(errorBody(error, requestId)))
}

/** What an upstream's error object says; undefined for another body. */
export function readError(body: WireObject): Pick<UpstreamFailure, "message" | "type" | "code"> | undefined {
  // vLLM and SGLang have had the fields of an error at the top.
  const error = body["object"] === "error" ? body : body["error"]
  if (isText(error)) return { message: error, type: "upstream_error", code: "upstream_error" }
  if (!isObject(error) || !isText(error["message"])) return undefined
  const { message, type, code } = error
  return { message, type: isText(type) ? type : undefined, code: codeOf(code) }
}

/** Some servers send a status as code. */
function codeOf(code: JsonValue | undefined): string | undefined {
  return isText(code) ? code : typeof code === "number" ? String(code) : undefined
}

/** An upstream's error keeps its fields and gains the request id. */
export function failureBody({ message, type, code, original }: UpstreamFailure, requestId: string): WireObject {
  const error = original?.dialect === dialectId ? original.body["error"] : undefined
  if (original === undefined || !isObject(error))
    return {
      error: {
        message,
        type: type ?? "upstream_error",
        code: code ?? "upstream_error",
        param: null,
        details: { request_id: requestId },
      },
    }
  const { details } = error
  return {
    ...original.body,
    error: { ...error, details: { ...(isObject(details) && details), request_id: requestId } },
  }
}
