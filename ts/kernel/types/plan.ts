// The frozen, compiled form of one configuration version. Every name is resolved to an object here; requests look nothing up by string
// but the model they name.

import type { SignalInput, UnknownPolicy } from "./call.ts"
import type { Fact } from "./fact.ts"
import type { Classification, PartlyRead, TextSpan } from "./inference.ts"
import type { Candidate, Choice, PluginHooks, ProviderBackend, ReasoningChoice } from "./module.ts"
import type { Predicate } from "./predicate.ts"

/** Everything that a signal's `needs` may grant, at request time. */
export interface Ask {
  classify(text: string): Promise<Classification>
  spans(text: string, options?: { readonly threshold?: number }): Promise<readonly TextSpan[] & PartlyRead>
  embed(text: string): Promise<Float32Array & PartlyRead>
}

/** Where the model questions of one signal go. */
export interface InferenceTarget {
  readonly deployment: string
  readonly head: string | undefined
  /** Whether long texts are read to their end. */
  readonly whole: boolean
  /** Deployment that makes the vectors, where it is another. */
  readonly vectors?: string
}

export interface SignalFamily {
  readonly type: string
  readonly rules: readonly string[]
  /** Slot of the first rule; rule `i` of the family has slot `firstSlot + i`. */
  readonly firstSlot: number
  /** Undefined for a signal that asks no model. */
  readonly target: InferenceTarget | undefined
  /** What conditions make of unknown facts that do not say it themselves; left out, it is the decision's policy. */
  readonly onUnknown?: "match" | "no_match"
  readonly read: (input: SignalInput, ask: Ask) => readonly Fact[] | Promise<readonly Fact[]>
}

export type RuleNode =
  | {
      readonly kind: "leaf"
      readonly type: string
      readonly name: string
      readonly slot: number
      readonly predicate: Predicate | undefined
      readonly onError: "match" | "no_match" | undefined
    }
  | { readonly kind: "AND" | "OR"; readonly children: readonly RuleNode[] }
  | { readonly kind: "NOT"; readonly children: readonly [RuleNode] }

export interface PlannedPlugin {
  readonly type: string
  readonly hooks: PluginHooks
}

export interface PlannedCandidate extends Candidate {
  readonly target: ModelTarget
  readonly reasoning: ReasoningChoice | undefined
}

export interface PlannedDecision {
  readonly name: string
  readonly priority: number
  readonly tier: number
  readonly rules: RuleNode
  readonly onUnknown: UnknownPolicy
  readonly algorithm: string
  readonly candidates: readonly PlannedCandidate[]
  /** Undefined when there is nothing to choose from. */
  readonly select: ((input: SignalInput) => Choice | Promise<Choice>) | undefined
  readonly plugins: readonly PlannedPlugin[]
}

export interface Pricing {
  readonly currency: string
  readonly promptPer1m: number
  readonly completionPer1m: number
  /** Price of prompt tokens that the upstream had cached; the prompt price when left out. */
  readonly cachedInputPer1m: number
}

export interface TargetBackend {
  readonly name: string
  readonly weight: number
  readonly upstreamModel: string
  readonly provider: ProviderBackend
  readonly dialect: "chat_completions"
  /** Header values that no error text may quote. */
  readonly secrets: readonly string[]
}

/** A model that can be called: its backends and what a call costs. */
export interface ModelTarget {
  readonly name: string
  readonly backends: readonly TargetBackend[]
  readonly pricing: Pricing | undefined
  readonly card: Readonly<Record<string, unknown>> | undefined
}

export interface PlannedListener {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly timeoutMs: number
  readonly apiKeys: readonly string[]
  /** Models that clients of this listener may name; undefined means all. */
  readonly models: ReadonlySet<string> | undefined
}

export interface Plan {
  /** SHA-256 of the document's bytes, hex. */
  readonly hash: string
  readonly listeners: readonly PlannedListener[]
  readonly management: {
    readonly address: string
    readonly port: number
    readonly previewTimeoutMs: number
    readonly previewConcurrency: number
  }
  readonly metricsEnabled: boolean
  readonly signals: readonly SignalFamily[]
  readonly slotCount: number
  /** Deadline of the signals that ask a model; undefined means the default of 45 s. */
  readonly signalTimeoutMs: number | undefined
  readonly strategy: "priority" | "confidence"
  readonly decisions: readonly PlannedDecision[]
  readonly defaultModel: ModelTarget | undefined
  readonly models: ReadonlyMap<string, ModelTarget>
  /** Names that mean automatic routing, in the order of the model list. */
  readonly autoNames: readonly string[]
  readonly listConfiguredModels: boolean
}
