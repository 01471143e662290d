// Bytes that a reader pulls, without the cost of a web stream or of an async generator.

/** A body piece by piece. The reader's pace is the source's pace. */
export interface ByteSource {
  /**
   * The next piece, at once where it is there already; undefined at the end. One call at a time.
   * Throws or rejects when the body breaks, and nothing comes after that.
   */
  pull(): Uint8Array | undefined | Promise<Uint8Array | undefined>
  /** Says that nobody reads the rest. Does nothing after the end or a second time. */
  cancel(reason?: unknown): void
}
