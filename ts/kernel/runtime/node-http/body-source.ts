// The body of a request piece by piece, with a bound on its size and on the time that it takes.

import type { IncomingMessage } from "node:http"
import { maxChatBodyBytes } from "../../http/body.ts"
import type { ByteSource } from "../../types/byte-source.ts"

/** How fast a body has to come. */
export interface BodyPace {
  /** A body that brings less than `minBodyBytes` in this time is too slow. */
  readonly bodyWindowMs: number
  readonly minBodyBytes: number
}

/** Rejects with the codes `ERR_BODY_TOO_LARGE` and `ERR_BODY_TIMEOUT`, which leave the connection open for a reply. */
export class BodySource implements ByteSource {
  readonly #incoming: IncomingMessage
  readonly #pace: BodyPace
  #size = 0
  #sizeBefore = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #error: Error | undefined
  #settle: (() => void) | undefined

  constructor(incoming: IncomingMessage, pace: BodyPace) {
    this.#incoming = incoming
    this.#pace = pace
  }

  pull(): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.#timer === undefined && this.#error === undefined) this.#listen()
    const piece = this.#incoming.read() as Buffer | null
    if (piece !== null) return this.#count(piece)
    if (this.#error !== undefined) throw this.#error
    if (this.#incoming.readableEnded) return this.cancel()
    return new Promise((resolve) => {
      this.#settle = () => resolve(undefined)
    }).then(() => this.pull())
  }

  /** Leaves the rest to whoever sends the reply. */
  cancel(): undefined {
    clearInterval(this.#timer)
    const incoming = this.#incoming
    incoming.off("readable", this.#wake)
    incoming.off("end", this.#wake)
    incoming.off("close", this.#onClose)
  }

  #count(piece: Buffer): Buffer {
    this.#size += piece.length
    if (this.#size <= maxChatBodyBytes) return piece
    this.#fail(
      Object.assign(new Error(`The body is larger than ${maxChatBodyBytes} bytes`), { code: "ERR_BODY_TOO_LARGE" }),
    )
    throw this.#error as Error
  }

  #listen(): void {
    const incoming = this.#incoming
    this.#timer = setInterval(this.#onWindow, this.#pace.bodyWindowMs)
    incoming.on("readable", this.#wake)
    incoming.on("end", this.#wake)
    incoming.on("error", this.#onClose)
    incoming.on("close", this.#onClose)
    if (incoming.destroyed && !incoming.readableEnded) this.#onClose()
  }

  readonly #onWindow = (): void => {
    if (this.#size - this.#sizeBefore >= this.#pace.minBodyBytes) this.#sizeBefore = this.#size
    else this.#fail(Object.assign(new Error("The body comes too slowly"), { code: "ERR_BODY_TIMEOUT" }))
  }

  readonly #onClose = (cause?: unknown): void => {
    if (!this.#incoming.readableEnded) this.#fail(new Error("The client left before its request was read", { cause }))
  }

  #fail(error: Error): void {
    this.#error ??= error
    this.cancel()
    this.#wake()
  }

  readonly #wake = (): void => {
    const settle = this.#settle
    this.#settle = undefined
    settle?.()
  }
}
