// A dialect is a wire protocol for chat: one module translates it to and from the canonical form.

import type { TSchema } from "typebox"
import type { RtrError } from "../error.ts"
import type { ChatEvent, ChatReply, ChatRequest, StreamBatch, UpstreamFailure } from "./chat.ts"
import type { ModuleBase } from "./module-base.ts"
import type { JsonValue } from "./store.ts"

export type WireObject = Readonly<Record<string, JsonValue>>

export interface StreamReaderOptions {
  /** `false` says that nobody looks at the events: bytes, usage and the end are enough. */
  readonly events: boolean
  /** The client's dialect, where it is known. One of another dialect gets none of the text that the events were read from. */
  readonly client?: string
  /** The client's request, where the backend was asked to count (`RequestTarget.counts`). A count that it did not ask for is left out. */
  readonly counted?: ChatRequest
}

/** Turns the bytes of an upstream's stream into batches. A state machine: one for each stream. */
export interface StreamReader {
  /**
   * What these bytes completed; undefined while no event is whole. Throws `upstream_error` for what is no event of the dialect.
   * Whole events before it in the same bytes are returned first; then the next call throws, also one with no bytes.
   * The batch's bytes may be a view of the given ones.
   */
  read(bytes: Uint8Array): StreamBatch | undefined
  /** The upstream has ended. Throws `upstream_error` when its reply is not complete. */
  end(): StreamBatch | undefined
}

/**
 * Turns canonical events into the bytes of a client's stream. A state machine: one for each stream, which has to see every event.
 * Events that the same dialect read and nobody changed go out as they came.
 */
export interface StreamWriter {
  write(events: readonly ChatEvent[]): Uint8Array
  /** What ends the stream. */
  end(): Uint8Array
  /** The event that ends a stream which broke, for a wire that numbers its events; `errorEvent` of the dialect otherwise. */
  error?(error: RtrError, requestId: string): Uint8Array
  /** Bytes of the stream that it keeps to its end, for a wire whose end repeats the reply. They count as memory of the request. */
  kept?(): number
}

/** The model that a request is written for. */
export interface RequestTarget {
  /** Its name at the backend. */
  readonly model: string
  /** Its card as the document has it. */
  readonly card?: Readonly<Record<string, unknown>> | undefined
  /** The model has a price, so the backend has to tell the tokens of its reply, also of a stream. */
  readonly counts?: boolean
}

/** Shapes of a wire for the OpenAPI document. */
export interface DialectSchemas {
  /** `readRequest` is what checks requests. */
  readonly request: TSchema
  readonly reply: TSchema
  readonly error: TSchema
  /** The data of one event of a stream, for a dialect whose events are JSON. An error event has the shape of an error. */
  readonly event?: TSchema
}

export interface DialectModule extends ModuleBase {
  readonly kind: "dialect"
  /** Content type of a streamed reply. */
  readonly streamType: string
  /** Called when somebody asks for the OpenAPI document, so that what makes the shapes need not load before. */
  schemas(): DialectSchemas | Promise<DialectSchemas>
  /**
   * Headers of a client that go on to a backend of the same dialect, lower case, where the value is what the pattern says. Who
   * sends one speaks the dialect: errors of paths that belong to no dialect have its shape then.
   */
  readonly clientHeaders?: Readonly<Record<string, RegExp>>
  /** One more header of a reply that tells the request id, for clients that do not know `x-request-id`. */
  readonly idHeader?: string
  /** Names of fields and values of this wire that say nothing by themselves, beside those that many protocols have. Guards skip them. */
  readonly wireTerms?: ReadonlySet<string>
  /** Fields of requests that name what a backend keeps, such as earlier turns. Nobody can read it here, so guards count it as unread. */
  readonly references?: ReadonlySet<string>
  /** Reads a client's body, already parsed. Throws `invalid_request` that names the field. */
  readRequest(body: unknown): ChatRequest
  /** The body for an upstream. What was read by this dialect and not replaced goes out as it came in. Throws `invalid_request` for what the dialect cannot say. */
  writeRequest(request: ChatRequest, target: RequestTarget): WireObject
  /**
   * Names of fields in the body of a client of another dialect that have no counterpart in `body`, which this dialect wrote for
   * the request. The client may have made them up.
   */
  leftOut?(request: ChatRequest, body: WireObject): readonly string[]
  /** Reads an upstream's whole reply. Throws `upstream_error`. */
  readReply(text: string): ChatReply
  /** A whole reply for the client, with the routing metadata. `request` is what the client sent, for a wire that repeats it. */
  writeReply(reply: ChatReply, metadata: WireObject, request?: ChatRequest): string
  reader(options: StreamReaderOptions): StreamReader
  writer(request: ChatRequest): StreamWriter
  /** What an upstream's error body says; undefined for a body that is not of this dialect. */
  readError(body: WireObject): Pick<UpstreamFailure, "message" | "code"> | undefined
  errorBody(error: RtrError, requestId: string): WireObject
  /** An upstream's failure for the client, in the client's dialect. */
  failureBody(failure: UpstreamFailure, requestId: string): WireObject
  /** The event that ends a stream whose head has left. `last` is the last event that went on unread (`StreamBatch.last`). */
  errorEvent(error: RtrError, requestId: string, last?: string): Uint8Array
}
