// What one request holds until its reply or stream has ended: its generation, and memory for its body.

import type { HeldMemory } from "./held-memory.ts"

/** Everything that a request holds is taken here and given back here, once. Limits per client belong here too. */
export class RequestLease {
  readonly #release: (() => void) | undefined
  readonly #memory: HeldMemory
  #bytes = 0
  #ended = false

  constructor(acquire: (() => () => void) | undefined, memory: HeldMemory) {
    this.#release = acquire?.()
    this.#memory = memory
  }

  /** Counts bytes of the body. Throws `overloaded` when the listener holds too many. */
  hold(bytes: number): void {
    this.#memory.take(bytes)
    this.#bytes += bytes
  }

  /** May be called at any time, more than once; only the first call counts. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#bytes > 0) this.#memory.giveBack(this.#bytes)
    this.#release?.()
  }
}
