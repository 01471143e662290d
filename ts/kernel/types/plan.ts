// The frozen, compiled form of one configuration. Every name is resolved to an object here; requests look nothing up by string
// but the model that they name.

import type { UnknownPolicy } from "./call.ts"
import type { DialectModule } from "./dialect.ts"
import type { Fact } from "./fact.ts"
import type { GuardPolicy } from "./guard.ts"
import type { BatchedQuestions } from "./inference.ts"
import type { LooperAnswer, LooperCall, LooperResponse } from "./looper.ts"
import type { PluginCall, PluginHooks } from "./plugin.ts"
import type { Predicate } from "./predicate.ts"
import type { Principal } from "./principal.ts"
import type { ProviderBackend, ReasoningChoice, ReasoningWriter } from "./provider.ts"
import type { Candidate, SelectorReader } from "./selector.ts"
import type { DebugHeader, SignalInput } from "./signal.ts"

/** Where the model questions of one signal go. */
export interface InferenceTarget {
  readonly deployment: string
  readonly head: string | undefined
  /** Whether long texts are read to their end. */
  readonly whole: boolean
  /** Deployment that makes the vectors, where it is another. */
  readonly vectors?: string
  /** Where the questions of single rules go, by the binding that they name. */
  readonly bound?: ReadonlyMap<string, { readonly deployment: string; readonly head?: string | undefined }>
}

export interface PlannedSignal {
  readonly type: string
  /** Key of its rules under `routing.signals`. */
  readonly configKey: string
  readonly rules: readonly string[]
  readonly debugHeader?: DebugHeader
  /** From which each rule matches, where its `threshold` says so; for previews. */
  readonly thresholds?: readonly (number | undefined)[]
  /** Slot of the first rule; rule `i` has slot `firstSlot + i`. */
  readonly firstSlot: number
  /** Signals of a level run together; those of a higher one may read their facts. */
  readonly level: number
  /** Undefined for a signal that asks no model. */
  readonly target: InferenceTarget | undefined
  /** What each rule of a guard has to read, in the order of the rules; undefined for a signal that is no guard. */
  readonly guard: readonly GuardPolicy[] | undefined
  /** What conditions make of unknown facts that do not say it themselves; left out, it is the decision's policy. */
  readonly onUnknown?: "match" | "no_match"
  /** An error of it is the request's. */
  readonly refuses?: true
  readonly read: (input: SignalInput, questions: BatchedQuestions) => readonly Fact[] | Promise<readonly Fact[]>
}

export type RuleNode =
  | {
      readonly kind: "leaf"
      readonly type: string
      readonly name: string
      readonly slot: number
      readonly predicate: Predicate | undefined
      readonly onError: "match" | "no_match" | undefined
      /** Its guard blocks what it did not read: an unknown number counts as the highest there is. */
      readonly blocksUnscanned?: boolean
      /** What `onError` would be if its guard blocked nothing: for a text that was read, in a language that the model may not know. */
      readonly onLanguage?: "match" | "no_match" | undefined
    }
  | { readonly kind: "AND" | "OR"; readonly children: readonly RuleNode[] }
  | { readonly kind: "NOT"; readonly children: readonly [RuleNode] }

export interface PlannedPlugin {
  readonly type: string
  /** It looks at the events of a stream. */
  readonly readsEvents: boolean
  readonly buffersStream: boolean
  /** It can answer by itself. */
  readonly answers: boolean
  readonly debugHeader?: string | undefined
  /** Signals that read replies for it. */
  readonly judges?: readonly PlannedSignal[]
  readonly open: (call: PluginCall) => Partial<PluginHooks>
}

export interface PlannedCandidate extends Candidate {
  readonly target: ModelTarget
  readonly reasoning: ReasoningChoice | undefined
}

/** Bounds of all that a looper does for one request; those that are left out do not bound it. */
export interface PlannedBudget {
  readonly deadlineMs?: number | undefined
  readonly maxCalls?: number | undefined
  /** In the currency of the models' prices. */
  readonly maxCost?: number | undefined
}

