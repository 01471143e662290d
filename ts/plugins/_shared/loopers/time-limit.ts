// Runs a call that may not take longer than a time.

import { RtrError } from "../../../kernel/index.ts"

/** The signal aborts after the time, until the call has its reply. Without a time nothing ends it. */
export async function withTimeLimit<Result>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal | undefined) => Promise<Result>,
): Promise<Result> {
  if (timeoutMs === undefined) return work(undefined)
  const limit = new AbortController()
  const timer = setTimeout(
    () => limit.abort(new RtrError("upstream_timeout", `No reply within ${timeoutMs / 1000} seconds`)),
    timeoutMs,
  )
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
  }
}
