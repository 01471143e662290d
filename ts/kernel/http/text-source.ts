// A long text as bytes piece by piece, so that it never stands in memory a second time.

import type { ByteSource } from "../types/byte-source.ts"

/** Code units of one piece, at most 48 KiB. */
const pieceUnits = 16 * 1024

export class TextSource implements ByteSource {
  readonly text: string
  readonly #onEnd: () => void
  #at = 0

  /** `onEnd` runs once, when the text is given away whole or nobody reads the rest. */
  constructor(text: string, onEnd: () => void) {
    this.text = text
    this.#onEnd = onEnd
  }

  pull(): Uint8Array | undefined {
    const { text } = this
    if (this.#at >= text.length) return this.cancel()
    let end = this.#at + pieceUnits
    // Both halves of a character stay together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1
    const piece = encoder.encode(text.slice(this.#at, end))
    this.#at = end
    return piece
  }

  cancel(): undefined {
    if (this.#at === Infinity) return
    this.#at = Infinity
    this.#onEnd()
  }
}

const encoder = new TextEncoder()
