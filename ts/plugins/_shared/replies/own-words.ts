// Errors of backends in the router's own words, for clients that get nothing unread of what a backend says.

import { type ErrorCode, isRtrError, type Reply, RtrError } from "../../../kernel/index.ts"

/** Runs what asks backends. Neither the reply's headers nor an error holds words of theirs. */
export async function inOwnWords(ask: () => Promise<Reply>): Promise<Reply> {
  const reply = await withOwnErrors(ask)
  const { status } = reply
  const headers = reply.headers && ownHeaders(reply.headers)
  if (reply.kind !== "failure") return { ...reply, headers }
  const { code, original } = reply
  // Without a code and a body of theirs it is the router that says it.
  if (code === undefined && original === undefined) return { ...reply, headers }
  return {
    kind: "failure",
    status,
    headers,
    message: `The backend answered with status ${status}; a guard reads the replies, so what it said is not sent`,
    ...(knownCodes.has(code) && { code }),
  }
}

/** Errors about what a backend sent keep their code, and lose what they quote. */
export async function withOwnErrors<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    return await ask()
  } catch (cause) {
    if (!isRtrError(cause) || !quoting.has(cause.code)) throw cause
    const { code, reason, retryAfterSeconds } = cause
    throw new RtrError(code, reason === undefined ? "No reply from the model" : `No reply from the model: ${reason}`, {
      cause,
      ...(reason !== undefined && { reason }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    })
  }
}

/** The others are about the request, the document or time. */
const quoting: ReadonlySet<ErrorCode> = new Set(["upstream_error", "upstream_unavailable"])

type Headers = Readonly<Record<string, string>>

/** Those that tell when to come back are the backend's, and hold numbers, durations and times. */
const ownHeaders = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !/^retry-after|ratelimit/.test(name) || /^\d[\w.:-]{0,40}$/.test(value),
    ),
  )

/** Codes by which clients tell what to do. */
const knownCodes: ReadonlySet<string | undefined> = new Set([
  "context_length_exceeded",
  "rate_limit_exceeded",
  "insufficient_quota",
  "model_not_found",
  "content_filter",
])
