// Responses whose status, headers and body a host can take apart without the cost of a full web `Response`.

import { FastResponse } from "srvx"
import type { ByteSource } from "../types/byte-source.ts"
import { inheritLazily } from "./inherit-lazily.ts"
import { TextSource } from "./text-source.ts"

export type ResponseContent = string | ByteSource

/** What a response is made of, as long as nobody has asked for the web object. */
export interface ResponseParts {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly content: ResponseContent
}

/** Behaves as a web `Response`, which it makes when something beyond the status is used. */
class LeanResponse {
  readonly #parts: ResponseParts
  #real: Response | undefined

  constructor(parts: ResponseParts) {
    this.#parts = parts
  }

  static partsOf(response: object): ResponseParts | undefined {
    return #parts in response && response.#real === undefined ? response.#parts : undefined
  }

  get status(): number {
    return this.#parts.status
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }

  get real(): Response {
    if (this.#real === undefined) {
      const { status, headers, content } = this.#parts
      this.#real = new Response(typeof content === "string" ? content : toWebStream(content), { status, headers })
    }
    return this.#real
  }
}

inheritLazily(LeanResponse.prototype, Response.prototype)

/** A text longer than this leaves piece by piece. */
const longText = 64 * 1024

/** A whole reply. `onSent` runs when nothing of it is held here any more. */
export function textResponse(
  body: string,
  status: number,
  headers: Readonly<Record<string, string>>,
  onSent: () => void = () => {},
): Response {
  if (body.length > longText) return createResponse({ status, headers, content: new TextSource(body, onSent) })
  onSent()
  return createResponse({ status, headers, content: body })
}

/** A reply that is sent as its source gives it; the client's pace is the source's pace, and a client that leaves cancels it. */
export function streamResponse(
  source: ByteSource,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return createResponse({ status, headers, content: source })
}

/** srvx has a response of its own on Node alone. Other hosts accept nothing but their own class. */
const isTakenApart = (FastResponse as unknown) !== globalThis.Response

function createResponse(parts: ResponseParts): Response {
  const response = new LeanResponse(parts)
  return isTakenApart ? (response as unknown as Response) : response.real
}

/** The response with more headers, which may depend on the names of those that it has. */
export function withHeaders(
  response: Response,
  more: (names: readonly string[]) => Readonly<Record<string, string>>,
): Response {
  const parts = responseParts(response)
  if (parts !== undefined)
    return createResponse({ ...parts, headers: { ...parts.headers, ...more(Object.keys(parts.headers)) } })
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(more([...headers.keys()]))) headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}

/** The parts of a response of this file that nobody has used as a web object; undefined for any other response. */
export function responseParts(response: Response): ResponseParts | undefined {
  return LeanResponse.partsOf(response)
}

/** Nothing is read ahead of the reader. */
export function toWebStream(source: ByteSource): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const piece = await source.pull()
        if (piece === undefined) controller.close()
        else controller.enqueue(piece as Uint8Array<ArrayBuffer>)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
