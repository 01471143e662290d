// One connection to a backend: a socket, its timer, and the exchange that it carries.

import { connect, isIP, type Socket } from "node:net"
import { connect as connectSecurely, type ConnectionOptions } from "node:tls"
import { RtrError, secondsText } from "../../error.ts"
import type { Exchange, ExchangeConnection } from "./exchange.ts"
import { failureOf, type Moment } from "./failure.ts"
import { ProtocolError } from "./grammar.ts"
import { ReplyParser } from "./reply-parser.ts"
import type { RequestTarget } from "./target.ts"
import { writeTogether } from "../write-together.ts"

export const connectTimeoutMs = 10_000
/** An idle connection is given up after this time, unless the backend says how long it keeps it. */
const idleMs = 4000
const maxIdleMs = 600_000
/** The backend's clock started before ours: a request must not meet the end of its patience. */
const keepAliveMarginMs = 2000
/** Deadlines are looked at this often at least; setting a timer for each request costs more. */
const tickMs = 1000

/** Plain sockets of the process read into one buffer: each read is parsed before the next one starts. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

export interface ConnectionOwner {
  /** The connection can carry another request. */
  onIdle(connection: Connection): void
  /** The connection is gone. */
  onClose(connection: Connection): void
  /** What a TLS session needs to be resumed. */
  session?: Buffer
}

export class Connection implements ExchangeConnection {
  readonly #owner: ConnectionOwner
  readonly #socket: Socket
  readonly #parser: ReplyParser
  #exchange: Exchange | undefined
  #moment: Moment | "idle" = "connecting"
  #deadline = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #ended = false
  #held = true
  #keepAlive: string | undefined
  #idleMs = idleMs
  #cause: unknown

