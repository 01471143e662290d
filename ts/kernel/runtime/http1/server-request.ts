// A request of the server as a web `Request` whose parts are made when they are used.

import { maxBodyBytes } from "../../http/body.ts"
import { ownCancelSignal } from "../../http/cancel-signal.ts"
import { inheritLazily } from "../../http/inherit-lazily.ts"
import { toWebStream } from "../../http/response.ts"
import type { ByteSource } from "../../types/byte-source.ts"
import type { CancelSignal } from "../../types/cancel-signal.ts"
import { valueOf } from "./grammar.ts"
import type { RequestHead } from "./request-parser.ts"

/** What a request needs of the exchange that it belongs to. */
export interface IncomingBody extends ByteSource {
  readonly signal: CancelSignal
  /** The body when all of it is there and nobody has read of it. */
  takeWhole(): Uint8Array | undefined
}

/** Reads headers from their list; everything beyond `get` and `has` makes the web object. */
class LeanHeaders {
  readonly #list: readonly string[]
  #real: Headers | undefined

  constructor(list: readonly string[]) {
    this.#list = list
  }

  get(name: string): string | null {
    return this.#real === undefined ? (valueOf(this.#list, name.toLowerCase()) ?? null) : this.#real.get(name)
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

export class LeanRequest {
  readonly #head: RequestHead
  readonly #incoming: IncomingBody
  #headers: LeanHeaders | undefined
  #url: string | undefined
  #controller: AbortController | undefined
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | undefined
  #real: Request | undefined
  #used = false

  constructor(head: RequestHead, incoming: IncomingBody) {
    this.#head = head
    this.#incoming = incoming
  }

  get method(): string {
    return this.#head.method
  }

  get url(): string {
    const { target, host } = this.#head
    return (this.#url ??= target.startsWith("/")
      ? `http://${host === "" ? "localhost" : host}${target}`
      : target === "*"
        ? `http://${host === "" ? "localhost" : host}/*`
        : target)
  }

  get headers(): Headers {
    return (this.#headers ??= new LeanHeaders(this.#head.headers)) as unknown as Headers
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController()
      this.#controller = controller
      const { signal } = this.#incoming
      if (signal.aborted) controller.abort()
      else signal.addEventListener("abort", () => controller.abort())
    }
    return this.#controller.signal
  }

  get [ownCancelSignal](): CancelSignal {
    return this.#incoming.signal
  }

  get #hasBody(): boolean {
    const { method, length } = this.#head
    return length !== 0 && method !== "GET" && method !== "HEAD"
  }

  get bodyUsed(): boolean {
    return this.#used || (this.#real?.bodyUsed ?? false)
  }

  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#real !== undefined) return this.#real.body as ReadableStream<Uint8Array<ArrayBuffer>> | null
    if (!this.#hasBody) return null
    return (this.#stream ??= toWebStream(bounded(this.#incoming)))
  }

  async text(): Promise<string> {
    if (this.#stream !== undefined || this.#real !== undefined) return this.real.text()
    this.#use()
    if (!this.#hasBody) return ""
    const whole = this.#incoming.takeWhole()
    if (whole !== undefined && whole.length <= maxBodyBytes) return decoder.decode(whole)
    return decode(await readWhole(bounded(this.#incoming)))
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  #use(): void {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read")
    this.#used = true
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
inheritLazily(LeanRequest.prototype, Request.prototype)

/** A body past the limit is refused while it comes. */
function bounded(source: ByteSource): ByteSource {
  let size = 0
  const count = (piece: Uint8Array | undefined): Uint8Array | undefined => {
    size += piece?.length ?? 0
    if (size > maxBodyBytes) {
      source.cancel()
      throw Object.assign(new Error(`The body is larger than ${maxBodyBytes} bytes`), { code: "ERR_BODY_TOO_LARGE" })
    }
    return piece
  }
  return {
    pull() {
      const piece = source.pull()
      return piece instanceof Promise ? piece.then(count) : count(piece)
    },
    cancel: (reason) => source.cancel(reason),
  }
}

async function readWhole(source: ByteSource): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  for (;;) {
    const pulled = source.pull()
    const piece = pulled instanceof Promise ? await pulled : pulled
    if (piece === undefined) return pieces
    pieces.push(piece)
  }
}

const decoder = new TextDecoder()

const decode = (pieces: readonly Uint8Array[]): string =>
  decoder.decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))
