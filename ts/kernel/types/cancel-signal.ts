// What can tell that nobody waits any more: an `AbortSignal`, or something lighter.

/** The part of an `AbortSignal` that the kernel listens to. */
export interface CancelSignal {
  readonly aborted: boolean
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: "abort", listener: () => void): void
}
