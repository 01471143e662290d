// A request of node:http as a web `Request` whose parts are made when they are used.

import type { IncomingMessage } from "node:http"
import { ownCancelSignal } from "../../http/cancel-signal.ts"
import { ownClientAddress } from "../../http/client-address.ts"
import { inheritLazily } from "../../http/inherit-lazily.ts"
import { toWebStream } from "../../http/response.ts"
import type { ByteSource } from "../../types/byte-source.ts"
import type { CancelSignal } from "../../types/cancel-signal.ts"
import { BodySource } from "./body-source.ts"
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
    // A parser of the host, such as express.json(), may have come first.
    return this.#used || (this.#real?.bodyUsed ?? (this.#incoming.readableEnded && this.#hasBody))
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
    if (length === 0 || incoming.readableLength !== length) return collect(sourceOf(this.#exchange))
    const bytes = incoming.read() as Buffer
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

/** The whole body. A stream or an iterator would cost more than the request. */
async function collect(source: ByteSource): Promise<string> {
  const pieces: Uint8Array[] = []
  for (;;) {
    const pulled = source.pull()
    const piece = pulled instanceof Promise ? await pulled : pulled
    if (piece === undefined) return decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
    pieces.push(piece)
  }
}

/** The body piece by piece, which the client is asked for with the first one. */
function sourceOf(exchange: Exchange): ByteSource {
  const source = new BodySource(exchange)
  return {
    pull() {
      askForBody(exchange)
      return source.pull()
    },
    cancel: () => source.cancel(),
  }
}