  /** Starts to connect; `exchange` is the first that it carries. */
  constructor(target: RequestTarget, owner: ConnectionOwner, exchange: Exchange, head: string) {
    this.#owner = owner
    this.#parser = new ReplyParser({
      onHead: (status, headers) => {
        this.#exchange?.onHead(status, headers)
        this.#moment = "reading"
      },
      onBody: (piece) => this.#exchange?.onBody(piece),
      onEnd: () => {
        this.#ended = true
        this.#exchange?.onEnd()
      },
    })
    this.#exchange = exchange
    exchange.connection = this
    this.#expectWithin(exchange.request.connectTimeoutMs ?? connectTimeoutMs)
    this.#socket = target.secure ? this.#openSecure(target) : this.#openPlain(target)
    this.#socket.setNoDelay(true)
    // A plain socket with a buffer of its own tells its end as others do.
    this.#socket.on("end", () => this.#onEnd())
    this.#socket.on("error", (cause) => {
      this.#cause ??= cause
    })
    this.#socket.on("close", () => this.#onClose())
    this.#write(head, exchange.request.body)
  }

  #openPlain(target: RequestTarget): Socket {
    const place =
      target.socketPath === undefined ? { host: target.host, port: target.port } : { path: target.socketPath }
    const socket = connect({
      ...place,
      onread: { buffer: readBuffer, callback: (length, buffer) => this.#onRead(buffer as Buffer, length) },
    })
    socket.once("connect", () => this.#onConnect())
    return socket
  }

  #openSecure(target: RequestTarget): Socket {
    const place =
      target.socketPath === undefined ? { host: target.host, port: target.port } : { path: target.socketPath }
    const options: ConnectionOptions = {
      ...place,
      servername: isIP(target.host) === 0 ? target.host : "",
      ALPNProtocols: ["http/1.1"],
    }
    if (this.#owner.session !== undefined) options.session = this.#owner.session
    const socket = connectSecurely(options)
    socket.on("session", (session) => (this.#owner.session = session))
    socket.once("secureConnect", () => this.#onConnect())
    socket.on("data", (piece: Buffer) => void this.#onRead(piece, piece.length))
    return socket
  }

  /** False from the moment when the connection is given up, which is before the socket tells its end. */
  get usable(): boolean {
    return !this.#socket.destroyed
  }

  // ── one exchange ──

  /** The connection is idle and takes this one. */
  carry(exchange: Exchange, head: string): void {
    this.#exchange = exchange
    exchange.connection = this
    this.#parser.reset()
    this.#ended = false
    this.#moment = "waiting"
    exchange.request.onSent?.()
    this.#expectWithin(exchange.request.headersTimeoutMs)
    this.#hold(true)
    writeTogether(() => {
      // One that was given up in the meantime has its socket closed.
      if (this.#exchange === exchange) this.#write(head, exchange.request.body)
    })
  }

  /** One write for head and body: two cost a system call or a vector more. */
  #write(head: string, body: string | undefined): void {
    if (body === undefined) this.#socket.write(`${head}\r\n`, "latin1")
    else {
      const length = Buffer.byteLength(body)
      const text = `${head}content-length: ${length}\r\n\r\n`
      // A text in ASCII alone is the same in both encodings, and the shorter one is written without a second buffer.
      if (length === body.length) this.#socket.write(text + body, "latin1")
      else {
        this.#socket.cork()
        this.#socket.write(text, "latin1")
        this.#socket.write(body, "utf8")
        this.#socket.uncork()
      }
    }
  }

  pause(): void {
    this.#deadline = Number.POSITIVE_INFINITY
    this.#socket.pause()
  }

  resume(): void {
    if (this.#exchange !== undefined) this.#expectWithin(this.#exchange.request.bodyTimeoutMs)
    this.#socket.resume()
  }

  abandon(): void {
    this.#exchange = undefined
    this.#socket.destroy()
  }

  // ── what the socket tells ──

  #onConnect(): void {
    if (this.#exchange === undefined) return
    this.#moment = "waiting"
    this.#exchange.request.onSent?.()
    this.#expectWithin(this.#exchange.request.headersTimeoutMs)
  }

  #onRead(buffer: Buffer, length: number): boolean {
    const exchange = this.#exchange
    if (exchange === undefined) {
      // Nobody asked: the reply of the next request must not be this.
      this.#socket.destroy()
      return false
    }
    const bytes = buffer.length === length ? buffer : buffer.subarray(0, length)
    let broken: unknown
    try {
      this.#parser.read(bytes)
    } catch (error) {
      broken = error
    }
    if (this.#moment === "reading") this.#expectWithin(exchange.request.bodyTimeoutMs)
    exchange.flush()
    if (broken !== undefined) {
      this.#cause ??= broken
      this.#fail(broken instanceof ProtocolError ? broken : new Error("cannot read the reply", { cause: broken }))
    } else if (this.#ended) this.#release()
    return true
  }

  #release(): void {
    this.#exchange = undefined
    // A backend that answers before it has the whole request may take its rest for the next one.
    if (!this.#parser.reusable || this.#socket.writableLength > 0 || this.#socket.destroyed || !this.#keeps()) {
      this.#socket.destroy()
      return
    }
    this.#moment = "idle"
    this.#expectWithin(this.#idleMs)
    this.#hold(false)
    this.#owner.onIdle(this)
  }

  /** Reads how long the backend keeps the connection. False when that is too short for another request. */
  #keeps(): boolean {
    const { keepAlive } = this.#parser
    if (keepAlive !== this.#keepAlive) {
      this.#keepAlive = keepAlive
      const seconds = /(?:^|[\s,])timeout=(\d+)/i.exec(keepAlive ?? "")?.[1]
      this.#idleMs = seconds === undefined ? idleMs : Math.min(Number(seconds) * 1000 - keepAliveMarginMs, maxIdleMs)
    }
    return this.#idleMs > 0
  }

  #onEnd(): void {
    if (this.#exchange !== undefined && this.#moment === "reading" && this.#parser.untilClose) {
      const exchange = this.#exchange
      this.#exchange = undefined
      exchange.onEnd()
      exchange.flush()
    }
    this.#socket.destroy()
  }

  #onClose(): void {
    clearTimeout(this.#timer)
    this.#fail(this.#cause ?? new Error("the connection was closed"))
    this.#owner.onClose(this)
  }

  #fail(cause: unknown): void {
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.onFailure(failureOf(cause, this.#moment === "idle" ? "reading" : this.#moment))
    this.#socket.destroy()
  }

  /** Ends the connection, whatever it does. */
  close(): void {
    this.#socket.destroy()
  }

  // ── time ──

  #expectWithin(ms: number): void {
    this.#deadline = performance.now() + ms
    if (this.#timerAt <= this.#deadline) return
    clearTimeout(this.#timer)
    this.#setTimer(Math.min(ms, tickMs))
  }

  #setTimer(ms: number): void {
    this.#timerAt = performance.now() + ms
    this.#timer = setTimeout(() => this.#onTimer(), ms)
    this.#timer.unref()
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    const left = this.#deadline - performance.now()
    if (left > 0) return this.#setTimer(Math.min(Math.ceil(left), tickMs))
    const { request } = this.#exchange ?? {}
    switch (this.#moment) {
      case "connecting":
        return this.#fail(timeout(`no connection within ${secondsText(request?.connectTimeoutMs ?? connectTimeoutMs)}`))
      case "waiting":
        return this.#fail(timeout(`no answer within ${secondsText(request?.headersTimeoutMs ?? 0)}`))
      case "reading":
        return this.#fail(timeout(`the reply paused for more than ${secondsText(request?.bodyTimeoutMs ?? 0)}`))
      case "idle":
        this.#socket.destroy()
    }
  }

  /** An idle connection does not keep the process alive. */
  #hold(held: boolean): void {
    if (this.#held === held) return
    this.#held = held
    if (held) this.#socket.ref()
    else this.#socket.unref()
  }
}

const timeout = (message: string): RtrError => new RtrError("upstream_timeout", message)
