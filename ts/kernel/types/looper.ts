// The contract of loopers: an algorithm that makes several model calls and answers with one reply.

import type { Static, TObject, TProperties } from "typebox"
import type { Granted, Capability } from "./capability.ts"
import type { ChatReply, ChatRequest, ChatStream, Turn } from "./chat.ts"
import type { WireObject } from "./dialect.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { Candidate } from "./selector.ts"
import type { SignalInput } from "./signal.ts"

/** A candidate of the decision by its position, or any model of the document by its name. */
export type AskedModel = number | string

export interface AskOptions {
  /** Ends this call alone. */
  readonly signal?: AbortSignal
  /** A longer reply is refused while it is read; 32 MiB when left out. */
  readonly maxBytes?: number | undefined
}

export interface LooperCall extends Omit<SignalInput, "textsFor" | "isTrusted" | "isJoined"> {
  readonly id: string
  readonly decision: string
  /** The conversation as the client sent it, whatever plugins and the output contract have made of it. */
  readonly clientTurns: readonly Turn[]
  /** Aborts when the client leaves or the budget's deadline has passed. */
  readonly signal: AbortSignal
  /**
   * Calls a model and returns its whole reply. Each is an attempt in the call record. Rejects with an `RtrError`,
   * `upstream_error` for an error status, and at once where the budget is used up.
   */
  readonly ask: (model: AskedModel, request?: ChatRequest, options?: AskOptions) => Promise<ChatReply>
  /**
   * The same for the call whose reply is the answer: a stream that goes on to the client as it comes, where the client asked
   * for one. A failure before the reply has begun rejects.
   */
  readonly stream: (model: AskedModel, request?: ChatRequest, options?: AskOptions) => Promise<ChatReply | ChatStream>
  /** Notes the best answer so far, which the client gets when the budget is used up before there is a better one. */
  readonly keep: (answer: LooperAnswer) => void
}

/** A looper's answer: the reply, and which model gave it. */
export interface LooperAnswer {
  readonly reply: ChatReply | ChatStream
  readonly candidate: AskedModel
  readonly confidence?: number
  readonly reason: string
  /** Further top-level fields of a reply on this wire, such as what the models said on the way. Clients of others get none. */
  readonly extensions?: { readonly dialect: string; readonly fields: WireObject } | undefined
  /** What models answered on the way, which an output contract may fall back to. */
  readonly responses?: readonly LooperResponse[]
}

export interface LooperResponse {
  readonly model: string
  readonly text: string
  readonly reasoning: string
}

/** What a check may know of the decision beside the looper's options. */
export interface LooperSurroundings {
  /** Names under which the decision's models are called, in order. */
  readonly candidates: readonly string[]
  /** Names of all models; empty for a document without models. */
  readonly models: ReadonlySet<string>
}

/** Keys that every looper has, beside `algorithm` and beside the block of its own options. The looper stage reads them. */
export interface LooperKeys {
  readonly algorithm: TProperties
  readonly decision: TProperties
  /** Finds what the schema cannot, in every decision. Paths start at the decision. */
  check(decision: object, report: Report, isLooper: boolean): void
}

export interface LooperModule<
  Options extends TObject = TObject,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "looper"
  /** Options of the block that `algorithm` names after its type. */
  readonly options?: Options
  /** A section of `global` that it reads; several loopers may name the same one. The looper stage reads limits of calls there. */
  readonly settings?: {
    readonly path: readonly string[]
    readonly schema: TObject
  }
  /** Names of models that mean the decisions with this algorithm; `model_names` under `key` of its settings replace them. */
  readonly modelNames?: { readonly key: string; readonly names: readonly string[] }
  readonly needs?: readonly Need[]
  /** Finds what the schema cannot. Paths start at the block. */
  readonly check?: (options: Static<Options>, report: Report, surroundings?: LooperSurroundings) => MaybePromise<void>
  /** Runs once per decision and activation. */
  readonly setup: (
    options: Static<Options>,
    host: {
      readonly decision: string
      readonly candidates: readonly Candidate[]
      /** Its section of `global`, empty where the document has none. */
      readonly settings: object
    } & Granted<Need, "setup">,
  ) => MaybePromise<{ run(call: LooperCall): Promise<LooperAnswer>; close?(): MaybePromise<void> }>
}
