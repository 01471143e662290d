// What one request holds until its reply or stream has ended: its generation, and memory for its body and its reply.

import { RtrError } from "../error.ts"
import type { HeldMemory } from "./held-memory.ts"

/** Everything that a request holds is taken here and given back here, once. */
export class RequestLease {
  /** Whose share of the memory the request takes. */
  client: unknown
  readonly #release: (() => void) | undefined
  readonly #memory: HeldMemory
  #bytes = 0
  #ended = false
  /** Work that goes on after the reply, and the request itself until it has ended. */
  #holders = 1

  constructor(acquire: (() => () => void) | undefined, memory: HeldMemory) {
    this.#release = acquire?.()
    this.#memory = memory
  }

  /**
   * Counts bytes of memory. Throws `request_too_large` for more than one request may have, and what the memory throws when
   * there is no room.
   */
  readonly hold = (bytes: number): void => {
    // A reply that comes after its client has left is dropped at once.
    if (this.#holders === 0) return
    if (this.#bytes + bytes > this.#memory.largest)
      throw new RtrError(
        "request_too_large",
        `The request or its reply takes more than the ${Math.floor(this.#memory.largest / 2 ** 20)} MiB of memory that one may have in this process`,
      )
    this.#memory.take(bytes, this.client)
    this.#bytes += bytes
  }

  /** May be called at any time, more than once; only the first call counts. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#drop()
  }

  /** Keeps everything until the returned function is called too. */
  retain(): () => void {
    let retained = true
    this.#holders += 1
    return () => {
      if (retained) this.#drop()
      retained = false
    }
  }

  #drop(): void {
    this.#holders -= 1
    if (this.#holders > 0) return
    if (this.#bytes > 0) this.#memory.giveBack(this.#bytes, this.client)
    this.#release?.()
  }
}
