// Where a request goes, and the first lines of its head.

import { RtrError } from "../../error.ts"
import type { TransportRequest } from "../../types/transport.ts"
import { isHeaderName, isHeaderValue } from "./grammar.ts"

export interface RequestTarget {
  /** Requests with the same key share connections. */
  readonly key: string
  readonly secure: boolean
  /** Without the brackets of an IPv6 address. */
  readonly host: string
  readonly port: number
  readonly socketPath: string | undefined
  /** Request line, connection and accepted encodings. */
  readonly start: Readonly<Record<"GET" | "POST", string>>
  /** The `host` header. */
  readonly hostLine: string
}

/** A router calls few addresses, again and again. */
const targets = new Map<string, RequestTarget>()
const maxTargets = 1000

/** Throws `internal_error` for an address that is no HTTP URL. */
export function targetOf({ url, socketPath }: TransportRequest): RequestTarget {
  const name = socketPath === undefined ? url : `${socketPath}\0${url}`
  let target = targets.get(name)
  if (target === undefined) {
    target = readTarget(url, socketPath)
    if (targets.size < maxTargets) targets.set(name, target)
  }
  return target
}

function readTarget(text: string, socketPath: string | undefined): RequestTarget {
  if (!URL.canParse(text)) throw unwritable()
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") throw unwritable()
  const secure = url.protocol === "https:"
  const path = `${url.pathname}${url.search}`
  return {
    key: socketPath === undefined ? url.origin : `${url.origin}\0${socketPath}`,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    socketPath,
    start: { GET: `GET ${path} HTTP/1.1\r\n${own}`, POST: `POST ${path} HTTP/1.1\r\n${own}` },
    hostLine: `host: ${url.host}\r\n`,
  }
}

/** Without a word about encodings, a backend may compress its reply. */
const own = "connection: keep-alive\r\naccept-encoding: identity\r\n"

/** The message decides about these; a value that contradicts it would let the backend see another message. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
])

/** The head of a request without its last line, in Latin-1. Throws `internal_error` for a header that cannot be written. */
export function headOf({ start, hostLine }: RequestTarget, { method, headers }: TransportRequest): string {
  let head = start[method]
  let named = false
  for (const name in headers) {
    const value = headers[name] as string
    let line = lines.get(name)
    if (line === undefined || line.value !== value) {
      line = readLine(name, value)
      if (lines.size < maxLines || lines.has(name)) lines.set(name, line)
    }
    if (line.isHost) named = true
    head += line.text
  }
  return named ? head : head + hostLine
}

interface HeaderLine {
  readonly value: string
  readonly isHost: boolean
  readonly text: string
}

/** The last line of each header: most have the same value in every request, and need no second check. */
const lines = new Map<string, HeaderLine>()
const maxLines = 200

function readLine(name: string, value: string): HeaderLine {
  const lower = name.toLowerCase()
  if (!isHeaderName(name) || !isHeaderValue(value) || framing.has(lower)) throw unwritable()
  return { value, isHost: lower === "host", text: lower === "accept-encoding" ? "" : `${name}: ${value}\r\n` }
}

const unwritable = (): RtrError =>
  new RtrError("internal_error", "the request cannot be written: its address or one of its headers is invalid")
