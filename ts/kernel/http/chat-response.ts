// Writes the outcome of a chat request in the client's dialect: a whole reply, an upstream's failure, or a stream.

import type { RtrError } from "../error.ts"
import type { CallRecord } from "../types/call.ts"
import type { ChatRequest, ChatStream, StreamBatch, StreamedReply } from "../types/chat.ts"
import type { ByteSource } from "../types/byte-source.ts"
import type { StreamWriter } from "../types/dialect.ts"
import type { ChatResult, ReplyWriter } from "../types/route.ts"
import { toPublicError } from "./error-body.ts"
import { streamResponse, textResponse } from "./response.ts"
import { routingMetadata, type RoutingHeaders } from "./headers/routing-headers.ts"

/** How one operation answers its clients. */
export interface ChatResponder {
  /** Empty where the form is no dialect. */
  readonly dialectId: string
  readonly dialect: ReplyWriter
  readonly headers: RoutingHeaders
  /** Told about errors that are bugs and break a stream, whose head has left. */
  readonly onInternalError: ((error: unknown, requestId: string) => void) | undefined
}

/** What a request holds until its reply or stream has ended. */
export interface ReplyLease {
  readonly hold: (bytes: number) => void
  /** Runs once, however the reply or the stream ended. */
  end(): void
}

/** The writer keeps texts, joins them, and writes them into several events at the end. */
const copiesOfKept = 6
/** What is kept is counted in steps of so many bytes, so that a short reply counts nothing. */
const keptStep = 65_536

/** The response to one request. */
export function chatResponse(
  responder: ChatResponder,
  { outcome: { record, reply }, filter }: ChatResult,
  request: ChatRequest,
  lease: ReplyLease,
  debug?: Readonly<Record<string, string>>,
): Response | Promise<Response> {
  const end = (): void => lease.end()
  const { dialect, headers } = responder
  const isStream = reply.kind === "stream"
  const head = headers(record, isStream ? dialect.streamType : "application/json")
  if (dialect.idHeader !== undefined) head[dialect.idHeader] = record.id
  if (debug !== undefined) Object.assign(head, debug)
  for (const name in reply.headers) if (!(name in head)) head[name] = reply.headers[name] as string
  if (isStream) {
    head["cache-control"] = "no-cache"
    // Proxies such as nginx would hold the events back.
    head["x-accel-buffering"] = "no"
    const bytes = new ReplyBytes(responder, record, reply, request, lease)
    return streamResponse(filter === undefined ? bytes : filter.stream(bytes), reply.status, head)
  }
  if (reply.kind === "failure")
    return textResponse(JSON.stringify(dialect.failureBody(reply, record.id)), reply.status, head, end)
  const text = dialect.writeReply(reply.reply, routingMetadata(record), request)
  if (filter === undefined) return textResponse(text, reply.status, head, end)
  return filter.whole(text).then((filtered) => textResponse(filtered, reply.status, head, end))
}

/** The bytes of a streamed reply, pulled at the client's pace. */
class ReplyBytes implements ByteSource {
  readonly #responder: ChatResponder
  readonly #record: CallRecord
  readonly #stream: ChatStream
  /** The stream speaks the client's dialect, so that its bytes may go on as they came. */
  readonly #passes: boolean
  readonly #request: ChatRequest
  readonly #lease: ReplyLease
  /** Bytes that the writer keeps and that are counted. */
  #counted = 0
  #writer: StreamWriter | undefined
  /** The last batch was written here and not passed on, so that the end has to be written too. */
  #writes: boolean
  /** Of the batches that passed. */
  #lastEvent: string | undefined
  #ended = false

  constructor(
    responder: ChatResponder,
    record: CallRecord,
    reply: StreamedReply,
    request: ChatRequest,
    lease: ReplyLease,
  ) {
    this.#responder = responder
    this.#record = record
    this.#stream = reply.stream
    this.#passes = reply.dialect === responder.dialectId
    this.#writes = !this.#passes
    this.#request = request
    this.#lease = lease
  }

  async pull(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined
    try {
      // A batch may come to nothing, as when a plugin drops its events.
      for (;;) {
        const batch = await this.#stream.next()
        if (batch === undefined) return this.#last()
        const bytes = this.#bytesOf(batch)
        if (bytes.length > 0) return bytes
      }
    } catch (error) {
      return this.#broken(error)
    }
  }

  /** The client has left. */
  cancel(): void {
    if (this.#ended) return
    this.#finish()
    this.#stream.cancel()
  }

  #bytesOf(batch: StreamBatch): Uint8Array {
    this.#writes = !this.#passes || batch.bytes === undefined
    if (!this.#writes && batch.events.length === 0) {
      this.#lastEvent = batch.last ?? this.#lastEvent
      return batch.bytes as Uint8Array
    }
    // The writer sees every event, also those whose bytes go on, so that it can take over when a plugin changes one.
    this.#writer ??= this.#responder.dialect.writer(this.#request)
    const written = this.#writer.write(batch.events)
    const uncounted = (this.#writer.kept?.() ?? 0) - this.#counted
    if (uncounted > keptStep) this.#count(uncounted)
    return this.#writes ? written : (batch.bytes as Uint8Array)
  }

  /** Throws where there is no room for more: a stream that never ends would take all the memory. */
  #count(bytes: number): void {
    this.#counted += bytes
    try {
      this.#lease.hold(bytes * copiesOfKept)
    } catch (error) {
      this.#stream.cancel()
      throw error
    }
  }

  #last(): Uint8Array | undefined {
    const bytes = this.#writes ? (this.#writer ?? this.#responder.dialect.writer(this.#request)).end() : undefined
    this.#finish()
    return bytes === undefined || bytes.length === 0 ? undefined : bytes
  }

  /** The status line has left, so the error travels as an event in the client's format. */
  #broken(error: unknown): Uint8Array | undefined {
    if (this.#ended) return undefined
    const known: RtrError = toPublicError(error)
    if (known !== error || known.code === "internal_error")
      this.#responder.onInternalError?.(known.cause ?? error, this.#record.id)
    this.#finish()
    const id = this.#record.id
    return this.#writer?.error?.(known, id) ?? this.#responder.dialect.errorEvent(known, id, this.#lastEvent)
  }

  #finish(): void {
    this.#ended = true
    this.#lease.end()
  }
}
