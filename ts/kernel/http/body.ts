// Reads a request body with a bound, on every host.

import { RtrError } from "../error.ts"

/** Largest chat request. Images travel as base64 inside it. */
export const maxChatBodyBytes = 64 * 1024 * 1024

/** Largest body of other operations. */
export const maxBodyBytes = 10 * 1024 * 1024

/** Counts what a body takes as it comes. */
export interface BodyHolder {
  /** Throws `overloaded` when there is no room. */
  hold(bytes: number): void
}

const smallBodyBytes = 64 * 1024

/**
 * The body as text. Throws `unsupported_media_type`, `request_too_large`, or `client_closed_request` when the client left,
 * and what the holder throws, which is told the bytes of a large body as they come.
 */
export async function readBody(request: Request, limit: number, holder: BodyHolder): Promise<string> {
  const type = request.headers.get("content-type")
  // A web page may send text, forms and bodies without a type to a local listener without asking; JSON it may not.
  if (type === null && request.headers.get("origin") !== null) throw unsupported()
  if (type !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) throw unsupported()
  const length = Number(request.headers.get("content-length") ?? 0)
  if (length > limit) throw tooLarge(limit)
  try {
    // Small bodies are read at once; the server's parser enforces their declared length. Others are held as they come, so that
    // a client that announces much and sends nothing takes no room from the rest.
    return length > 0 && length <= smallBodyBytes ? await request.text() : await readBounded(request, limit, holder)
  } catch (cause) {
    if ((cause as { code?: unknown } | null)?.code === "ERR_BODY_TOO_LARGE") throw tooLarge(limit)
    if (cause instanceof RtrError) throw cause
    throw new RtrError("client_closed_request", "The client left before its request was read", { cause })
  }
}

const unsupported = (): RtrError =>
  new RtrError("unsupported_media_type", "Cannot read the request: its content-type must be application/json")

const tooLarge = (limit: number): RtrError =>
  new RtrError("request_too_large", `Cannot read the request: its body is larger than ${limit} bytes`)

async function readBounded(request: Request, limit: number, holder: BodyHolder): Promise<string> {
  if (request.body === null) return ""
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    holder.hold(piece.length)
    if (size > limit) throw tooLarge(limit)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
