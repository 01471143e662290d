// What a route may ask the kernel for.

import type { Call, Outcome, Selection, SignalReadings, Verdict } from "./call.ts"
import type { ChatRequest } from "./chat.ts"
import type { DeploymentStatus } from "./inference.ts"
import type { RouteRequest } from "./module.ts"
import type { Plan } from "./plan.ts"

export interface ModelEntry {
  readonly id: string
  readonly object: "model"
  readonly created: number
  readonly owned_by: string
  readonly description?: string
  readonly routing: { readonly resolution: "virtual" | "passthrough"; readonly selectable: boolean }
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
  readonly children?: readonly RuleTrace[]
}

export interface DecisionTrace {
  readonly decision_name: string
  readonly state: "match" | "no_match" | "unknown"
  readonly matched: boolean
  readonly confidence: number
  readonly on_unknown?: string
  readonly root_trace: RuleTrace
}

export interface Preview {
  /** The text that signals read. */
  readonly text: string
  readonly automatic: boolean
  readonly requestedModel: string | undefined
  readonly readings: SignalReadings
  readonly verdict: Verdict
  readonly selection: Selection | undefined
  /** `fast_response` when a plugin of the decision answers without a model. */
  readonly answeredBy: string | undefined
  readonly selectedModel: string | undefined
  readonly traces: readonly DecisionTrace[]
  readonly failed: boolean
}

export interface KernelStatus {
  readonly phase: "starting" | "loading_model_deployments" | "initializing_models" | "ready" | "error"
  readonly ready: boolean
  readonly draining: boolean
  readonly message?: string
  readonly updatedAt: Date
  readonly instanceId: string
  readonly configHash: string | undefined
  readonly deployments: readonly DeploymentStatus[]
}

export interface RoutePowers {
  /** Routes and answers one request; rejects with an `RtrError`. */
  "pipeline.run": { run(call: Call): Promise<Outcome>; createCall(request: ChatRequest, from: RouteRequest): Call }
  /** Reads signals, decides and selects without calling a model backend. */
  "pipeline.preview": { preview(call: Call): Promise<Preview> }
  /** The serving plan; undefined until the first activation. */
  plan: { plan(): Plan | undefined }
  models: { models(listener: string | undefined): readonly ModelEntry[] }
  status: { status(): KernelStatus }
  /** The metrics exposition, or undefined on a host without a metrics library. */
  metrics: { metricsText(): Promise<{ contentType: string; text: string } | undefined> }
}
