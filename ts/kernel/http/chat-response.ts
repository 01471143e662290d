// Writes the outcome of a chat request in the client's dialect: a whole reply, an upstream's failure, or a stream.

import type { RtrError } from "../error.ts"
import type { CallRecord } from "../types/call.ts"
import type { ChatRequest, ChatStream, StreamBatch, StreamedReply } from "../types/chat.ts"
import type { ByteSource } from "../types/byte-source.ts"
import type { StreamWriter } from "../types/dialect.ts"
import type { ChatResult, ReplyWriter } from "../types/route.ts"
import { toPublicError } from "./error-body.ts"
import { streamResponse, textResponse } from "./response.ts"
import { routingMetadata, type RoutingHeaders } from "./routing-headers.ts"

/** How one operation answers its clients. */
export interface ChatResponder {
  /** Empty where the form is no dialect. */
  readonly dialectId: string
  readonly dialect: ReplyWriter
  readonly headers: RoutingHeaders
  /** Told about errors that are bugs and break a stream, whose head has left. */
  readonly onInternalError: ((error: unknown, requestId: string) => void) | undefined
}

/** The response to one request. `end` runs once, when the reply or the stream has ended, however it ended. */
export function chatResponse(
  responder: ChatResponder,
  { outcome: { record, reply }, filter }: ChatResult,
  request: ChatRequest,
  end: () => void,
): Response | Promise<Response> {
  const { dialect, headers } = responder
  const isStream = reply.kind === "stream"
  const head = headers(record, isStream ? dialect.streamType : "application/json")
  if (dialect.idHeader !== undefined) head[dialect.idHeader] = record.id
  for (const name in reply.headers) if (!(name in head)) head[name] = reply.headers[name] as string
  if (isStream) {
    head["cache-control"] = "no-cache"
    // Proxies such as nginx would hold the events back.
    head["x-accel-buffering"] = "no"
    const bytes = new ReplyBytes(responder, record, reply, request, end)
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
  readonly #end: () => void
  #writer: StreamWriter | undefined
  /** The last batch was written here and not passed on, so that the end has to be written too. */
  #writes: boolean
  #ended = false

  constructor(
    responder: ChatResponder,
    record: CallRecord,
    reply: StreamedReply,
    request: ChatRequest,
    end: () => void,
  ) {
    this.#responder = responder
    this.#record = record
    this.#stream = reply.stream
    this.#passes = reply.dialect === responder.dialectId
    this.#writes = !this.#passes
    this.#request = request
    this.#end = end
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
    if (!this.#writes && batch.events.length === 0) return batch.bytes as Uint8Array
    // The writer sees every event, also those whose bytes go on, so that it can take over when a plugin changes one.
    this.#writer ??= this.#responder.dialect.writer(this.#request)
    const written = this.#writer.write(batch.events)
    return this.#writes ? written : (batch.bytes as Uint8Array)
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
    if (known.code === "internal_error") this.#responder.onInternalError?.(known.cause ?? error, this.#record.id)
    this.#finish()
    const id = this.#record.id
    return this.#writer?.error?.(known, id) ?? this.#responder.dialect.errorEvent(known, id)
  }

  #finish(): void {
    this.#ended = true
    this.#end()
  }
}
