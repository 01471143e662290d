// A request of node:http as a web `Request` whose parts are made when they are used.

import type { IncomingMessage } from "node:http"
import { maxChatBodyBytes } from "../../http/body.ts"
import { ownCancelSignal } from "../../http/cancel-signal.ts"
import { ownClientAddress } from "../../http/client-address.ts"
import { inheritLazily } from "../../http/inherit-lazily.ts"
import { toWebStream } from "../../http/response.ts"
import type { ByteSource } from "../../types/byte-source.ts"
import type { CancelSignal } from "../../types/cancel-signal.ts"
import { networkOf } from "./network-of.ts"
import { askForBody, type Exchange } from "./send-response.ts"

/** Reads headers from the list of the parser; everything beyond `get` and `has` makes the web object. */
class LeanHeaders {
  readonly #list: readonly string[]
  #real: Headers | undefined

  constructor(list: readonly string[]) {
    this.#list = list
  }

  get(name: string): string | null {
    return this.#real === undefined ? find(this.#list, name.toLowerCase()) : this.#real.get(name)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  get real(): Headers {
    if (this.#real === undefined) {
      this.#real = new Headers()
      for (let at = 0; at < this.#list.length; at += 2)
        this.#real.append(this.#list[at] as string, this.#list[at + 1] as string)
    }
    return this.#real
  }
}

/** Repeated headers are joined with a comma, as the web object does. */
function find(list: readonly string[], wanted: string): string | null {
  let value: string | null = null
  for (let at = 0; at < list.length; at += 2) {
    const name = list[at] as string
    // The length tells most names apart before one of them is changed to lower case.
    if (name.length !== wanted.length || name.toLowerCase() !== wanted) continue
    value = value === null ? (list[at + 1] as string) : `${value}, ${list[at + 1]}`
  }
  return value
}

export class IncomingRequest {
  readonly #exchange: Exchange
  readonly #incoming: IncomingMessage
  readonly [ownCancelSignal]: CancelSignal
  #headers: LeanHeaders | undefined
  #url: string | undefined
  #controller: AbortController | undefined
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #real: Request | undefined
  #used = false

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    this.#incoming = exchange.incoming
    this[ownCancelSignal] = exchange.client
  }

  get method(): string {
    return this.#incoming.method as string
  }

  get url(): string {
    return (this.#url ??= absoluteUrl(this.#incoming.url as string, this.headers.get("host")))
  }

  get headers(): Headers {
    return (this.#headers ??= new LeanHeaders(this.#incoming.rawHeaders)) as unknown as Headers
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      const client = this[ownCancelSignal]
      if (client.aborted) controller.abort()
      else client.addEventListener("abort", () => controller.abort())
    }
    return this.#controller.signal
  }

  get [ownClientAddress](): string | undefined {
    const { remoteAddress } = this.#incoming.socket
    return remoteAddress === undefined ? undefined : networkOf(remoteAddress)
  }

  get #hasBody(): boolean {
    return (
      this.method !== "GET" &&
      this.method !== "HEAD" &&
      (this.headers.has("transfer-encoding") || Number(this.headers.get("content-length") ?? 0) > 0)
    )
  }

  get bodyUsed(): boolean {
    return this.#used || (this.#real?.bodyUsed ?? false)
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#real !== undefined) return this.#real.body as ReadableStream<Uint8Array<ArrayBuffer>> | null
    if (!this.#hasBody) return null
    return (this.#stream ??= toWebStream(sourceOf(this.#exchange)))
  }

  async text(): Promise<string> {
    if (this.#stream !== undefined || this.#real !== undefined) return this.real.text()
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read")
    this.#used = true
    if (!this.#hasBody) return ""
    askForBody(this.#exchange)
    // The parser stands behind the head. When it has read the bytes that the head came in, most bodies are there whole.
    await undefined
    const incoming = this.#incoming
    const length = Number(this.headers.get("content-length") ?? 0)
    const bytes =
      length > 0 && incoming.readableLength === length ? (incoming.read() as Buffer) : await collect(incoming)
    // Lets the end of the body pass.
    incoming.resume()
    return decoder.decode(bytes)
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  get real(): Request {
    if (this.#real === undefined) {
      const body = this.#used ? null : this.body
      this.#real = new Request(this.url, {
        method: this.method,
        headers: (this.headers as unknown as LeanHeaders).real,
        signal: this.signal,
        ...(body !== null && { body, duplex: "half" }),
      } as RequestInit)
    }
    return this.#real
  }
}

inheritLazily(LeanHeaders.prototype, Headers.prototype)
inheritLazily(IncomingRequest.prototype, Request.prototype)

function absoluteUrl(target: string, host: string | null): string {
  const origin = `http://${host === null || host === "" ? "localhost" : host}`
  if (target.startsWith("/")) return origin + target
  return target === "*" ? `${origin}/*` : target
}

const decoder = new TextDecoder()

const clientLeft = (cause?: unknown): Error => new Error("The client left before its request was read", { cause })

const tooLarge = (): Error =>
  Object.assign(new Error(`The body is larger than ${maxChatBodyBytes} bytes`), { code: "ERR_BODY_TOO_LARGE" })

/** The whole body by plain listeners: a stream or an iterator would cost more than the request. */
function collect(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    const onData = (piece: Buffer): void => {
      size += piece.length
      pieces.push(piece)
      if (size <= maxChatBodyBytes) return
      incoming.off("data", onData)
      incoming.pause()
      reject(tooLarge())
    }
    incoming.on("data", onData)
    incoming.once("end", () => resolve(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)))
    incoming.once("error", (cause) => reject(clientLeft(cause)))
    incoming.once("close", () => {
      if (!incoming.readableEnded) reject(clientLeft())
    })
  })
}

/** The body piece by piece. Cancelling leaves the connection open, because the client still gets a reply. */
function sourceOf(exchange: Exchange): ByteSource {
  const { incoming } = exchange
  let pieces: AsyncIterator<Buffer> | undefined
  let size = 0
  return {
    async pull() {
      if (pieces === undefined) {
        askForBody(exchange)
        pieces = incoming.iterator({ destroyOnReturn: false })
      }
      let result: IteratorResult<Buffer>
      try {
        result = await pieces.next()
      } catch (cause) {
        throw clientLeft(cause)
      }
      if (result.done === true) return undefined
      size += result.value.length
      if (size > maxChatBodyBytes) throw tooLarge()
      return result.value
    },
    cancel: () => void pieces?.return?.(),
  }
}
