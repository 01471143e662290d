// Tries again what may go well the next time: cut or stalled connections, 429 and 5xx.

import { RtrError } from "../../kernel/index.ts"
import type { HubSettings } from "./settings.ts"

/** Thrown by an attempt that may be repeated. */
export class TryAgain extends Error {
  /** Milliseconds that the server asked for. */
  readonly waitMs: number | undefined
  /** Whether the attempt got further than the one before, so that the count starts anew. */
  readonly progressed: boolean

  constructor(reason: string, details: { waitMs?: number | undefined; progressed?: boolean; cause?: unknown } = {}) {
    super(reason, { cause: details.cause })
    this.waitMs = details.waitMs
    this.progressed = details.progressed ?? false
  }
}

/** A server that asks for a longer wait is an error. */
const longestAskedWaitMs = 300_000

/**
 * Runs attempts until one succeeds or throws something else than `TryAgain`.
 * Rejects with `upstream_unavailable` when `settings.attempts` in a row got nowhere.
 */
export async function withRetries<Value>(
  settings: HubSettings,
  action: string,
  attempt: () => Promise<Value>,
  notice?: (message: string) => void,
): Promise<Value> {
  for (let failures = 0; ;) {
    try {
      return await attempt()
    } catch (cause) {
      if (!(cause instanceof TryAgain)) throw cause
      failures = cause.progressed ? 1 : failures + 1
      const waitMs = cause.waitMs ?? Math.min(settings.firstWaitMs * 2 ** (failures - 1), settings.longestWaitMs)
      if (waitMs > longestAskedWaitMs)
        throw new RtrError(
          "upstream_unavailable",
          `Cannot ${action}: ${cause.message} and asks to wait ${Math.round(waitMs / 1000)} s`,
          { cause, retryAfterSeconds: Math.round(waitMs / 1000) },
        )
      if (failures >= settings.attempts)
        throw new RtrError("upstream_unavailable", `Cannot ${action}: ${cause.message}; tried ${failures} times`, {
          cause,
        })
      if (waitMs >= 1000) notice?.(`${cause.message}; next try in ${Math.round(waitMs / 1000)} s`)
      // Up to a quarter more, so that many workers do not come back at the same moment.
      await settings.wait(waitMs * (1 + Math.random() / 4))
    }
  }
}

/** Milliseconds of a `Retry-After` header, which is a number of seconds or a date; undefined when it is neither. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
