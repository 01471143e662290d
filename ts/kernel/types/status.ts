// What the router tells about itself: the model list, previews, and how far its configuration is.

import type { DocumentPath, RtrError } from "../error.ts"
import type { Selection, SignalReadings, Verdict } from "./call.ts"
import type { DeploymentStatus } from "./inference.ts"
import type { Unscanned } from "./guard.ts"
import type { UnknownReason } from "./fact.ts"
import type { Plan } from "./plan.ts"
import type { PreviewContext } from "./signal.ts"
import type { Predicate } from "./predicate.ts"

export interface ModelEntry {
  readonly id: string
  readonly object: "model"
  readonly created: number
  readonly owned_by: string
  readonly description?: string
  readonly routing: {
    readonly resolution: "virtual" | "passthrough"
    readonly selectable: boolean
    readonly recipe?: string
  }
  /** Descriptive fields of the model's card. */
  readonly card?: Readonly<Record<string, unknown>>
}

/** One node of a rule tree with what it said about a request. */
export interface RuleTrace {
  readonly node_type: "leaf" | "AND" | "OR" | "NOT"
  readonly signal_type?: string
  readonly signal_name?: string
  readonly state: "match" | "no_match" | "unknown"
  readonly matched: boolean
  readonly confidence: number
  /** The number that the condition compared, where its signal has one. */
  readonly value?: number
  /** From which the rule of the signal matches, where it says so itself. */
  readonly threshold?: number
  readonly predicate?: Predicate
  /** Why the fact is unknown, and what the condition makes of it. */
  readonly reason?: UnknownReason
  readonly on_error?: "match" | "no_match"
  readonly children?: readonly RuleTrace[]
}

export interface DecisionTrace {
  readonly decision_name: string
  readonly priority: number
  readonly tier: number
  readonly state: "match" | "no_match" | "unknown"
  readonly matched: boolean
  readonly confidence: number
  readonly on_unknown?: string
  readonly root_trace: RuleTrace
}

export interface PreviewOptions {
  /** The recipe to route by; that of the model name when left out. */
  readonly recipe?: string
  /** Who it is for. */
  readonly context?: PreviewContext
}

export interface Preview {
  /** The plan that the facts were read and judged by. */
  readonly plan: Plan
  /** The text that signals read. */
  readonly text: string
  readonly automatic: boolean
  readonly requestedModel: string
  readonly readings: SignalReadings
  readonly verdict: Verdict
  readonly selection: Selection | undefined
  /** Type of the plugin of the decision that answers without a model. */
  readonly answeredBy: string | undefined
  readonly selectedModel: string | undefined
  readonly traces: readonly DecisionTrace[]
  /** Rules of guards that did not read all that they have to. */
  readonly unscanned: readonly Unscanned[]
  /** What the request would get instead of a route, because a decision with `on_unknown: fail_request` could not be decided. */
  readonly refused: RtrError | undefined
}

export type ActivationStage = "parse" | "compile" | "validate" | "warm" | "activate"

/** One thing that stopped a candidate document. */
export interface ActivationReason {
  readonly stage: ActivationStage
  readonly code: string
  /** Dotted path into the document. */
  readonly path?: string
  readonly message: string
  readonly line?: number
}

/** A document that was tried and did not become active. */
export interface Rejection {
  readonly attempt: number
  readonly hash: string
  readonly stage: ActivationStage
  readonly at: Date
  readonly reasons: readonly ActivationReason[]
}

/** How far the configuration is. */
export interface ActivationStatus {
  /** Number of the serving generation, 0 before the first; it grows with each activation. */
  readonly version: number
  readonly activeHash: string | undefined
  /** Hash of the newest document that was tried. */
  readonly observedHash: string | undefined
  readonly attempt: number
  /** `pending` while any document is prepared; then what became of the newest, also where an older one has become active after it. */
  readonly state: "none" | "active" | "pending" | "failed" | "superseded"
  readonly stage: ActivationStage | undefined
  readonly lastRejection: Rejection | undefined
}

export interface KernelStatus {
  readonly phase: "starting" | "loading_model_deployments" | "initializing_models" | "ready" | "error"
  readonly ready: boolean
  readonly draining: boolean
  readonly message?: string
  readonly updatedAt: Date
  readonly instanceId: string
  readonly activation: ActivationStatus
  /** What the serving document says without effect, what it lacks, and what else its host warns of. */
  readonly configWarnings: readonly { readonly path: DocumentPath; readonly message: string }[]
  /** Deployments of the serving generation, and of one that is warming. */
  readonly deployments: readonly DeploymentStatus[]
}
