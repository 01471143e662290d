// The contract of loopers: an algorithm that makes several model calls and answers with one reply.

import type { Static, TObject } from "typebox"
import type { Granted, Capability } from "./capability.ts"
import type { ChatReply, ChatRequest } from "./chat.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { Candidate } from "./selector.ts"
import type { SignalInput } from "./signal.ts"

export interface LooperCall extends Omit<SignalInput, "textsFor"> {
  readonly id: string
  readonly decision: string
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /**
   * Calls a candidate and returns its whole reply. Each is an attempt in the call record. Rejects with an `RtrError`,
   * `upstream_error` for an error status.
   */
  readonly ask: (candidate: number, request?: ChatRequest) => Promise<ChatReply>
}

/** A looper's answer: the reply, and which candidate gave it. */
export interface LooperAnswer {
  readonly reply: ChatReply
  readonly candidate: number
  readonly confidence?: number
  readonly reason: string
}

export interface LooperModule<
  Options extends TObject = TObject,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "looper"
  /** Options of the block that `algorithm` names after its type. */
  readonly options?: Options
  readonly needs?: readonly Need[]
  /** Finds what the schema cannot. Paths start at the block. */
  readonly check?: (options: Static<Options>, report: Report) => void
  /** Runs once per decision and activation. */
  readonly setup: (
    options: Static<Options>,
    host: { readonly decision: string; readonly candidates: readonly Candidate[] } & Granted<Need, "setup">,
  ) => MaybePromise<{ run(call: LooperCall): Promise<LooperAnswer>; close?(): MaybePromise<void> }>
}
