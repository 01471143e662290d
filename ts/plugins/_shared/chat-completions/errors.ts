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

interface ErrorFields extends Pick<UpstreamFailure, "message" | "status"> {
  readonly code: string | null
}

/** The error object of the API with the request id, under which the router's log has it. */
function writeError({ message, status, code }: ErrorFields, requestId: string): WireObject {
  const type = types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error")
  return { error: { message, type, code, param: null, details: { request_id: requestId } } }
}

export const errorBody: (error: RtrError, requestId: string) => WireObject = writeError

export function errorEvent(error: RtrError, requestId: string): Uint8Array {
  return writeEvent(JSON.stringify(errorBody(error, requestId)))
}

/** What an upstream's error object says; undefined for another body. */
export function readError(body: WireObject): Pick<UpstreamFailure, "message" | "code"> | undefined {
  // vLLM and SGLang have had the fields of an error at the top.
  const error = body["object"] === "error" ? body : body["error"]
  if (isText(error)) return { message: error }
  if (!isObject(error) || !isText(error["message"])) return undefined
  const { message, code } = error
  return { message, code: codeOf(code) }
}

/** Some servers send a status as code. */
function codeOf(code: JsonValue | undefined): string | undefined {
  return isText(code) ? code : typeof code === "number" ? String(code) : undefined
}

/** Dialects whose error object is the one of this API. */
const sameShape: ReadonlySet<string | undefined> = new Set([dialectId, "responses"])

/** An upstream's error keeps its fields and gains the request id. One of another shape is named by its status, as this API does. */
export function failureBody({ message, status, code, original }: UpstreamFailure, requestId: string): WireObject {
  const error = sameShape.has(original?.dialect) ? original?.body["error"] : undefined
  if (!isObject(error)) return writeError({ message, status, code: code ?? codeOfStatus(status) }, requestId)
  const { details } = error
  return {
    ...original?.body,
    error: { ...error, details: { ...(isObject(details) && details), request_id: requestId } },
  }
}

/** The API has no code for most of what is wrong with a request. What is wrong with a backend is called as the router calls it. */
function codeOfStatus(status: number): string | null {
  if (status === 429) return "rate_limit_exceeded"
  return status >= 500 ? "upstream_error" : null
}
