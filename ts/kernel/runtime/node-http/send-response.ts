// Writes a response with node:http: a whole reply in one write with its head, a stream at the client's pace.

import type { ServerResponse } from "node:http"
import { type ResponseParts, responseParts } from "../../http/response.ts"
import { TextSource } from "../../http/text-source.ts"
import type { ByteSource } from "../../types/byte-source.ts"
import type { CancelSignal } from "../../types/cancel-signal.ts"
import { writeTogether } from "../write-together.ts"
import type { BodyExchange, BodyPace } from "./body-source.ts"

/** One request with its reply, as node:http has them. */
export interface Exchange extends BodyExchange {
  readonly outgoing: ServerResponse
  readonly client: CancelSignal
  /** The client sends its body when it is told to. */
  waitsForContinue: boolean
  readonly server: ExchangeServer
}

export interface ExchangeServer extends BodyPace {
  /** A client that is answered before it has sent its whole body has this long to stop. */
  readonly lingerMs: number
  /** Connections end behind their reply. */
  readonly isClosing: boolean
}

/** The rest of a body that nobody wants is read over up to this size; past it the connection ends. */
const maxDrainedBytes = 1024 * 1024
/**
 * Pieces of a stream that are there already leave in one write up to this size, and none is larger: how much of its writes a
 * connection has taken tells whether its client reads.
 */
const maxWriteBytes = 64 * 1024

/** Sends the response, or status 500 where it cannot be written. Nothing is thrown. */
export function sendResponse(exchange: Exchange, response: Response): void {
  let content: ResponseParts["content"] = ""
  try {
    const reply: ResponseParts | Response = responseParts(response) ?? response
    content = "content" in reply ? reply.content : sourceOf(reply.body)
    if (exchange.client.aborted) cancelQuietly(content)
    else if (typeof content === "string") sendText(exchange, reply.status, headOf(reply.headers), content)
    else new StreamSender(exchange, content, reply.status, headOf(reply.headers)).start()
  } catch {
    cancelQuietly(content)
    sendFailure(exchange)
  }
}

/** The reply to what must not happen. One that has begun is broken off, so that the client sees that it is not whole. */
export function sendFailure(exchange: Exchange): void {
  const { outgoing, client } = exchange
  if (outgoing.headersSent) outgoing.destroy()
  else if (!client.aborted) sendText(exchange, 500, [], "")
}

/** Tells a client that waits for leave to send its body. */
export function askForBody(exchange: Exchange): void {
  if (!exchange.waitsForContinue || exchange.outgoing.headersSent) return
  exchange.waitsForContinue = false
  exchange.outgoing.writeContinue()
}

function sendText(exchange: Exchange, status: number, head: string[], body: string): void {
  const { incoming, outgoing } = exchange
  const hasBody = status !== 204 && status !== 304
  const length = hasBody ? Buffer.byteLength(body) : 0
  // The reply to GET may have a length.
  if (hasBody && (length > 0 || incoming.method !== "HEAD")) head.push("content-length", String(length))
  const goesOn = writeHead(exchange, status, head)
  if (!hasBody || incoming.method === "HEAD") return end(exchange, goesOn)
  // A text in ASCII alone is the same in Latin-1, the encoding of the head. So both leave as one string.
  const encoding = length === body.length ? "latin1" : "utf8"
  if (goesOn) return writeTogether(() => outgoing.end(body, encoding))
  outgoing.write(body, encoding)
  end(exchange, goesOn)
}

/** False when the connection ends because much of the request's body is still to come. */
function writeHead(exchange: Exchange, status: number, head: string[]): boolean {
  const goesOn = exchange.incoming.complete || (!exchange.dropsRest && !hasLongRest(exchange))
  if (!goesOn || exchange.server.isClosing) head.push("connection", "close")
  exchange.outgoing.writeHead(status, head)
  // node:http reads the rest over only where nobody has begun to read; a connection that is not read is never seen to end.
  if (goesOn && !exchange.incoming.complete) exchange.outgoing.once("finish", () => exchange.incoming.resume())
  return goesOn
}

function hasLongRest({ incoming: { headers, method }, waitsForContinue }: Exchange): boolean {
  if (method === "GET" || method === "HEAD") return false
  // A client that waits for leave may send its body or not; the next request could be taken for it.
  if (waitsForContinue || headers["transfer-encoding"] !== undefined) return true
  return Number(headers["content-length"] ?? 0) > maxDrainedBytes
}

/** A connection that is reset while the client sends would take the reply with it, so its body is read over first. */
function end({ incoming, outgoing, server, dropsRest }: Exchange, goesOn: boolean): void {
  if (goesOn || incoming.complete || dropsRest) return void outgoing.end()
  const finish = (): void => void outgoing.end()
  const timer = setTimeout(finish, server.lingerMs)
  outgoing.once("close", () => clearTimeout(timer))
  incoming.once("end", finish)
  incoming.once("error", () => {})
  incoming.resume()
}

