// One connection of the server: requests come in one after another, and each is answered before the next is read.

import type { Socket } from "node:net"
import type { ListenerApp } from "../../http/app.ts"
import { type ResponseParts, responseParts } from "../../http/response.ts"
import type { ByteSource } from "../../types/byte-source.ts"
import type { CancelSignal } from "../../types/cancel-signal.ts"
import { RefusedRequest, type RequestHead, RequestParser } from "./request-parser.ts"
import { chunkedBytes, dateLine, headText, headTextOf } from "./response-text.ts"
import { type IncomingBody, LeanRequest } from "./server-request.ts"

/** Milliseconds and bytes. */
export interface ServerLimits {
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  /** A client that is told that its request is refused has this long to stop sending. */
  readonly lingerMs: number
  readonly maxHeadBytes: number
}

export interface ServerState {
  readonly app: ListenerApp
  readonly limits: ServerLimits
  /** A clock that is right to a second. */
  now: number
  /** The server ends: each connection closes after its reply. */
  closing: boolean
}

/** A body that comes faster than it is read waits in the client. */
const maxUnreadBytes = 256 * 1024
/** The rest of a body that nobody wants is read over up to this size, and past it the connection is closed. */
const maxDrainedBytes = 1024 * 1024
/** Pieces of a stream that are there already leave in one write up to this size. */
const maxWriteBytes = 64 * 1024

type Moment = "idle" | "head" | "body" | "reply" | "lingering"

export class ServerConnection {
  /** When patience ends, on the server's clock. */
  deadline: number
  readonly #socket: Socket
  readonly #server: ServerState
  readonly #parser: RequestParser
  #moment: Moment = "idle"
  #exchange: ServerExchange | undefined
  #ahead: Buffer | undefined

