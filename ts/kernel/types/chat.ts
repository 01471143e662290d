// The canonical chat request, reply and stream: the chat-completions wire with unknown fields riding along untouched.

export interface ChatContentPart {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}

export interface ChatMessage {
  readonly role: string
  readonly content?: string | readonly ChatContentPart[] | null
  readonly [field: string]: unknown
}

export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly [field: string]: unknown
}

/** A whole reply (`object: "chat.completion"`), or the JSON object of an upstream error. */
export interface ChatReply {
  readonly model?: string
  readonly usage?: ChatUsage | null
  readonly [field: string]: unknown
}

/** One streamed event (`object: "chat.completion.chunk"`). */
export interface ChatChunk {
  readonly model?: string
  readonly usage?: ChatUsage | null
  readonly [field: string]: unknown
}

/** What one read from the upstream held. `bytes` is the wire form when no plugin changed the chunks. */
export interface ChunkBatch {
  readonly chunks: readonly ChatChunk[]
  readonly bytes?: Uint8Array
  readonly done: boolean
}

export interface JsonReply {
  readonly kind: "json"
  readonly status: number
  readonly body: ChatReply
  /** The body as the upstream wrote it, when no plugin changed it. */
  readonly text?: string
  /** Headers of the upstream that the client may see, lower case. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface StreamReply {
  readonly kind: "stream"
  readonly status: number
  readonly batches: AsyncIterable<ChunkBatch>
  readonly headers?: Readonly<Record<string, string>>
}

export type Reply = JsonReply | StreamReply