export interface PlannedLooper {
  readonly run: (call: LooperCall) => Promise<LooperAnswer>
  /** Names by which clients ask for the decisions with this algorithm. */
  readonly modelNames: readonly string[]
  readonly budget: PlannedBudget
  /** Longest time of one call. */
  readonly callTimeoutMs: number | undefined
  readonly maxReplyBytes: number | undefined
  /** Sent with each call. */
  readonly headers: Readonly<Record<string, string>>
  /** How the answer has to look, in words for the models. */
  readonly contract: string | undefined
  readonly output: PlannedOutput | undefined
}

/** The form that a decision's output contract asks for. */
export interface PlannedOutput {
  /** The text in that form, or undefined where neither the answer nor what models said on the way has it. */
  readonly read: (answer: OutputTexts, responses: readonly LooperResponse[]) => string | undefined
  /** The model is asked once more where it does not. */
  readonly repairs: boolean
  /** Stands for an answer that does not have the form; without it the answer goes out as it is. */
  readonly fallback: string | undefined
}

export interface OutputTexts {
  readonly text: string
  readonly reasoning: string
}

/** How a selector asks models. */
export interface SelectorAsking {
  /** Undefined for one that asks chat models only. */
  readonly target: InferenceTarget | undefined
  /** The questions that it needs. */
  readonly questions: readonly (keyof BatchedQuestions)[]
  /** Longest wait for its choice. */
  readonly timeoutMs: number
  /** A preview leaves it out. */
  readonly callsModels: boolean | undefined
}

export interface PlannedDecision {
  readonly name: string
  readonly priority: number
  readonly tier: number
  readonly rules: RuleNode
  readonly onUnknown: UnknownPolicy
  readonly algorithm: string
  readonly candidates: readonly PlannedCandidate[]
  /** Undefined when there is nothing to choose. */
  readonly selector: SelectorReader | undefined
  /** Set for a selector that asks a model. */
  readonly asking?: SelectorAsking | undefined
  readonly looper: PlannedLooper | undefined
  /** It is asked about requests that name a model, too, and may send them elsewhere. */
  readonly overridesModel?: true
  readonly plugins: readonly PlannedPlugin[]
}

export interface Pricing {
  readonly currency: string
  readonly promptPer1m: number
  readonly completionPer1m: number
  readonly cachedInputPer1m: number
  /** The prompt's price when left out. */
  readonly cacheWritePer1m?: number | undefined
  /** The completion's price when left out. */
  readonly reasoningPer1m?: number | undefined
}

/** How a backend writes reasoning into its text: with both tags, or with the closing one because its template has written the other. */
export type ThinkTags = "written" | "opened"

export interface TargetBackend {
  readonly name: string
  readonly weight: number
  /** Backends of the lowest number get the calls as long as one of them works. */
  readonly priority: number
  readonly upstreamModel: string
  readonly thinkTags?: ThinkTags | undefined
  readonly providerId: string
  readonly provider: ProviderBackend
  /** Left out where no document asks for reasoning, or the backend cannot be told. */
  readonly writeReasoning?: ReasoningWriter | undefined
  readonly dialectId: string
  readonly dialect: DialectModule
  /** Header values that no error text may quote. */
  readonly secrets: readonly string[]
}

/** Failures that a list of `retry_on` names; beside them it has status numbers. */
export type RetryReason = "connect-failure" | "reset" | "timeout" | "5xx" | "gateway-error" | "retriable-4xx"

/** Time-outs of one model's attempts; those that are left out are the listener's, and there is no total one. */
export interface PlannedTimeouts {
  readonly connectMs: number | undefined
  readonly firstByteMs: number | undefined
  readonly idleMs: number | undefined
  /** Of all attempts together, to the end of the reply. */
  readonly totalMs: number | undefined
}

/** When a backend is left out, and for how long. */
export interface PlannedEjection {
  /** Failures in a row. */
  readonly consecutive: number | undefined
  /** Share of the last calls. */
  readonly failureShare: number | undefined
  readonly baseMs: number
  /** Share of the backends that may be left out at a time. */
  readonly maxShare: number
  /** Calls at a time that a backend gets when it comes back, until one succeeds. */
  readonly probes: number
}

