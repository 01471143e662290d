// The contract of selectors: a selector picks one of a decision's candidates.

import type { Static, TObject } from "typebox"
import type { RtrError } from "../error.ts"
import type { Granted, Capability } from "./capability.ts"
import type { Usage } from "./chat.ts"
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
}

export interface SelectorReader {
  /** Throwing makes the first candidate the choice. */
  select(input: SignalInput): MaybePromise<Choice>
  /** Told after each call; what it remembers belongs in a store. */
  onOutcome?(outcome: SelectionOutcome): void
  close?(): MaybePromise<void>
}

export interface SelectorModule<
  Options extends TObject = TObject,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "selector"
  /** Chooses for decisions that name no algorithm. */
  readonly isDefault?: true
  /** Options of the block that `algorithm` names after its type; absent for a selector without options. */
  readonly options?: Options
  readonly needs?: readonly Need[]
  readonly check?: (options: Static<Options>, report: Report) => void
  /** Runs once per decision and activation. */
  readonly setup: (
    options: Static<Options>,
    host: {
      readonly decision: string
      readonly candidates: readonly Candidate[]
      /** Live figures of a model by name. */
      readonly figures: (model: string) => ModelFigures
    } & Granted<Need, "setup">,
  ) => MaybePromise<SelectorReader>
}
