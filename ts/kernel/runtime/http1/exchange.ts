// One request with its reply: what the connection tells, and what the reader asks for.

import { RtrError, upstreamFault } from "../../error.ts"
import type { TransportRequest, TransportResponse } from "../../types/transport.ts"
import { valueOf } from "./grammar.ts"

/** What an exchange asks of its connection. */
export interface ExchangeConnection {
  pause(): void
  resume(): void
  /** Closes the connection in the middle of the exchange. */
  abandon(): void
}

/** The backend is held up when this much has come that nobody has read. */
const maxUnreadBytes = 64 * 1024

export class Exchange implements TransportResponse {
  status = 0
  headerList: readonly string[] = []
  readonly request: TransportRequest
  connection: ExchangeConnection | undefined
  readonly #answered: (response: TransportResponse) => void
  readonly #refused: (error: unknown) => void
  /** A field: V8 keeps a function that is assigned to one outside of the young generation, with all that it refers to. */
  readonly #onAbort = (): void => this.cancel()
  #state: "waiting" | "reading" | "ended" | "failed" = "waiting"
  #error: RtrError | undefined
  /** Pieces of the read that runs now, which the connection's buffer holds. */
  #borrowed: Uint8Array[] = []
  #unread: Uint8Array[] = []
  #unreadBytes = 0
  #paused = false
  #resolve: ((piece: Uint8Array | undefined) => void) | undefined
  #reject: ((error: unknown) => void) | undefined

  constructor(
    request: TransportRequest,
    answered: (response: TransportResponse) => void,
    refused: (error: unknown) => void,
  ) {
    this.request = request
    this.#answered = answered
    this.#refused = refused
    request.signal?.addEventListener("abort", this.#onAbort, { once: true })
  }

  get answered(): boolean {
    return this.#state !== "waiting"
  }

  get over(): boolean {
    return this.#state === "ended" || this.#state === "failed"
  }

  // ── what the connection tells ──

  onHead(status: number, headers: readonly string[]): void {
    const encoding = valueOf(headers, "content-encoding")
    // The text of an error status is read as far as it can be.
    if (encoding !== undefined && encoding !== "" && status < 300 && encoding.toLowerCase() !== "identity")
      return this.#fail(`it answered with content encoding "${encoding}", but the request asked for none`)
    this.#state = "reading"
    this.status = status
    this.headerList = headers
    this.#answered(this)
  }

  onBody(piece: Uint8Array): void {
    this.#borrowed.push(piece)
  }

  /** The connection's buffer is about to be used again. */
  flush(): void {
    if (this.#borrowed.length > 0) {
      const piece = this.#borrowed.length === 1 ? Buffer.from(this.#borrowed[0] as Uint8Array) : join(this.#borrowed)
      this.#borrowed = []
      if (this.#resolve !== undefined) {
        this.#settle()?.(piece)
      } else {
        this.#unread.push(piece)
        this.#unreadBytes += piece.length
        if (this.#unreadBytes > maxUnreadBytes && !this.#paused && this.#state === "reading") {
          this.#paused = true
          this.connection?.pause()
        }
      }
    }
    if (this.#state === "ended") this.#settle()?.(undefined)
  }

  /** A `flush` follows. */
  onEnd(): void {
    this.#state = "ended"
    this.#forgetSignal()
  }

  onFailure(error: RtrError): void {
    if (this.over) return
    const wasWaiting = this.#state === "waiting"
    this.#state = "failed"
    this.#error = this.request.signal?.aborted === true ? clientLeft(error.cause) : error
    this.#forgetSignal()
    if (wasWaiting) return this.#refused(this.#error)
    const reject = this.#reject
    this.#settle()
    reject?.(this.#error)
  }

  #settle(): ((piece: Uint8Array | undefined) => void) | undefined {
    const resolve = this.#resolve
    this.#resolve = undefined
    this.#reject = undefined
    return resolve
  }

  #forgetSignal(): void {
    this.request.signal?.removeEventListener("abort", this.#onAbort)
  }

  // ── what the reader asks for ──

  header(name: string): string | undefined {
    return valueOf(this.headerList, name)
  }

  pull(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    if (this.#unread.length > 0) return this.#take()
    if (this.#state === "ended") return undefined
    if (this.#state === "failed") throw this.#error
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  #take(): Uint8Array {
    const piece = this.#unread.length === 1 ? (this.#unread[0] as Uint8Array) : join(this.#unread)
    this.#unread = []
    this.#unreadBytes = 0
    if (this.#paused) {
      this.#paused = false
      if (!this.over) this.connection?.resume()
    }
    return piece
  }

  async text(maxBytes: number, hold?: (bytes: number) => void): Promise<string> {
    // A reply that says that it is too large is not read at all.
    let size = Number(this.header("content-length") ?? 0)
    if (size <= maxBytes) size = 0
    const pieces: Uint8Array[] = []
    while (size <= maxBytes) {
      const pulled = this.pull()
      const piece = pulled instanceof Promise ? await pulled : pulled
      if (piece === undefined) return decoder.decode(pieces.length === 1 ? pieces[0] : join(pieces))
      size += piece.length
      pieces.push(piece)
      try {
        if (size <= maxBytes) hold?.(piece.length)
      } catch (error) {
        this.cancel()
        throw error
      }
    }
    this.cancel()
    throw upstreamFault(`the reply is larger than ${maxBytes} bytes`)
  }

  cancel(): void {
    if (!this.over) this.#fail("the reader left")
  }

  #fail(reason: string): void {
    this.#unread = []
    this.#unreadBytes = 0
    this.onFailure(new RtrError("upstream_error", reason))
    this.connection?.abandon()
  }
}

const clientLeft = (cause: unknown): RtrError =>
  new RtrError("client_closed_request", "the client left", cause === undefined ? {} : { cause })

const decoder = new TextDecoder()

const join = (pieces: readonly Uint8Array[]): Uint8Array => Buffer.concat(pieces)
