// The head of a reply, and the frames of a streamed body.

import { STATUS_CODES } from "node:http"
import { isHeaderName, isHeaderValue, ProtocolError } from "./grammar.ts"

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined)
    statusLines.set(status, (line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`))
  return line
}

/** The message decides about these. */
const framing: ReadonlySet<string> = new Set(["connection", "content-length", "keep-alive", "transfer-encoding"])

/**
 * Status line and headers, each with its line end, without those about framing. Names in lower case and values in turn.
 * Throws `ProtocolError` for a header that cannot be written: it would change the message.
 */
export function headText(status: number, headers: Iterable<readonly [name: string, value: string]>): string {
  let text = statusLine(status)
  for (const [name, value] of headers) text += fieldText(name, value)
  return text
}

/** The same for a record of headers. */
export function headTextOf(status: number, headers: Readonly<Record<string, string>>): string {
  let text = statusLine(status)
  for (const name in headers) text += fieldText(name, headers[name] as string)
  return text
}

function fieldText(name: string, value: string): string {
  if (framing.has(name)) return ""
  if (!isHeaderName(name) || !isHeaderValue(value)) throw new ProtocolError(`the header ${name} cannot be written`)
  return `${name}: ${value}\r\n`
}

let dateSecond = 0
let dateText = ""

/** The `date` line; it changes once a second. */
export function dateLine(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = `date: ${new Date(second * 1000).toUTCString()}\r\n`
  }
  return dateText
}

const lineEnd = Buffer.from("\r\n")
const lastChunk = "0\r\n\r\n"

/** Head, pieces and end of a chunked body as one buffer, so that they leave in one write. */
export function chunkedBytes(head: string, pieces: readonly Uint8Array[], isLast: boolean): Buffer {
  let size = head.length + (isLast ? lastChunk.length : 0)
  for (const piece of pieces) size += piece.length + mostFrameBytes
  const bytes = Buffer.allocUnsafe(size)
  let at = bytes.write(head, 0, "latin1")
  for (const piece of pieces) {
    if (piece.length === 0) continue
    at += bytes.write(`${piece.length.toString(16)}\r\n`, at, "latin1")
    bytes.set(piece, at)
    bytes.set(lineEnd, at + piece.length)
    at += piece.length + lineEnd.length
  }
  if (isLast) at += bytes.write(lastChunk, at, "latin1")
  return bytes.subarray(0, at)
}

const mostFrameBytes = 18
