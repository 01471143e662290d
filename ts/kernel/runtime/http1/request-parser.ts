// Reads the requests of one connection, strictly: where two programs could read two requests, there is none.

import { ChunkedDecoder } from "./chunked.ts"
import { hasToken, ProtocolError, readFields, readLength } from "./grammar.ts"

export interface RequestHead {
  readonly method: string
  /** As it was sent: a path, an absolute URL, or `*`. */
  readonly target: string
  /** Names in lower case and values in turn. */
  readonly headers: readonly string[]
  readonly host: string
  /** The client waits for leave to send its body. */
  readonly expectsContinue: boolean
  /** The connection may carry another request. */
  readonly keepAlive: boolean
  /** HTTP/1.0 knows no chunks. */
  readonly knowsChunks: boolean
  /** Bytes of the body, 0 for none; undefined when it comes in chunks. */
  readonly length: number | undefined
}

export interface RequestSink {
  onHead(head: RequestHead): void
  onBody(piece: Uint8Array): void
  onEnd(): void
}

/** A request that is refused before anybody sees it. */
export class RefusedRequest extends ProtocolError {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const headEnd = Buffer.from("\r\n\r\n")
const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e]+) HTTP\/1\.([01])\r\n/
/** A name, an IPv4 address, or an IPv6 address in brackets, with a port or without. */
const hostPattern = /^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i
const lineFeed = 10
const carriageReturn = 13

type Framing = "head" | "length" | "chunked" | "done"

/** One parser for each connection; `next` readies it for the next request. */
export class RequestParser {
  #framing: Framing = "head"
  #left = 0
  #chunks: ChunkedDecoder | undefined
  #head: Buffer | undefined
  readonly #sink: RequestSink
  readonly #maxHeadBytes: number
  readonly #onData: (piece: Uint8Array) => void

  constructor(sink: RequestSink, maxHeadBytes: number) {
    this.#sink = sink
    this.#maxHeadBytes = maxHeadBytes
    this.#onData = (piece) => sink.onBody(piece)
  }

  /** The request has been read to its end. */
  get complete(): boolean {
    return this.#framing === "done"
  }

  /** Some of a head has come. */
  get started(): boolean {
    return this.#framing !== "head" || this.#head !== undefined
  }

  /** Bytes of the body that have yet to come; infinite for chunks. */
  get left(): number {
    return this.#framing === "chunked" ? Number.POSITIVE_INFINITY : this.#left
  }

  next(): void {
    this.#framing = "head"
  }

  /** Reads until the end of one request. Returns the position behind it, or the end of the bytes. Throws `RefusedRequest` or `ProtocolError`. */
  read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length && this.#framing !== "done") {
      if (this.#framing === "head") at = this.#readHead(bytes, at)
      else if (this.#framing === "length") {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        this.#sink.onBody(bytes.subarray(at, end))
        at = end
        if (this.#left === 0) this.#end()
      } else {
        const chunks = this.#chunks as ChunkedDecoder
        at = chunks.read(bytes, at, this.#onData)
        if (chunks.done) this.#end()
      }
    }
    return at
  }

  #readHead(bytes: Buffer, from: number): number {
    let at = from
    // Some clients end a body with an empty line that they do not count.
    if (this.#head === undefined)
      while (at < bytes.length && (bytes[at] === carriageReturn || bytes[at] === lineFeed)) at += 1
    if (at === bytes.length) return at
    let head = at === 0 ? bytes : bytes.subarray(at)
    const before = this.#head?.length ?? 0
    if (this.#head !== undefined) head = Buffer.concat([this.#head, head])
    const end = head.indexOf(headEnd, Math.max(0, before - headEnd.length))
    if (end > this.#maxHeadBytes || (end < 0 && head.length > this.#maxHeadBytes))
      throw new RefusedRequest(431, "the headers are too long")
    if (end < 0) {
      this.#head = head
      return bytes.length
    }
    this.#head = undefined
    const parsed = readHead(head.toString("latin1", 0, end + 2))
    this.#framing = parsed.length === undefined ? "chunked" : "length"
    this.#left = parsed.length ?? 0
    if (parsed.length === undefined) this.#chunks = new ChunkedDecoder()
    this.#sink.onHead(parsed)
    if (parsed.length === 0) this.#end()
    return at + end + headEnd.length - before
  }

  #end(): void {
    this.#framing = "done"
    this.#sink.onEnd()
  }
}

function readHead(text: string): RequestHead {
  const line = requestLine.exec(text)
  if (line === null) throw new RefusedRequest(400, "the request line is not well-formed")
  const target = line[2] as string
  const isCurrent = line[3] === "1"
  const headers = readFields(text, line[0].length)
  let host: string | undefined
  let length: string | undefined
  let encoding: string | undefined
  let connection = ""
  let expectation: string | undefined
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string
    switch (headers[at]) {
      case "host":
        host = once(host, value)
        break
      case "content-length":
        length = once(length, value)
        break
      case "transfer-encoding":
        encoding = once(encoding, value)
        break
      case "expect":
        expectation = once(expectation, value)
        break
      case "connection":
        connection = connection === "" ? value : `${connection},${value}`
        break
    }
  }
  if (isCurrent ? host === undefined : encoding !== undefined) throw new RefusedRequest(400, "the head lacks a host")
  if (host !== undefined && host !== "" && !hostPattern.test(host)) throw new RefusedRequest(400, "the host is not one")
  if (encoding !== undefined && (length !== undefined || encoding.toLowerCase() !== "chunked"))
    throw new RefusedRequest(400, "the length of the body is not clear")
  if (expectation !== undefined && expectation.toLowerCase() !== "100-continue")
    throw new RefusedRequest(417, "the expectation is not known")
  if (!target.startsWith("/") && target !== "*" && !/^https?:\/\/[^/?#]/i.test(target))
    throw new RefusedRequest(400, "the target is neither a path nor a URL")
  return {
    method: line[1] as string,
    target,
    headers,
    host: host ?? "",
    expectsContinue: expectation !== undefined && isCurrent,
    keepAlive: isCurrent
      ? connection === "" || connection === "keep-alive" || !hasToken(connection, "close")
      : hasToken(connection, "keep-alive"),
    knowsChunks: isCurrent,
    length: encoding === undefined ? (length === undefined ? 0 : readLength(length)) : undefined,
  }
}

function once(before: string | undefined, value: string): string {
  if (before !== undefined) throw new RefusedRequest(400, "a header that must stand once stands twice")
  return value
}
