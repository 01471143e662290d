// The canonical chat form: what signals, plugins, loopers and selectors see, whatever protocol the client or the backend speaks.
// Every node is readonly. A change is a new node, so a dialect can tell what it read itself and pass that on as it came.

import type { JsonValue } from "./store.ts"

// ── blocks ──

export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "base64"; readonly data: string; readonly mediaType?: string }
  | { readonly kind: "id"; readonly id: string }

/** What a text of the model rests on. */
export interface Citation {
  /** The part of its block's text, in Unicode characters, without the one at `end`; the whole block when left out. */
  readonly start?: number
  readonly end?: number
  readonly url?: string
  /** Of the page, or the name of the document. */
  readonly title?: string
  /** What the source says. */
  readonly quote?: string
  /** It is a document of the conversation, which may have an id. */
  readonly document?: { readonly id?: string }
  /** As the dialect has it that read it. */
  readonly original?: { readonly dialect: string; readonly value: JsonValue }
}
export interface TextBlock {
  readonly type: "text"
  readonly text: string
  /** It came beside the message as a document, and is not what somebody says. */
  readonly isDocument?: true
  readonly citations?: readonly Citation[]
}
export interface ImageBlock {
  readonly type: "image"
  readonly source: MediaSource
  readonly detail?: string
}
export interface AudioBlock {
  readonly type: "audio"
  readonly source: MediaSource
  readonly transcript?: string
}
export interface FileBlock {
  readonly type: "file"
  readonly source: MediaSource
  readonly name?: string
}
export interface ToolCallBlock {
  readonly type: "tool_call"
  readonly id: string
  readonly name: string
  /** JSON text for a function, free text for a custom tool, as the model wrote it. */
  readonly arguments: string
  /** `function` when left out. */
  readonly form?: "function" | "custom"
}
export interface ToolResultBlock {
  readonly type: "tool_result"
  readonly callId: string
  readonly blocks: readonly Block[]
  readonly isError?: boolean
}
/** A model of the document, and the protocol of the backend that answered for it. */
export interface Thinker {
  readonly model: string
  readonly dialect: string
}
export interface ReasoningBlock {
  readonly type: "reasoning"
  readonly text: string
  /** Proof of origin that the same vendor wants back. */
  readonly signature?: string
  /** Content that only the vendor can read. */
  readonly encrypted?: string
  /** Whose it is, if the router itself has kept it. Others do not get it. */
  readonly thoughtBy?: Thinker
}
export interface RefusalBlock {
  readonly type: "refusal"
  readonly text: string
}
/** What only one dialect knows. It travels inside that dialect and has no counterpart elsewhere. */
export interface OpaqueBlock {
  readonly type: "opaque"
  readonly dialect: string
  readonly value: JsonValue
  /** Text in it that a backend may read. */
  readonly text?: string
}

export type Block =
  | TextBlock
  | ImageBlock
  | AudioBlock
  | FileBlock
  | ToolCallBlock
  | ToolResultBlock
  | ReasoningBlock
  | RefusalBlock
  | OpaqueBlock

// ── requests ──

/** `system` covers system and developer instructions, `other` a role that only the backend's own template knows. */
export type Role = "system" | "user" | "assistant" | "tool" | "other"

/** Where a node was read. It survives `{ ...node, change }`, so that a dialect finds the original of a changed node. */
export interface Origin {
  readonly dialect: string
  /**
   * Of a request: what backends of other dialects get. Throws `invalid_request` that names what only backends of the same
   * dialect can do.
   */
  toPortable?(request: ChatRequest): ChatRequest
  /** Of a request: what this model gets, where others get less. */
  forModel?(request: ChatRequest, model: Thinker): ChatRequest
}

export interface Turn {
  readonly role: Role
  readonly blocks: readonly Block[]
  /** Name of the participant. */
  readonly name?: string
  /** Of a system turn: the client wrote it as the developer's. */
  readonly developer?: true
  readonly origin?: Origin | undefined
}

export interface Tool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of a function's arguments. */
  readonly parameters?: JsonValue
  /** Whether the arguments must match the schema; the backend's to choose when left out. */
  readonly strict?: boolean
  /** `function` when left out; `opaque` for a vendor's built-in tool. */
  readonly form?: "function" | "custom" | "opaque"
  /** What the free text of a custom tool has to be. */
  readonly grammar?: { readonly syntax: string; readonly definition: string }
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string } | { readonly opaque: JsonValue }

/** How to generate; a field that is left out is the backend's to choose. */
export interface Generation {
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly stop?: readonly string[]
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  /** How many replies. */
  readonly count?: number
  readonly logprobs?: boolean
  readonly topLogprobs?: number
}

export type OutputFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonValue; readonly strict?: boolean }
  | { readonly type: "opaque"; readonly value: JsonValue }

export interface ReasoningRequest {
  readonly effort?: string
  readonly budgetTokens?: number
  readonly summary?: string
}

export interface Session {
  readonly user?: string
  readonly conversation?: string
  readonly previousResponseId?: string
  readonly store?: boolean
  readonly metadata?: Readonly<Record<string, string>>
}

