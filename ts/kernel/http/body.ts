// Reads the JSON body of a request within bounds of size, memory and time, on every host.

import { RtrError } from "../error.ts"
import { nextTurn } from "../host/turns.ts"
import { costOfSmall, JsonScan } from "./json-scan.ts"
import { parseJson } from "./json.ts"

/**
 * Largest chat request. Images travel as base64 inside it. One of this size holds the event loop for 140 ms while it is parsed
 * and written again, and vendors take no larger ones (Anthropic 32 MB).
 */
export const maxChatBodyBytes = 32 * 1024 * 1024

/** Largest body of other operations. */
export const maxBodyBytes = 10 * 1024 * 1024

/** Counts what a body takes. */
export interface BodyHolder {
  /** Throws when there is no room. */
  hold(bytes: number): void
}

/** A body up to this size is read at once. */
const smallBodyBytes = 16 * 1024

/** What a piece of a body costs besides its bytes, so that a body in tiny pieces is counted in full. */
const bytesOfPiece = 64

/** A value that takes less memory than this is parsed in a few milliseconds. */
const bytesOfOwnTurn = 1024 * 1024

/**
 * The body's value. Throws `unsupported_media_type`, `request_too_large`, `invalid_request`, `request_timeout` for a body that
 * does not come, `client_closed_request` when the client left, `internal_error` where the host has read the body itself, and what the holder throws. The holder is told how much memory
 * the value will take, of a large body as it comes.
 */
export async function readBody(request: Request, limit: number, holder: BodyHolder): Promise<unknown> {
  const { headers } = request
  if (request.bodyUsed)
    throw new RtrError(
      "internal_error",
      "Cannot read the request: something has read its body already; mount rtr before parsers of bodies, such as express.json()",
    )
  const type = headers.get("content-type")
  if (type === null || !jsonType.test(type)) checkOtherType(type, headers)
  const length = Number(headers.get("content-length") ?? 0)
  if (length > limit) throw tooLarge(limit)
  try {
    // The server's parser enforces the length that a small body declares.
    if (length === 0 || length > smallBodyBytes) return await readLarge(request, limit, holder)
    const text = await request.text()
    holder.hold(costOfSmall(text))
    return parseJson(text)
  } catch (cause) {
    if (cause instanceof RtrError) {
      const encoding = cause.code === "invalid_request" ? headers.get("content-encoding") : null
      throw encoding === null ? cause : unsupported(`its content-encoding must be left out, not ${quote(encoding)}`)
    }
    const code = (cause as { code?: unknown } | null)?.code
    if (code === "ERR_BODY_TOO_LARGE") throw tooLarge(limit)
    if (code === "ERR_BODY_PIECES")
      throw new RtrError("invalid_request", "Cannot read the request: its body comes in chunks that are too small", {
        cause,
      })
    if (code === "ERR_BODY_TIMEOUT")
      throw new RtrError("request_timeout", "Cannot read the request: its body comes too slowly", { cause })
    throw new RtrError("client_closed_request", "The client left before its request was read", { cause })
  }
}

const jsonType = /^application\/([\w.+-]+\+)?json\s*(;|$)/i

/** What `curl -d` and others send when nobody says that it is JSON. */
const unsaidType = /^(application\/x-www-form-urlencoded|text\/plain)\s*(;|$)/i

/**
 * A web page may send texts, forms and bodies without a type to a local listener without asking; JSON it may not. A browser
 * names the page in one of two headers, which programs do not send.
 */
function checkOtherType(type: string | null, headers: Headers): void {
  const isFromProgram = headers.get("origin") === null && headers.get("sec-fetch-site") === null
  if (!isFromProgram || (type !== null && !unsaidType.test(type)))
    throw unsupported("its content-type must be application/json")
}

const unsupported = (reason: string): RtrError =>
  new RtrError("unsupported_media_type", `Cannot read the request: ${reason}`)

const tooLarge = (limit: number): RtrError =>
  new RtrError("request_too_large", `Cannot read the request: its body is larger than ${limit} bytes`)

const quote = (text: string): string => JSON.stringify(text.slice(0, 40))

/** Holds memory for what has come, so that a client that announces much and sends nothing takes no room from the rest. */
async function readLarge(request: Request, limit: number, holder: BodyHolder): Promise<unknown> {
  const decoder = new TextDecoder()
  const scan = new JsonScan()
  let text = ""
  let size = 0
  let counted = 0
  for await (const piece of (request.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > limit) throw tooLarge(limit)
    scan.read(piece)
    holder.hold(scan.cost - counted + bytesOfPiece)
    counted = scan.cost
    text += decoder.decode(piece, { stream: true })
  }
  text += decoder.decode()
  if (counted <= bytesOfOwnTurn) return parseJson(text, scan)
  // Many large bodies that end at the same time are parsed in a turn each.
  await nextTurn()
  const value = parseJson(text, scan)
  // What is done with the value takes as long again.
  await nextTurn()
  return value
}
