// The port for calls to backends and workers. Node has its own HTTP/1.1 client, other hosts use `fetch`.

import type { ByteSource } from "./byte-source.ts"
import type { CancelSignal } from "./cancel-signal.ts"

export interface TransportRequest {
  readonly method: "GET" | "POST"
  /** Absolute URL. With `socketPath` the host part is only a name. */
  readonly url: string
  /** Unix socket to connect to; hosts without Unix sockets refuse it. */
  readonly socketPath?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Cancels the request and its reply. */
  readonly signal?: CancelSignal
  /** Longest wait for a connection; ten seconds when left out. Hosts that send with `fetch` cannot tell and do without. */
  readonly connectTimeoutMs?: number
  /** Told when there is a connection and the request goes out. What fails before has not reached the backend. */
  readonly onSent?: () => void
  /** Longest wait for the response headers. */
  readonly headersTimeoutMs: number
  /** Longest silence between two pieces of the body. */
  readonly bodyTimeoutMs: number
}

/** A reply as soon as its headers are there. Read it to its end or cancel it: its connection is busy until then. */
export interface TransportResponse extends ByteSource {
  readonly status: number
  /** Names in lower case and values in turn, in the order of the wire. */
  readonly headerList: readonly string[]
  /** The value of a header, by its name in lower case; repeated headers are joined with a comma. */
  header(name: string): string | undefined
  /** The whole body as text. Rejects with `upstream_error` past `maxBytes`, and with what `hold` throws, which is told the bytes as they come. */
  text(maxBytes: number, hold?: (bytes: number) => void): Promise<string>
}

/**
 * Sends one request. Rejects with an `RtrError`: `upstream_unavailable` (no connection, or it broke before the headers),
 * `upstream_timeout`, or `client_closed_request` when `signal` aborted.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>
  close(): Promise<void>
}
