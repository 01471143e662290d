// What went wrong with a connection, in words for the client.

import { isRtrError, RtrError, upstreamFault } from "../../error.ts"
import { ProtocolError } from "./grammar.ts"

/** How far the exchange had come. */
export type Moment = "connecting" | "waiting" | "reading"

/** Before the headers nothing has been answered yet; after them the reply is broken. */
export function failureOf(cause: unknown, moment: Moment): RtrError {
  if (isRtrError(cause)) return cause
  if (cause instanceof ProtocolError)
    return new RtrError("upstream_error", `its answer is not valid HTTP/1.1: ${cause.message}`, {
      cause,
      reason: "its answer is not valid HTTP/1.1",
    })
  if (moment === "reading") return upstreamFault("the connection broke in the middle of the reply", cause)
  return new RtrError("upstream_unavailable", reasonOf((cause as { code?: unknown } | null)?.code), { cause })
}

function reasonOf(code: unknown): string {
  switch (code) {
    case "ECONNREFUSED":
      return "the connection was refused"
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host name is not known"
    case "ENOENT":
      return "its socket does not exist"
    default:
      return "the connection broke before an answer came"
  }
}
