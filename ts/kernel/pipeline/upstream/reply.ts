// Reads the reply of a backend into the canonical form, or what it answered instead.

import { parseBackendObject } from "../../chat/backend-json.ts"
import { upstreamFault } from "../../error.ts"
import { nextTurn } from "../../host/turns.ts"
import type { Reply, UpstreamFailure } from "../../types/chat.ts"
import type { WireObject } from "../../types/dialect.ts"
import type { TargetBackend } from "../../types/plan.ts"
import type { TransportResponse } from "../../types/transport.ts"
import type { AttemptOptions } from "./attempt.ts"
import type { ObservedAttempt } from "./observed-attempt.ts"
import { withoutSecrets } from "./error.ts"
import { createUpstreamStream } from "./stream.ts"

/** A whole reply is kept in memory; anything larger than this is no chat reply. */
const maxReplyBytes = 32 * 1024 * 1024
const maxErrorBytes = 256 * 1024
/** A whole reply stands in memory as it came, parsed, and as it leaves. */
const copies = 3

/** The reply of an attempt: whole, as a stream that is pulled, or the failure that the backend answered with. */
export async function readReply(
  response: TransportResponse,
  backend: TargetBackend,
  { call, target, request, readsEvents, maxBytes = maxReplyBytes }: AttemptOptions,
  observed: ObservedAttempt,
): Promise<Reply> {
  const { status } = response
  if (status >= 400 && status < 600) return readFailure(response, backend, target.name, observed)
  const isEmpty = status === 204 || status === 205
  if (isEmpty || status < 200 || status >= 300) {
    response.cancel()
    const reason = isEmpty ? "has no content" : "is no reply"
    throw upstreamFault(`it answered with status ${status}, which ${reason}`)
  }
  const headers = passedHeaders(response.headerList)
  if (mediaTypeOf(response.header("content-type")) === mediaTypeOf(backend.dialect.streamType)) {
    if (request.stream) {
      const client = call.dialect
      const events = readsEvents || backend.dialectId !== client
      const counted = target.pricing && { counted: request }
      const reader = within(observed, "reader", () => backend.dialect.reader({ events, client, ...counted }))
      const stream = createUpstreamStream(response, { reader, model: target.name, observed, secrets: backend.secrets })
      return { kind: "stream", status, stream, dialect: backend.dialectId, headers }
    }
    response.cancel()
    throw upstreamFault("it answered with a stream, but the request asked for none")
  }
  const text = await response.text(maxBytes, (bytes) => call.hold?.(bytes * copies))
  const isLarge = text.length > charactersOfOwnTurn
  if (isLarge) await nextTurn()
  const reply = within(observed, "readReply", () => backend.dialect.readReply(text))
  // It is written now, which takes as long again.
  if (isLarge) await nextTurn()
  observed.firstByte()
  observed.usage(reply.usage)
  observed.end()
  return { kind: "whole", status, reply, headers }
}

/** Runs a function of the backend's dialect. */
function within<Value>({ failedIn }: ObservedAttempt, hook: string, run: () => Value): Value {
  try {
    return run()
  } catch (error) {
    throw failedIn(hook, error)
  }
}

/** A longer reply takes milliseconds to parse, so many that come at once are parsed in a turn of the event loop each. */
const charactersOfOwnTurn = 262_144

/** A content type without its parameters. */
function mediaTypeOf(type = ""): string {
  const end = type.indexOf(";")
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/**
 * About the credentials that the router has at the backend. With the same status a client would take it for its own key, and
 * the backend's text may quote the router's. So it is a fault behind the router: status 502.
 */
const credentialStatuses: ReadonlySet<number> = new Set([401, 403, 407])

/** Another error of an upstream goes on in the client's format, with the same status. */
async function readFailure(
  response: TransportResponse,
  backend: TargetBackend,
  model: string,
  observed: ObservedAttempt,
): Promise<UpstreamFailure> {
  const { status } = response
  const text = withoutSecrets(await response.text(maxErrorBytes).catch(() => ""), backend.secrets)
  observed.firstByte()
  observed.end()
  const headers = passedHeaders(response.headerList)
  if (credentialStatuses.has(status)) {
    const message = `The backend of model "${model}" refused the router's credentials with status ${status}`
    return { kind: "failure", status: 502, headers, message }
  }
  const body = parseFailure(text)
  const said = body && within(observed, "readError", () => backend.dialect.readError(body))
  return {
    kind: "failure",
    status,
    headers,
    ...(said === undefined
      ? { message: `The backend of model "${model}" answered with status ${status}` }
      : { ...said, original: { dialect: backend.dialectId, body: body as WireObject } }),
  }
}

/** Undefined for what is no JSON object: the caller describes the status instead. */
function parseFailure(text: string): WireObject | undefined {
  try {
    return parseBackendObject(text)
  } catch {
    return undefined
  }
}

/** Many clients read 16 KiB of headers and no more. */
const maxPassedHeaders = 20
const maxPassedLength = 200

/** Headers that tell the client when to come back. */
function passedHeaders(list: readonly string[]): Readonly<Record<string, string>> | undefined {
  let passed: Record<string, string> | undefined
  let left = maxPassedHeaders
  for (let at = 0; at < list.length && left > 0; at += 2) {
    const name = list[at] as string
    if (!/^retry-after(?:-ms)?$|(?:^|-)ratelimit(?:-|$)/.test(name)) continue
    const value = list[at + 1] as string
    if (name.length + value.length > maxPassedLength) continue
    ;(passed ??= {})[name] = value
    left -= 1
  }
  return passed
}
