// What a request tells the scripted backend, in its `user` key, which the router passes on.

export interface Script {
  /** The reply repeats it as `said <id>.`, so that a client knows its own reply; the backend notices one that comes twice. */
  readonly id?: string
  /** A backend that answers with an error, ends the connection, answers with no JSON, or breaks a stream off. */
  readonly fault?: "status" | "reset" | "no-json" | "half"
  /** Of a stream: how many events, how long between them, and how long their texts. */
  readonly events?: number
  readonly pauseMs?: number
  readonly eventBytes?: number
}

export interface BackendCounts {
  readonly requests: number
  /** Requests with an id that had come before. */
  readonly twice: number
}
