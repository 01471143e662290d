// What the log says about finished calls: a line for each, and a warning for each call of a backend that failed.

import { type Attempt, type CallRecord, isRtrError, levelOf, type UnroutedRequest } from "rtr"
import type { Logger } from "./logger.ts"
import { throttled } from "./throttled.ts"

export interface RequestLog {
  readonly onRecord: (record: CallRecord) => void
  readonly onUnrouted: (request: UnroutedRequest) => void
  /** Writes the counts that wait. */
  end(): void
}

export function createRequestLog(logger: Logger): RequestLog {
  const failed = throttled<Failure>(({ id, attempt }, failures) => {
    const { backend, model, status, error, startMs, endMs = startMs } = attempt
    logger.event("warning", "attempt_failed", {
      backend,
      model,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error: error.code }),
      ...reasonOf(attempt),
      ms: Math.round(endMs - startMs),
      request_id: id,
      ...(failures > 1 && { failures }),
    })
  })
  // Anybody can send what is refused before its call begins, as often as the network carries it.
  const refused = throttled<UnroutedRequest>((request, requests) => {
    logger.event(levelOf(request), "request_refused", { ...fieldsOf(request), ...(requests > 1 && { requests }) })
  })
  return {
    onUnrouted(request) {
      const { listener, kind, path, status, error, open } = request
      // A reply that only says "not ready" has a status above 400 and no error.
      if (error !== undefined && !open) return refused(`${listener} ${path} ${status} ${error}`, request)
      const isProbe = open || kind !== "inference"
      logger.served(isProbe ? "debug" : "info", "request", () => fieldsOf(request))
    },
    onRecord(record) {
      logger.request(record)
      for (const attempt of record.attempts)
        if (isFailure(attempt)) {
          const { backend, model, status, error } = attempt
          failed(`${model} ${backend} ${status} ${error?.code}`, { id: record.id, attempt })
        }
    },
    end() {
      failed.end()
      refused.end()
    },
  }
}

function fieldsOf(request: UnroutedRequest): Readonly<Record<string, unknown>> {
  const { id, listener, method, path, key, status, error, totalMs } = request
  return {
    ...(id !== undefined && { id }),
    listener,
    ...(method !== undefined && { method: /^[A-Z]{1,16}$/.test(method) ? method : "other" }),
    ...(path !== undefined && { path }),
    ...(key !== undefined && { key }),
    status,
    ...(error !== undefined && { error }),
    total_ms: Math.round(totalMs * 100) / 100,
  }
}

interface Failure {
  readonly id: string
  readonly attempt: Attempt
}

/** A client that leaves is no failure of the backend. */
const isFailure = ({ status, error }: Attempt): boolean =>
  error === undefined ? status !== undefined && status >= 400 : error.code !== "client_closed_request"

/**
 * The system's own code says more than our words: whether nobody listens, the name is unknown, or a certificate is wrong. Messages
 * may quote the backend; reasons are fixed words.
 */
function reasonOf({ status, error }: Attempt): { readonly reason?: string } {
  if (status === 401 || status === 403) return { reason: "the backend refused the router's credentials" }
  let fixed: string | undefined
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (isRtrError(cause)) {
      fixed ??= cause.reason
      continue
    }
    const code: unknown = "code" in cause ? cause.code : undefined
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return { reason: code }
  }
  return fixed === undefined ? {} : { reason: fixed }
}
