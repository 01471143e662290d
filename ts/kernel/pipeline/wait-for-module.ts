// How long a request waits for what a module does: no longer than its client waits, and not beyond a limit.

import { isRtrError, moduleFault, RtrError, secondsText } from "../error.ts"
import type { CancelSignal } from "../types/cancel-signal.ts"

export interface ModuleLimit {
  /** 0 is no limit. */
  readonly timeoutMs: number
  /** What there is not when the time is over, such as `Selector "knn" did not choose`. */
  readonly missing: string
  /** The time is over. What this makes the module return at once still counts. */
  readonly onLate?: (() => void) | undefined
  /** The module waits for something that has limits of its own, so that its time begins anew. */
  readonly isPaused?: () => boolean
}

/** What a module waits for ends by itself when the client leaves, and closes its part of the record. */
const leavingMs = 50
/** A longer timer would end at once. */
const longestMs = 2 ** 31 - 1
const noLimit: ModuleLimit = { timeoutMs: 0, missing: "" }

/**
 * What `work` resolves to. Rejects with `client_closed_request` a moment after the client has left, and with `deadline_exceeded`
 * when the time is over, if there is a limit. What the module does then changes nothing.
 */
export async function waitForModule<Value>(
  work: Promise<Value>,
  client: CancelSignal,
  { timeoutMs, missing, onLate, isPaused }: ModuleLimit = noLimit,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let onLeft = (): void => {}
  const over = new Promise<never>((_, reject) => {
    const start = (): void => {
      timer = setTimeout(onTime, Math.min(timeoutMs, longestMs))
    }
    const onTime = (): void => {
      if (isPaused?.() === true) return start()
      onLate?.()
      timer = setTimeout(reject, 0, moduleFault(`${missing} within ${secondsText(timeoutMs)}`, "deadline_exceeded"))
    }
    onLeft = () => {
      clearTimeout(timer)
      timer = setTimeout(reject, leavingMs, new RtrError("client_closed_request", "The client left"))
    }
    if (timeoutMs > 0) start()
  })
  if (client.aborted) onLeft()
  else client.addEventListener("abort", onLeft, { once: true })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
    client.removeEventListener("abort", onLeft)
  }
}

/** Whether an error says no more than that the client has left. */
export const hasLeft = (client: CancelSignal, error: unknown): boolean =>
  client.aborted && isRtrError(error) && error.code === "client_closed_request"
