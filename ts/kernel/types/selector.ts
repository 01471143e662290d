// The contract of selectors: a selector picks one of a decision's candidates.

import type { Static, TObject } from "typebox"
import type { RtrError } from "../error.ts"
import type { Granted, Capability } from "./capability.ts"
import type { CallRecord } from "./call.ts"
import type { Usage } from "./chat.ts"
import type { UnknownReason } from "./fact.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { Pricing } from "./plan.ts"
import type { SignalInput } from "./signal.ts"

/** What is known of how a model answers at the moment. */
export interface ModelFigures {
  /** Calls that wait for their first byte or stream now. */
  readonly inFlight: number
  /** Milliseconds to the first byte of the last answers, oldest first, 100 at most. */
  readonly firstByteMs: readonly number[]
  /** Milliseconds for each output token after the first byte, likewise. */
  readonly perTokenMs: readonly number[]
}

export interface Candidate {
  readonly model: string
  /** Score that the domain of the decision's name gives this model (`model_scores`); 1 when it gives none. */
  readonly score: number
  /** Share of calls that the decision's `modelRefs` give it. */
  readonly weight?: number
  readonly pricing: Pricing | undefined
  /** The model's card as the document has it. */
  readonly card: Readonly<Record<string, unknown>> | undefined
}

export interface Choice {
  /** Index of the chosen candidate. */
  readonly candidate: number
  readonly confidence: number
  readonly reason: string
  /** Handed back with the outcome of the call. */
  readonly note?: string | undefined
  /** Why a part of the selector had no say; the request's header and line tell it. */
  readonly failed?: UnknownReason
  /** How good each candidate is, 0 to 1, higher is better; left out where that is no number. */
  readonly scores?: readonly number[]
  /** Positions of candidates that must not be chosen, for what changes the choice; none when left out. */
  readonly excluded?: readonly number[]
  /** What was learnt made of the choice, for previews and headers. */
  readonly learning?: LearningTrace
}

/** How a choice came about that rests on earlier requests. No ids of clients. */
export interface LearningTrace {
  /** What the algorithm of the decision chose. */
  readonly base: { readonly candidate: number; readonly model: string }
  readonly sampled: boolean
  /** What each component did, in the order in which they ran. */
  readonly steps: readonly LearningStep[]
  /** The conversation and what was known of it, for the outcome of the call; `before` is opaque. */
  readonly session?: { readonly key: string; readonly before: unknown }
}

export interface LearningStep {
  readonly method: "adaptation" | "protection"
  readonly mode: "apply" | "observe" | "bypass"
  readonly action: string
  readonly reason: string
  /** Where it looked: the candidate set, or the scope of the identity. */
  readonly scope: string
  /** The model that it chose, also where it only observes. */
  readonly model: string
  /** Numbers by model, as far as it compared some. */
  readonly scores?: Readonly<Record<string, number>>
}

/** How a call of a chosen candidate ended. */
export interface SelectionOutcome {
  readonly candidate: number
  readonly model: string
  readonly status: number
  readonly error?: RtrError | undefined
  readonly usage?: Usage | undefined
  readonly firstByteMs?: number | undefined
  readonly totalMs: number
  /** What the choice noted. */
  readonly note?: string | undefined
}

/** A decision as far as a check of its algorithm may look at it. */
export interface AlgorithmUse {
  /** The whole document, which fits its schema. */
  readonly document: object
  readonly modelRefs: readonly { readonly model: string; readonly lora_name?: string }[]
}

export interface SelectorReader<Need extends Capability = Capability> {
  /**
   * Throwing makes the first candidate the choice, and the error's code its reason; only `no_model_selected` refuses the
   * request. It is not waited for longer than signals are.
   */
  select(input: SignalInput, host: Granted<Need, "call">): MaybePromise<Choice>
  /** Told after each call; what it remembers belongs in a store. `record` is all that became of the request. */
  onOutcome?(outcome: SelectionOutcome, record?: CallRecord): void
  close?(): MaybePromise<void>
}

export interface SelectorModule<
  Options extends TObject = TObject,
  Settings extends TObject = TObject,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "selector"
  /** Chooses for decisions that name no algorithm. */
  readonly isDefault?: true
  /** Options of the block that `algorithm` names after its type; absent for a selector without options. */
  readonly options?: Options
  /** Vectors are made by the deployment of binding `embedding`; a typed question goes to the one that `deployment` names. */
  readonly needs?: readonly Need[]
  /** A section of `global` that it reads; several selectors may name the same one. */
  readonly settings?: {
    readonly path: readonly string[]
    readonly schema: Settings
    readonly check?: (settings: Static<Settings>, report: Report) => MaybePromise<void>
  }
  /** Finds what the schema cannot. Paths start at the block. */
  readonly check?: (options: Static<Options>, report: Report, use: AlgorithmUse) => MaybePromise<void>
  /** It asks a chat model, which a preview does not. */
  readonly callsModels?: boolean
  /** Runs once per decision and activation. */
  readonly setup: (
    options: Static<Options>,
    host: {
      readonly decision: string
      readonly candidates: readonly Candidate[]
      /** Live figures of a model by name. */
      readonly figures: (model: string) => ModelFigures
      /** Its section of `global`, empty where the document has none. */
      readonly settings: Static<Settings>
    } & Granted<Need, "setup">,
  ) => MaybePromise<SelectorReader<Need>>
}
