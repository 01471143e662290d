// What the shapes in memory have in common.

export interface MemoryHost {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly maxEntries: number
  readonly maxBytes: number
  /** Throws `unavailable` after `close`. */
  readonly checkOpen: () => void
}
