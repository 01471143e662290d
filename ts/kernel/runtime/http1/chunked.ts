// Takes the frames of a chunked body off, byte by byte and without leniency.

import { ProtocolError } from "./grammar.ts"

type State =
  | "size"
  | "extension"
  | "size-end"
  | "data"
  | "data-return"
  | "data-end"
  | "line"
  | "trailer"
  | "trailer-end"
  | "last"
  | "done"

const lineFeed = 10
const carriageReturn = 13
const semicolon = 59

/** The largest size of thirteen hexadecimal digits is exact as a number. */
const maxDigits = 13
/** Of extensions in one chunk, and of all trailers together; nobody uses either for more. */
const maxExtraBytes = 16 * 1024

/** One body. */
export class ChunkedDecoder {
  #state: State = "size"
  #size = 0
  #digits = 0
  #extra = 0

  get done(): boolean {
    return this.#state === "done"
  }

  /** Reads from `at` on and gives the data to `onData`. Returns the position behind what belongs to the body. Throws `ProtocolError`. */
  read(bytes: Uint8Array, at: number, onData: (piece: Uint8Array) => void): number {
    let next = at
    while (next < bytes.length && this.#state !== "done") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, next + this.#size)
        onData(bytes.subarray(next, end))
        this.#size -= end - next
        next = end
        if (this.#size === 0) this.#state = "data-return"
      } else this.#step(bytes[next++] as number)
    }
    return next
  }

  #step(byte: number): void {
    switch (this.#state) {
      case "size":
        return this.#readSize(byte)
      case "extension":
        if (byte === carriageReturn) this.#state = "size-end"
        else this.#skip(byte)
        return
      case "size-end":
        expect(byte, lineFeed)
        this.#state = this.#size === 0 ? "line" : "data"
        this.#digits = 0
        return
      case "data-return":
        expect(byte, carriageReturn)
        this.#state = "data-end"
        return
      case "data-end":
        expect(byte, lineFeed)
        this.#state = "size"
        this.#extra = 0
        return
      case "line":
        if (byte === carriageReturn) this.#state = "last"
        else {
          this.#skip(byte)
          this.#state = "trailer"
        }
        return
      case "trailer":
        if (byte === carriageReturn) this.#state = "trailer-end"
        else this.#skip(byte)
        return
      case "trailer-end":
        expect(byte, lineFeed)
        this.#state = "line"
        return
      case "last":
        expect(byte, lineFeed)
        this.#state = "done"
        return
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.#digits += 1
      if (this.#digits > maxDigits) throw new ProtocolError("a chunk is too large")
      this.#size = this.#size * 16 + digit
    } else if (this.#digits === 0) throw new ProtocolError("a chunk has no size")
    else if (byte === carriageReturn) this.#state = "size-end"
    else if (byte === semicolon) this.#state = "extension"
    else throw new ProtocolError("the size of a chunk is no number")
  }

  /** Extensions and trailers are read over. */
  #skip(byte: number): void {
    this.#extra += 1
    if (this.#extra > maxExtraBytes || (byte < 32 && byte !== 9) || byte === 127)
      throw new ProtocolError("the extension of a chunk or a trailer is not well-formed")
  }
}

function expect(byte: number, wanted: number): void {
  if (byte !== wanted) throw new ProtocolError("a chunk does not end where it says")
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}
