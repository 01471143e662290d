// One configuration in service. Requests lease it; it is closed when it has been replaced and the last lease has ended.

import type { MaybePromise } from "../types/module-base.ts"

export interface Generation<Content> {
  /** Counts activations, from 1. */
  readonly version: number
  /** SHA-256 of the document's bytes, hex. */
  readonly hash: string
  readonly content: Content
  /** Keeps the generation open until the returned function is called. */
  lease(): () => void
  /** No new request gets it. Resolves when the last lease has ended and everything is closed. */
  retire(): Promise<void>
}

export function createGeneration<Content>(
  version: number,
  hash: string,
  content: Content,
  close: (content: Content) => MaybePromise<void>,
): Generation<Content> {
  let leases = 0
  let retired = false
  let idle: () => void = () => {}
  let closing: Promise<void> | undefined
  const closeWhenIdle = async (): Promise<void> => {
    if (leases > 0) await new Promise<void>((resolve) => (idle = resolve))
    await close(content)
  }
  return {
    version,
    hash,
    content,
    lease() {
      leases += 1
      let released = false
      return () => {
        if (released) return
        released = true
        leases -= 1
        if (leases === 0 && retired) idle()
      }
    },
    retire() {
      retired = true
      closing ??= closeWhenIdle()
      return closing
    },
  }
}