/** How the backends of one model are called. */
export interface PlannedReliability {
  readonly leastRequest: boolean
  /** A backend that sends `Retry-After` gets no request for as long. */
  readonly honoursRetryAfter: boolean
  readonly retries: number
  readonly retryOn: ReadonlySet<RetryReason | number>
  /** Share of the requests that may be retried. */
  readonly retryShare: number
  readonly timeouts: PlannedTimeouts
  readonly ejection: PlannedEjection | undefined
  readonly hedging: { readonly delayMs: number; readonly share: number } | undefined
}

/** How a request that leaves the choice to the router goes from one model to another. */
export interface PlannedFallback {
  /** A model that fails is followed by another one; otherwise only what a model cannot take goes to another. */
  readonly onFailure: boolean
  /** Asked after the decision's own models. */
  readonly models: readonly ModelTarget[]
  /** Models that are called for one request at most. */
  readonly maxAttempts: number
  /** No model is called later than this; three of the listener's time-outs when undefined. */
  readonly totalMs: number | undefined
  /** Longest wait for the first byte of each model. */
  readonly perAttemptMs: number | undefined
  /** Status numbers after which another model is asked. */
  readonly statuses: ReadonlySet<number>
  readonly checksCapabilities: boolean
  readonly checksContext: boolean
  /** Instead of this one, by the name of the decision. */
  readonly ofDecision?: ReadonlyMap<string, PlannedFallback>
  /** A decision with the candidates at these positions only. */
  readonly narrow?: (decision: PlannedDecision, able: readonly number[]) => Promise<PlannedDecision>
}

/** A model that can be called: its backends and what a call costs. */
export interface ModelTarget {
  readonly name: string
  readonly backends: readonly TargetBackend[]
  readonly pricing: Pricing | undefined
  readonly card: Readonly<Record<string, unknown>> | undefined
  /** Left out for a model whose calls are made once. */
  readonly reliability?: PlannedReliability | undefined
}

/** A key of an inference listener, and the name under which it stands in logs. */
export interface ApiKey {
  readonly key: string
  readonly name: string
}

export interface PlannedListener {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly timeoutMs: number
  readonly apiKeys: readonly ApiKey[]
  /** Models that clients of this listener may name; undefined means all. */
  readonly models: ReadonlySet<string> | undefined
  /** Origins of web pages that may use it; `*` stands for all. */
  readonly origins: ReadonlySet<string>
}

/** A bearer token of the management listener. */
export interface ManagementToken {
  readonly token: string
  readonly principal: Principal
}

export interface PlannedManagement {
  readonly address: string
  readonly port: number
  readonly previewTimeoutMs: number
  readonly previewConcurrency: number
  /** Undefined when authentication is off. */
  readonly tokens: readonly ManagementToken[] | undefined
}

/** What the router serves with; a recipe's plan has its own signals, decisions, strategy and fallback, and shares the rest. */
export interface Plan {
  /** SHA-256 of the document's bytes, hex. */
  readonly hash: string
  readonly listeners: readonly PlannedListener[]
  readonly management: PlannedManagement
  readonly metricsEnabled: boolean
  readonly signals: readonly PlannedSignal[]
  /** Condition types of which modules may ask facts; false for those that have rules and are not read, because nobody says that he needs them. */
  readonly factTypes: ReadonlyMap<string, boolean>
  readonly slotCount: number
  /** Deadline of the signals that ask a model. */
  readonly signalTimeoutMs: number
  readonly strategy: "priority" | "confidence"
  readonly decisions: readonly PlannedDecision[]
  readonly defaultModel: ModelTarget | undefined
  readonly models: ReadonlyMap<string, ModelTarget>
  readonly fallback?: PlannedFallback | undefined
  /** Names that mean automatic routing, in the order of the model list. */
  readonly autoNames: readonly string[]
  readonly listConfiguredModels: boolean
  readonly dialects: ReadonlyMap<string, DialectModule>
  /** The recipe of these signals and decisions; left out in a document without recipes and entrypoints. */
  readonly recipe?: string
  /** The name of a decision for state and metrics, where another recipe may have one of the same name. */
  readonly keyOf?: ((decision: string) => string) | undefined
  /** Plans of the other recipes, whose `autoNames` are the names of their entrypoints. */
  readonly recipes?: readonly Plan[]
}
