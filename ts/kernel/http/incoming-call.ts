// A request of a client as a call of the pipeline.

import type { Call } from "../types/call.ts"
import type { ChatRequest } from "../types/chat.ts"
import type { Principal } from "../types/principal.ts"
import type { CancelSignal } from "../types/cancel-signal.ts"
import { cancelSignalOf } from "./cancel-signal.ts"

export interface CallSource {
  readonly id: string
  readonly dialect: string
  readonly header: (name: string) => string | undefined
  readonly principal: Principal
  readonly startedAt: number
  readonly listener: string
  readonly endpoint: string
  readonly grants: ReadonlySet<string> | undefined
  readonly upstreamTimeoutMs: number
  readonly hold: (bytes: number) => void
}

/** The abort signal and the listeners of a call are made when somebody asks for them, which most requests never do. */
export class IncomingCall implements Call {
  readonly id: string
  readonly request: ChatRequest
  readonly dialect: string
  readonly header: (name: string) => string | undefined
  readonly principal: Principal
  readonly startedAt: number
  readonly listener: string
  readonly endpoint: string
  readonly grants: ReadonlySet<string> | undefined
  readonly upstreamTimeoutMs: number
  readonly hold: (bytes: number) => void
  readonly #incoming: Request

  constructor(incoming: Request, request: ChatRequest, source: CallSource) {
    this.id = source.id
    this.request = request
    this.dialect = source.dialect
    this.header = source.header
    this.principal = source.principal
    this.startedAt = source.startedAt
    this.listener = source.listener
    this.endpoint = source.endpoint
    this.grants = source.grants
    this.upstreamTimeoutMs = source.upstreamTimeoutMs
    this.hold = source.hold
    this.#incoming = incoming
  }

  get client(): CancelSignal {
    return cancelSignalOf(this.#incoming)
  }

  get signal(): AbortSignal {
    return this.#incoming.signal
  }
}