export interface ChatRequest {
  readonly model: string
  /** The whole conversation in order; instructions are turns of role `system`. */
  readonly turns: readonly Turn[]
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
  readonly parallelToolCalls?: boolean | undefined
  readonly generation: Generation
  readonly output?: OutputFormat | undefined
  readonly reasoning?: ReasoningRequest | undefined
  readonly stream: boolean
  readonly session: Session
  /**
   * Top-level fields that the canonical form does not model, by their name in the dialect that read them, and those that it
   * models but whose value it could not read.
   */
  readonly extensions: Readonly<Record<string, JsonValue>>
  readonly origin?: Origin | undefined
}

// ── replies ──

export type StopReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "pause" | "other"

/** Tokens of one call, as the backend reported them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Those of `inputTokens` that the backend had cached. */
  readonly cachedInputTokens: number
  /** Those of `inputTokens` that it wrote to its cache. */
  readonly cacheWriteTokens?: number
  /** Those of `outputTokens` that were reasoning. */
  readonly reasoningTokens?: number
}

export interface TokenLogprob {
  readonly token: string
  readonly logprob: number
  readonly top: readonly { readonly token: string; readonly logprob: number }[]
}

export interface ReplyChoice {
  readonly blocks: readonly Block[]
  readonly stop: StopReason
  readonly logprobs?: readonly TokenLogprob[]
}

export interface ChatReply {
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly choices: readonly ReplyChoice[]
  readonly usage?: Usage | undefined
  /** Further top-level fields for the client, which the router adds. */
  readonly extensions?: Readonly<Record<string, JsonValue>> | undefined
  readonly origin?: Origin | undefined
}

// ── streams ──

/** What a block begins with; its text arrives in deltas. */
export type BlockStart =
  | { readonly type: "text" | "reasoning" | "refusal" }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly form?: "function" | "custom" }
  | Exclude<Block, TextBlock | ReasoningBlock | RefusalBlock | ToolCallBlock>

/**
 * One event of a streamed reply. `choice` is the number of the reply, `index` that of the block in it.
 * Blocks of one choice do not overlap in meaning, but several may be open at once (parallel tool calls).
 */
export type ChatEvent =
  | { readonly type: "start"; readonly id: string; readonly model: string; readonly created: number }
  | { readonly type: "block_start"; readonly choice: number; readonly index: number; readonly block: BlockStart }
  | {
      readonly type: "block_delta"
      readonly choice: number
      readonly index: number
      /** More of the block's text, or of a tool call's arguments. */
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[]
      /** Of a text block. */
      readonly citations?: readonly Citation[]
      /** Of a reasoning block; they come at its end. */
      readonly signature?: string
      readonly encrypted?: string
    }
  | { readonly type: "block_end"; readonly choice: number; readonly index: number }
  | { readonly type: "stop"; readonly choice: number; readonly reason: StopReason }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "ping" }
  /** The backend reported an error in the middle. */
  | { readonly type: "failed"; readonly message: string; readonly code?: string }
  | { readonly type: "opaque"; readonly dialect: string; readonly value: JsonValue }

/** What one read from the upstream completed. */
export interface StreamBatch {
  /** Canonical events in order; empty when the reader was told that nobody looks at them. */
  readonly events: readonly ChatEvent[]
  /** Exactly the bytes that the events came in, the end mark among them; left out once somebody changed an event. */
  readonly bytes?: Uint8Array
  /** Set on the batch that brought it. */
  readonly usage?: Usage | undefined
  /** The end mark has come: nothing that follows belongs to the reply. */
  readonly done: boolean
  /** The end says that the reply failed. The client is told in the backend's own words. */
  readonly failure?: string | undefined
  /** The data of the last event in `bytes`, where no events were read. A wire that numbers its events needs it for an error event. */
  readonly last?: string | undefined
}

/** A stream that is pulled. `next` after the end gives undefined again; it rejects once when the stream breaks. */
export interface ChatStream {
  next(): Promise<StreamBatch | undefined>
  /** Closes the source; the reader wants no more. May be called at any time, more than once. */
  cancel(): void
}

// ── outcomes ──

interface ReplyBase {
  readonly status: number
  /** Headers of the upstream that the client may see, lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface WholeReply extends ReplyBase {
  readonly kind: "whole"
  readonly reply: ChatReply
}

export interface StreamedReply extends ReplyBase {
  readonly kind: "stream"
  readonly stream: ChatStream
  /** Dialect of the batches' bytes; undefined when they were made here. */
  readonly dialect?: string | undefined
}

/** An error status of the upstream with what it said. */
export interface UpstreamFailure extends ReplyBase {
  readonly kind: "failure"
  readonly message: string
  readonly code?: string | undefined
  /** The upstream's error body in its own dialect, without secrets. */
  readonly original?: { readonly dialect: string; readonly body: Readonly<Record<string, JsonValue>> } | undefined
}

export type Reply = WholeReply | StreamedReply | UpstreamFailure
