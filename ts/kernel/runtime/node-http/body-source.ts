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

export interface BodyExchange {
  readonly incoming: IncomingMessage
  readonly server: BodyPace
  /** The connection ends behind the reply at once, whatever the client still sends. */
  dropsRest: boolean
}

/** Pieces of the wire that are fewer than this are never too small. */
const maxSmallPieces = 512
/** More pieces have to be this large on average: reading one costs as much as a kilobyte. */
const smallPieceBytes = 64

/** Held back when so much has come that nobody has read. */
const maxUnreadBytes = 64 * 1024

/** Rejects with the codes `ERR_BODY_TOO_LARGE`, `ERR_BODY_TIMEOUT` and `ERR_BODY_PIECES`, which leave the connection open for a reply. */
export class BodySource implements ByteSource {
  readonly #exchange: BodyExchange
  readonly #incoming: IncomingMessage
  #size = 0
  #sizeBefore = 0
  #pieces = 0
  #unread: Buffer[] = []
  #unreadBytes = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #error: Error | undefined
  #settle: (() => void) | undefined

  constructor(exchange: BodyExchange) {
    this.#exchange = exchange
    this.#incoming = exchange.incoming
  }

  pull(): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.#timer === undefined) this.#listen()
    if (this.#error !== undefined) throw this.#error
    if (this.#unread.length > 0) return this.#take()
    if (this.#incoming.readableEnded) return this.cancel()
    return new Promise<void>((resolve) => (this.#settle = resolve)).then(() => this.pull())
  }

  /** Leaves the rest to whoever sends the reply. */
  cancel(): undefined {
    clearInterval(this.#timer)
    const incoming = this.#incoming
    incoming.off("data", this.#onPiece)
    incoming.off("end", this.#wake)
    incoming.off("close", this.#onClose)
    incoming.pause()
  }

  #take(): Buffer {
    const piece = this.#unread.length === 1 ? (this.#unread[0] as Buffer) : Buffer.concat(this.#unread)
    this.#unread = []
    this.#unreadBytes = 0
    this.#incoming.resume()
    return piece
  }

  #listen(): void {
    const incoming = this.#incoming
    this.#timer = setInterval(this.#onWindow, this.#exchange.server.bodyWindowMs)
    incoming.on("data", this.#onPiece)
    incoming.on("end", this.#wake)
    incoming.on("error", this.#onClose)
    incoming.on("close", this.#onClose)
    if (incoming.destroyed) this.#onClose()
  }

  readonly #onPiece = (piece: Buffer): void => {
    this.#size += piece.length
    this.#pieces += 1
    if (this.#size > maxChatBodyBytes)
      return this.#fail("ERR_BODY_TOO_LARGE", `The body is larger than ${maxChatBodyBytes} bytes`)
    if (this.#pieces > maxSmallPieces && this.#size < this.#pieces * smallPieceBytes)
      return this.#refuse("ERR_BODY_PIECES", "The body comes in pieces that are too small")
    this.#unread.push(piece)
    this.#unreadBytes += piece.length
    if (this.#unreadBytes > maxUnreadBytes) this.#incoming.pause()
    this.#wake()
  }

  readonly #onWindow = (): void => {
    if (this.#size - this.#sizeBefore >= this.#exchange.server.minBodyBytes) this.#sizeBefore = this.#size
    else this.#refuse("ERR_BODY_TIMEOUT", "The body comes too slowly")
  }

  readonly #onClose = (cause?: unknown): void => {
    if (!this.#incoming.readableEnded)
      this.#fail("ERR_CLIENT_LEFT", "The client left before its request was read", cause)
  }

  /** The rest would cost more than it is worth. */
  #refuse(code: string, message: string): void {
    this.#exchange.dropsRest = true
    this.#fail(code, message)
  }

  #fail(code: string, message: string, cause?: unknown): void {
    this.#error ??= Object.assign(new Error(message, { cause }), { code })
    this.cancel()
    this.#wake()
  }

  readonly #wake = (): void => {
    const settle = this.#settle
    this.#settle = undefined
    settle?.()
  }
}
