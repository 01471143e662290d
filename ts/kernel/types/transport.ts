// The port for calls to backends and workers. Node uses undici's dispatcher, other hosts `fetch`.

export interface TransportRequest {
  readonly method: "GET" | "POST"
  /** Absolute URL. With `socketPath` the host part is only a name. */
  readonly url: string
  /** Unix socket to connect to; hosts without Unix sockets refuse it. */
  readonly socketPath?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** Longest wait for the response headers. */
  readonly headersTimeoutMs: number
  /** Longest silence between two pieces of the body. */
  readonly bodyTimeoutMs: number
}

export interface TransportResponse {
  readonly status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The whole body as text. Rejects with `upstream_error` past `maxBytes`. */
  text(maxBytes: number): Promise<string>
  /** The body piece by piece, pulled by the reader. Ending the loop early closes the connection. */
  pieces(): AsyncIterable<Uint8Array>
  /** Closes the connection without reading the rest. */
  cancel(): void
}

/**
 * Sends one request. Rejects with an `RtrError`: `upstream_unavailable` (no connection, or it broke before the headers),
 * `upstream_timeout`, or `client_closed_request` when `signal` aborted.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>
  close(): Promise<void>
}
