// Errors in the shape of the Responses API, whose error object is that of chat completions.

import { errorBody, failureBody, readError as readObject } from "../chat-completions/errors.ts"
import type { RtrError, UpstreamFailure, WireObject } from "../../../kernel/index.ts"
import { namedEvent } from "../dialect/named-event.ts"
import { isText } from "../dialect/wire.ts"

export { errorBody, failureBody }

/** What an upstream's error object or error event says; undefined for another body. */
export function readError(body: WireObject): Pick<UpstreamFailure, "message" | "code"> | undefined {
  const { type, message, code } = body
  if (type === "error" && isText(message)) return { message, code: isText(code) ? code : undefined }
  return readObject(body)
}

/** The event that ends a stream of which this was the last event, as it came. Without one it is the first. */
export const errorEventAfter = (error: RtrError, requestId: string, last = ""): Uint8Array =>
  // Inside a string of JSON the quotes would be escaped.
  errorEvent(error, requestId, Number(/"sequence_number"\s*:\s*(\d{1,15})/.exec(last)?.[1] ?? -1) + 1)

/** The event that ends a stream, with its number. */
export function errorEvent({ code, message }: RtrError, requestId: string, sequence: number): Uint8Array {
  const event = { type: "error", sequence_number: sequence, code, message, param: null, request_id: requestId }
  return new TextEncoder().encode(namedEvent(event))
}