/** Passes a source on. The head leaves with the first piece; a source that fails before it is an error status. */
class StreamSender {
  readonly #exchange: Exchange
  #source: ByteSource
  readonly #status: number
  readonly #head: string[]
  #begun = false
  #goesOn = true
  /** The source is asked for a piece. */
  #asked = false
  /** The client has to read before the source is asked again. */
  #stalled = false
  #over = false

  constructor(exchange: Exchange, source: ByteSource, status: number, head: string[]) {
    this.#exchange = exchange
    this.#source = source
    this.#status = status
    this.#head = head
  }

  start(): void {
    const { incoming, outgoing, client } = this.#exchange
    if (this.#source instanceof TextSource)
      this.#head.push("content-length", String(Buffer.byteLength(this.#source.text)))
    if (incoming.method === "HEAD" || this.#status === 204 || this.#status === 304) {
      cancelQuietly(this.#source)
      return end(this.#exchange, writeHead(this.#exchange, this.#status, this.#head))
    }
    client.addEventListener("abort", () => this.#stop())
    outgoing.on("drain", () => {
      this.#stalled = false
      this.#pump()
    })
    this.#pump()
  }

  #stop(): void {
    if (this.#over) return
    this.#over = true
    cancelQuietly(this.#source)
  }

  /** Writes what is there until the source or the client has to be waited for. */
  #pump(): void {
    while (!this.#over && !this.#asked && !this.#stalled) {
      const pieces: Uint8Array[] = []
      let size = 0
      let next: ReturnType<ByteSource["pull"]>
      let isBroken = false
      try {
        do {
          next = this.#source.pull()
          if (next === undefined || next instanceof Promise) break
          const piece = this.#cut(next)
          pieces.push(piece)
          size += piece.length
        } while (size < maxWriteBytes)
      } catch {
        isBroken = true
      }
      if (size > 0) this.#write(pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces))
      if (isBroken) return this.#onBroken()
      if (next === undefined) return this.#end()
      if (next instanceof Promise) {
        this.#asked = true
        next.then(this.#onPiece, this.#onBroken)
      }
    }
  }

  readonly #onPiece = (piece: Uint8Array | undefined): void => {
    this.#asked = false
    if (piece === undefined) return this.#end()
    if (piece.length > 0) this.#write(this.#cut(piece))
    this.#pump()
  }

  /** The first part of a piece that is too large for one write; the source gives the others next. */
  #cut(piece: Uint8Array): Uint8Array {
    if (piece.length <= maxWriteBytes) return piece
    this.#source = new Parts(piece, maxWriteBytes, this.#source)
    return piece.subarray(0, maxWriteBytes)
  }

  readonly #onBroken = (): void => {
    if (this.#over) return
    this.#over = true
    sendFailure(this.#exchange)
  }

  #write(piece: Uint8Array): void {
    if (this.#begin()) this.#stalled = !this.#exchange.outgoing.write(piece)
  }

  #end(): void {
    if (!this.#begin()) return
    this.#over = true
    end(this.#exchange, this.#goesOn)
  }

  /** False when the stream is over, or becomes it because its head cannot be written. */
  #begin(): boolean {
    if (this.#over || this.#begun) return !this.#over
    try {
      this.#goesOn = writeHead(this.#exchange, this.#status, this.#head)
      this.#begun = true
    } catch {
      this.#stop()
      sendFailure(this.#exchange)
    }
    return this.#begun
  }
}

/** What is left of a large piece, and then the source that it came from. */
class Parts implements ByteSource {
  readonly #piece: Uint8Array
  readonly #source: ByteSource
  #at: number

  constructor(piece: Uint8Array, at: number, source: ByteSource) {
    this.#piece = piece
    this.#at = at
    this.#source = source
  }

  pull(): ReturnType<ByteSource["pull"]> {
    if (this.#at >= this.#piece.length) return this.#source.pull()
    const start = this.#at
    this.#at += maxWriteBytes
    return this.#piece.subarray(start, this.#at)
  }

  cancel(): void {
    this.#source.cancel()
  }
}

/** The connection decides about these. */
const framing: ReadonlySet<string> = new Set(["connection", "content-length", "keep-alive", "transfer-encoding"])

/** Names and values in turn, which node:http writes without another object. */
function headOf(headers: ResponseParts["headers"] | Headers): string[] {
  const head: string[] = []
  if (headers instanceof Headers) {
    for (const [name, value] of headers) if (!framing.has(name)) head.push(name, value)
  } else for (const name in headers) if (!framing.has(name)) head.push(name, headers[name] as string)
  return head
}

function cancelQuietly(content: string | ByteSource): void {
  if (typeof content === "string") return
  try {
    content.cancel()
  } catch {
    // Nobody is there to be told.
  }
}

/** A web body as a source; an empty text for none. */
function sourceOf(body: ReadableStream<Uint8Array> | null): ByteSource | string {
  if (body === null) return ""
  const reader = body.getReader()
  return {
    pull: async () => (await reader.read()).value,
    cancel: (reason) => void reader.cancel(reason).catch(() => {}),
  }
}