  constructor(socket: Socket, server: ServerState) {
    this.#socket = socket
    this.#server = server
    this.deadline = server.now + server.limits.headersTimeoutMs
    this.#parser = new RequestParser(
      {
        onHead: (head) => {
          this.#exchange = new ServerExchange(head, this)
        },
        onBody: (piece) => this.#exchange?.onBody(piece),
        onEnd: () => this.#exchange?.onEnd(),
      },
      server.limits.maxHeadBytes,
    )
    socket.on("data", (bytes: Buffer) => this.#read(bytes))
    socket.on("drain", () => this.#exchange?.onDrain())
    socket.on("end", () => this.#leave())
    socket.on("close", () => this.#leave())
    // A connection that breaks is closed, and that is all there is to do.
    socket.on("error", () => {})
  }

  get socket(): Socket {
    return this.#socket
  }

  get server(): ServerState {
    return this.#server
  }

  get requestComplete(): boolean {
    return this.#parser.complete
  }

  // ── in ──

  #read(bytes: Buffer): void {
    if (this.#moment === "lingering") return
    if (this.#parser.complete) {
      // The next request waits for the reply to this one.
      this.#ahead = this.#ahead === undefined ? bytes : Buffer.concat([this.#ahead, bytes])
      this.#socket.pause()
      return
    }
    const before = this.#exchange
    let end = bytes.length
    try {
      end = this.#parser.read(bytes)
    } catch (error) {
      return this.#refuse(error instanceof RefusedRequest ? error.status : 400)
    }
    if (end < bytes.length) {
      this.#ahead = bytes.subarray(end)
      this.#socket.pause()
    }
    const exchange = this.#exchange
    if (exchange === undefined) return this.#expectHead()
    if (exchange === before) {
      if (this.#parser.complete) this.#onRequestEnd()
      exchange.wake()
    } else {
      this.#moment = this.#parser.complete ? "reply" : "body"
      this.deadline = this.#parser.complete
        ? Number.POSITIVE_INFINITY
        : this.#server.now + this.#server.limits.requestTimeoutMs
      exchange.start(this.#server.app)
    }
  }

  #expectHead(): void {
    if (this.#moment !== "idle" || !this.#parser.started) return
    this.#moment = "head"
    this.deadline = this.#server.now + this.#server.limits.headersTimeoutMs
  }

  #onRequestEnd(): void {
    this.#moment = "reply"
    this.deadline = Number.POSITIVE_INFINITY
    if (this.#exchange?.replied === true) this.#next()
  }

  /** Whether the connection can carry another request once the reply is written. */
  mayContinue(head: RequestHead, hasContinued: boolean): boolean {
    if (!head.keepAlive || this.#server.closing) return false
    return this.#parser.complete || (hasContinued && this.#parser.left <= maxDrainedBytes)
  }

  /** The reply is written. */
  onReplied(keep: boolean): void {
    if (!keep) {
      if (this.#parser.complete) this.#socket.destroySoon()
      else this.#linger()
      this.#exchange = undefined
    } else if (this.#parser.complete) this.#next()
    else this.#socket.resume()
  }

  #next(): void {
    this.#exchange = undefined
    this.#parser.next()
    this.#moment = "idle"
    this.deadline = this.#server.now + this.#server.limits.keepAliveTimeoutMs
    const ahead = this.#ahead
    if (ahead === undefined) {
      if (this.#server.closing) this.#socket.destroySoon()
      return
    }
    this.#ahead = undefined
    this.#socket.resume()
    // Not at once: requests that wait in line would become a stack of calls.
    queueMicrotask(() => {
      if (!this.#socket.destroyed) this.#read(ahead)
    })
  }

  /** Says no to something that is no request, or that took too long. */
  #refuse(status: number): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    const begun = exchange?.begun === true
    exchange?.leave()
    if (begun || this.#socket.writableEnded) return void this.#socket.destroy()
    this.#socket.write(`${headTextOf(status, {})}${dateLine()}connection: close\r\ncontent-length: 0\r\n\r\n`, "latin1")
    this.#linger()
  }

  /** A connection that is reset while the client sends would take the answer with it. */
  #linger(): void {
    this.#moment = "lingering"
    this.deadline = this.#server.now + this.#server.limits.lingerMs
    this.#socket.end()
    this.#socket.resume()
  }

  #leave(): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.leave()
  }

  // ── time, and the end of the server ──

  onDeadline(): void {
    if (this.#moment === "head" || this.#moment === "body") this.#refuse(408)
    else this.#socket.destroy()
  }

  closeIfIdle(): void {
    if (this.#moment === "idle" && this.#ahead === undefined) this.#socket.destroy()
  }
}

/** One request with its reply. It is its own cancel signal, because most requests need none. */
class ServerExchange implements IncomingBody, CancelSignal {
  aborted = false
  /** Some of the reply is on its way. */
  begun = false
  replied = false
  readonly #head: RequestHead
  readonly #connection: ServerConnection
  #listeners: (() => void)[] | undefined
  #unread: Uint8Array[] = []
  #unreadBytes = 0
  #bodyEnded = false
  #discards = false
  #hasContinued: boolean
  #waiting: { resolve: (piece: Uint8Array | undefined) => void; reject: (error: unknown) => void } | undefined
  #source: ByteSource | undefined
  #streamHead = ""
  #streamInChunks = false
  #keep = false
  /** The client has to read before more is written. */
  #stalled = false
  /** The source is asked for a piece. */
  #asked = false
  /** A piece that came while the client had to be waited for. */
  #held: { readonly piece: Uint8Array | undefined } | undefined

  constructor(head: RequestHead, connection: ServerConnection) {
    this.#head = head
    this.#connection = connection
    this.#hasContinued = !head.expectsContinue
  }

  // ── the client's cancel signal ──

  get signal(): CancelSignal {
    return this
  }

  addEventListener(_: "abort", listener: () => void): void {
    ;(this.#listeners ??= []).push(listener)
  }

  removeEventListener(_: "abort", listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1
    if (at >= 0) this.#listeners?.splice(at, 1)
  }

  /** The client is gone, or nobody answers it any more. */
  leave(): void {
    if (this.replied || this.aborted) return
    this.aborted = true
    for (const listener of this.#listeners?.slice() ?? []) listener()
    this.#source?.cancel()
    this.#waiting?.reject(new Error("The client left before its request was read"))
    this.#waiting = undefined
  }

  // ── the request's body ──

  onBody(piece: Uint8Array): void {
    if (this.#discards) return
    this.#unread.push(piece)
    this.#unreadBytes += piece.length
    if (this.#unreadBytes > maxUnreadBytes) this.#connection.socket.pause()
  }

  onEnd(): void {
    this.#bodyEnded = true
  }

  /** A read of the connection is over. */
  wake(): void {
    const waiting = this.#waiting
    if (waiting === undefined || (this.#unread.length === 0 && !this.#bodyEnded)) return
    this.#waiting = undefined
    waiting.resolve(this.#unread.length === 0 ? undefined : this.#take())
  }

  pull(): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    if (this.#unread.length > 0) return this.#take()
    if (this.#bodyEnded) return undefined
    if (this.aborted || this.#discards) throw new Error("The client left before its request was read")
    if (!this.#hasContinued) {
      this.#hasContinued = true
      this.#connection.socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1")
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  #take(): Uint8Array {
    const pieces = this.#unread
    this.#unread = []
    if (this.#unreadBytes > maxUnreadBytes) this.#connection.socket.resume()
    this.#unreadBytes = 0
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces)
  }

  takeWhole(): Uint8Array | undefined {
    return this.#bodyEnded && this.#unread.length > 0 ? this.#take() : undefined
  }

  /** Nobody reads the rest of the body. */
  cancel(): void {
    this.#discards = true
    this.#unread = []
    this.#unreadBytes = 0
  }

  // ── the reply ──

  start(app: ListenerApp): void {
    try {
      const response = app.fetch(new LeanRequest(this.#head, this) as unknown as Request)
      if (response instanceof Promise) response.then(this.#reply, this.#fail)
      else this.#reply(response)
    } catch {
      this.#fail()
    }
  }

  readonly #reply = (response: Response): void => {
    try {
      this.#answer(responseParts(response) ?? response)
    } catch {
      this.#fail()
    }
  }

  readonly #fail = (): void => {
    if (this.begun) this.#break()
    else this.#answer({ status: 500, headers: {}, content: "" })
  }

  #answer(reply: ResponseParts | Response): void {
    const content = "content" in reply ? reply.content : sourceOf(reply.body)
    if (this.aborted) return void (typeof content === "string" ? undefined : content.cancel())
    const { status } = reply
    let head: string
    try {
      head = reply instanceof Response ? headText(status, reply.headers) : headTextOf(status, reply.headers)
    } catch (error) {
      if (typeof content !== "string") content.cancel()
      throw error
    }
    if (!this.#connection.requestComplete) this.cancel()
    this.#keep = this.#connection.mayContinue(this.#head, this.#hasContinued)
    const common = `${head}${dateLine()}${this.#keep ? keepAliveLines(this.#connection.server.limits) : "connection: close\r\n"}`
    if (typeof content === "string") this.#sendText(common, status, content)
    else this.#sendStream(common, status, content)
  }

  #sendText(head: string, status: number, body: string): void {
    this.begun = true
    const { socket } = this.#connection
    if (hasNoBody(status)) socket.write(`${head}\r\n`, "latin1")
    else {
      const length = Buffer.byteLength(body)
      const start = `${head}content-length: ${length}\r\n\r\n`
      if (this.#head.method === "HEAD") socket.write(start, "latin1")
      // A text in ASCII alone is the same in both encodings, and the shorter one is written without a second buffer.
      else if (length === body.length) socket.write(start + body, "latin1")
      else {
        socket.cork()
        socket.write(start, "latin1")
        socket.write(body, "utf8")
        socket.uncork()
      }
    }
    this.#end()
  }

  #sendStream(head: string, status: number, source: ByteSource): void {
    if (this.#head.method === "HEAD" || hasNoBody(status)) {
      source.cancel()
      this.begun = true
      this.#connection.socket.write(`${head}\r\n`, "latin1")
      return this.#end()
    }
    this.#streamInChunks = this.#head.knowsChunks
    if (!this.#streamInChunks) this.#keep = false
    this.#streamHead = this.#streamInChunks ? `${head}transfer-encoding: chunked\r\n\r\n` : `${head}\r\n`
    this.#source = source
    this.#pump(undefined)
  }

  readonly #onPiece = (piece: Uint8Array | undefined): void => {
    this.#asked = false
    if (this.aborted) return
    if (this.#stalled) this.#held = { piece }
    else if (piece === undefined) this.#write([], true)
    else this.#pump(piece)
  }

  readonly #onBroken = (): void => this.#break()

  /** Writes what is there until the source or the client has to be waited for. */
  #pump(first: Uint8Array | undefined): void {
    const source = this.#source as ByteSource
    const pieces: Uint8Array[] = []
    let size = 0
    let next: ReturnType<ByteSource["pull"]> = first
    let broken = false
    try {
      next ??= source.pull()
      while (next !== undefined && !(next instanceof Promise) && size < maxWriteBytes) {
        pieces.push(next)
        size += next.length
        next = size < maxWriteBytes ? source.pull() : next
      }
    } catch {
      broken = true
    }
    const isLast = next === undefined && !broken
    if (size > 0 || isLast) this.#stalled = !this.#write(pieces, isLast)
    if (broken) return this.#break()
    if (next instanceof Promise) {
      this.#asked = true
      next.then(this.#onPiece, this.#onBroken)
    } else if (!isLast && !this.#stalled) this.#pump(undefined)
  }

  /** The client has read. */
  onDrain(): void {
    if (!this.#stalled) return
    this.#stalled = false
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#onPiece(held.piece)
    else if (!this.#asked) this.#pump(undefined)
  }

  /** False when the client has to be waited for. */
  #write(pieces: readonly Uint8Array[], isLast: boolean): boolean {
    const { socket } = this.#connection
    this.begun = true
    const head = this.#streamHead
    this.#streamHead = ""
    const bytes = this.#streamInChunks
      ? chunkedBytes(head, pieces, isLast)
      : Buffer.concat([Buffer.from(head, "latin1"), ...pieces])
    const flows = bytes.length === 0 || socket.write(bytes)
    if (isLast) this.#end()
    return flows
  }

  #end(): void {
    this.replied = true
    this.#source = undefined
    this.#listeners = undefined
    this.#connection.onReplied(this.#keep)
  }

  /** The client must see that the reply is not whole. */
  #break(): void {
    if (this.replied || this.aborted) return
    this.#source = undefined
    if (this.begun) this.#connection.socket.destroy()
    else this.#answer({ status: 500, headers: {}, content: "" })
  }
}

const hasNoBody = (status: number): boolean => status === 204 || status === 304

let keepAliveText = ""
let keepAliveMs = 0

function keepAliveLines({ keepAliveTimeoutMs }: ServerLimits): string {
  if (keepAliveMs !== keepAliveTimeoutMs) {
    keepAliveMs = keepAliveTimeoutMs
    keepAliveText = `connection: keep-alive\r\nkeep-alive: timeout=${Math.max(1, Math.floor(keepAliveTimeoutMs / 1000))}\r\n`
  }
  return keepAliveText
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
