// Errors in the shape of chat completions.

import type { JsonValue, RtrError, UpstreamFailure, WireObject } from "../../../kernel/index.ts"
import { inferenceErrorBody, writeEvent } from "../../../kernel/index.ts"
import { isObject, isText } from "../dialect/wire.ts"
import { dialectId } from "./wire.ts"

/** The error object of the API with the request id, under which the router's log has it. */
export const errorBody: (error: RtrError, requestId: string) => WireObject = inferenceErrorBody

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

/** An upstream's error keeps its fields and gains the request id. One of another shape gets the type of its status. */
export function failureBody({ message, status, code, original }: UpstreamFailure, requestId: string): WireObject {
  const error = sameShape.has(original?.dialect) ? original?.body["error"] : undefined
  if (!isObject(error)) return inferenceErrorBody({ message, status, code: code ?? codeOfStatus(status) }, requestId)
  const { details } = error
  return {
    ...original?.body,
    error: { ...error, details: { ...(isObject(details) && details), request_id: requestId } },
  }
}

/** The API has no code for most bad requests. For failures of a backend it is the router's own. */
function codeOfStatus(status: number): string | null {
  if (status === 429) return "rate_limit_exceeded"
  return status >= 500 ? "upstream_error" : null
}
