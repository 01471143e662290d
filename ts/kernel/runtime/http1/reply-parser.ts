// Reads the replies of one connection, strictly: a reply that could be read in two ways is no reply.

import { ChunkedDecoder } from "./chunked.ts"
import { hasToken, ProtocolError, readFields, readLength, valueOf } from "./grammar.ts"

export interface ReplySink {
  onHead(status: number, headers: readonly string[]): void
  /** A piece of the body, valid until the call returns. */
  onBody(piece: Uint8Array): void
  onEnd(): void
}

const maxHeadBytes = 64 * 1024
/** Informational answers before the real one. */
const maxInformational = 16

const headEnd = Buffer.from("\r\n\r\n")
const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n/

type Framing = "head" | "length" | "chunked" | "until-close" | "done"

/** One parser for each connection; `reset` readies it for the next reply. */
export class ReplyParser {
  /** The connection may carry another request after this reply. */
  reusable = true
  /** The value of `keep-alive`, for how long the backend keeps the connection. */
  keepAlive: string | undefined
  #framing: Framing = "head"
  #left = 0
  #chunks: ChunkedDecoder | undefined
  #head: Buffer | undefined
  #informational = 0
  readonly #sink: ReplySink
  readonly #onData: (piece: Uint8Array) => void

  constructor(sink: ReplySink) {
    this.#sink = sink
    this.#onData = (piece) => sink.onBody(piece)
  }

  /** The reply has no end of its own: that of the connection is its end. */
  get untilClose(): boolean {
    return this.#framing === "until-close"
  }

  reset(): void {
    this.reusable = true
    this.#framing = "head"
    this.#informational = 0
  }

  /** Reads one piece of the connection. Throws `ProtocolError`. */
  read(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      switch (this.#framing) {
        case "head":
          at = this.#readHead(bytes, at)
          break
        case "length": {
          const end = Math.min(bytes.length, at + this.#left)
          this.#left -= end - at
          this.#sink.onBody(bytes.subarray(at, end))
          at = end
          if (this.#left === 0) this.#end()
          break
        }
        case "chunked": {
          const chunks = this.#chunks as ChunkedDecoder
          at = chunks.read(bytes, at, this.#onData)
          if (chunks.done) this.#end()
          break
        }
        case "until-close":
          this.#sink.onBody(at === 0 ? bytes : bytes.subarray(at))
          return
        case "done":
          // Bytes that nobody asked for: the next reply could be mistaken for another one's.
          throw new ProtocolError("bytes follow the reply")
      }
    }
  }

  /** Returns the position behind the head, or the end of the bytes when more has to come. */
  #readHead(bytes: Buffer, at: number): number {
    let head = at === 0 ? bytes : bytes.subarray(at)
    const before = this.#head?.length ?? 0
    if (this.#head !== undefined) head = Buffer.concat([this.#head, head])
    const end = head.indexOf(headEnd, Math.max(0, before - headEnd.length))
    if (end > maxHeadBytes || (end < 0 && head.length > maxHeadBytes))
      throw new ProtocolError("the headers are too long")
    if (end < 0) {
      this.#head = before === 0 ? Buffer.from(head) : head
      // Something that is not HTTP need not have an end of headers.
      if (!"HTTP/1.".startsWith(head.toString("latin1", 0, 7))) throw new ProtocolError("the answer is not HTTP")
      return bytes.length
    }
    this.#head = undefined
    this.#take(head.toString("latin1", 0, end + 2))
    return at + end + headEnd.length - before
  }

  #take(head: string): void {
    const line = statusLine.exec(head)
    if (line === null) throw new ProtocolError("the status line is not well-formed")
    const status = Number(line[2])
    const headers = readFields(head, line[0].length)
    if (status < 200) {
      this.#informational += 1
      if (status === 101 || this.#informational > maxInformational)
        throw new ProtocolError("the informational answers have no end")
      return
    }
    this.#frame(status, headers, line[1] === "1")
    this.#sink.onHead(status, headers)
    if (this.#framing === "length" && this.#left === 0) this.#end()
  }

  /** How long the body is (RFC 9112, 6.3). Two statements about it make the reply unreadable. */
  #frame(status: number, headers: readonly string[], isCurrent: boolean): void {
    let length: string | undefined
    let encoding: string | undefined
    let connection: string | undefined
    this.keepAlive = undefined
    for (let at = 0; at < headers.length; at += 2) {
      const value = headers[at + 1] as string
      switch (headers[at]) {
        case "content-length":
          if (length !== undefined) throw new ProtocolError("the content length stands twice")
          length = value
          break
        case "transfer-encoding":
          if (encoding !== undefined) throw new ProtocolError("the transfer encoding stands twice")
          encoding = value
          break
        case "connection":
          connection = valueOf(headers, "connection")
          break
        case "keep-alive":
          this.keepAlive = value
          break
      }
    }
    this.reusable =
      connection === undefined || connection === "keep-alive"
        ? isCurrent || connection !== undefined
        : !hasToken(connection, "close") && (isCurrent || hasToken(connection, "keep-alive"))
    if (encoding !== undefined) {
      if (length !== undefined || !isCurrent || encoding.toLowerCase() !== "chunked")
        throw new ProtocolError("the length of the body is not clear")
      this.#framing = "chunked"
      this.#chunks = new ChunkedDecoder()
    } else {
      this.#framing = length === undefined ? "until-close" : "length"
      this.#left = length === undefined ? 0 : readLength(length)
    }
    if (status === 204 || status === 304) {
      this.#framing = "length"
      this.#left = 0
    }
    if (this.#framing === "until-close") this.reusable = false
  }

  #end(): void {
    this.#framing = "done"
    this.#sink.onEnd()
  }
}
