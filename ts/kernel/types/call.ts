// One request on its way through the pipeline, and the record of what became of it.

import type { RtrError } from "../error.ts"
import type { CancelSignal } from "./cancel-signal.ts"
import type { ChatRequest, Reply, Usage } from "./chat.ts"
import type { Fact, UnknownReason, UnknownSignal } from "./fact.ts"
import type { Unscanned } from "./guard.ts"
import type { RuleNode } from "./plan.ts"
import type { Principal } from "./principal.ts"
import type { ReasoningChoice } from "./provider.ts"
import type { LearningTrace } from "./selector.ts"

export interface Call {
  readonly id: string
  readonly request: ChatRequest
  /** Dialect that the client speaks. */
  readonly dialect: string
  /** A header of the client's request; names are lower case. */
  readonly header: (name: string) => string | undefined
  readonly principal: Principal
  /** Tells when the client leaves, at no cost until somebody asks. */
  readonly client: CancelSignal
  /** The same for code that takes nothing but an `AbortSignal`. Made on first use: most requests never need it. */
  readonly signal: AbortSignal
  /** `performance.now()` when the request arrived. */
  readonly startedAt: number
  /** The listener that the request came in by, and the operation's path, which metrics use as label. */
  readonly listener: string
  readonly endpoint: string
  /** Model names that clients of the listener may use; undefined means all. */
  readonly grants: ReadonlySet<string> | undefined
  /** Longest wait for the upstream's headers and between two pieces of its body: the listener's `timeout`. */
  readonly upstreamTimeoutMs: number
  /** Counts memory that the reply takes until it has left. Throws when there is no room. */
  readonly hold?: (bytes: number) => void
}

/** Facts of one request by slot number; a slot whose signal did not run is `undefined`. */
export type Facts = readonly (Fact | undefined)[]

export interface SignalReadings {
  readonly facts: Facts
  /** Milliseconds that each signal type took. */
  readonly typeMs: Readonly<Record<string, number>>
  readonly totalMs: number
  /** Some fact is unknown. */
  readonly hasUnknown?: boolean
}

export type UnknownPolicy = "no_match" | "match" | "fail_request"

/** What the rules said. `decision` is an index into the plan's decisions. */
export interface Verdict {
  readonly decision: number | undefined
  readonly confidence: number
  /** Decisions whose outcome depended on unknown facts, with the policy that settled them. */
  readonly appliedPolicies: readonly { readonly decision: string; readonly policy: UnknownPolicy }[]
}

export interface Selection {
  /** Index into the decision's candidates. */
  readonly candidate: number
  readonly algorithm: string
  readonly confidence: number
  readonly reason: string
  /** Of the selector, for its own use when the call has ended. */
  readonly note?: string | undefined
  /** Why the selector, or a part of it, did not choose. */
  readonly failed?: UnknownReason
  /** Left out where nothing is learnt. */
  readonly learning?: LearningTrace
}

/** Whether each guard found something, by signal type; one that did not read all that its rules ask for and found nothing is left out. */
export type SecurityChecks = Readonly<Record<string, boolean>>

/** One call to a backend. Times are milliseconds since the request arrived. */
export interface Attempt {
  readonly model: string
  readonly backend: string
  readonly startMs: number
  status?: number
  firstByteMs?: number
  endMs?: number
  usage?: Usage
  /** What it cost; left out without pricing or usage. */
  cost?: number
  /** The currency of the cost. */
  currency?: string
  error?: RtrError
  /** Why there is another attempt beside the first; left out for the first, and for what loopers ask. */
  why?: "retry" | "hedge" | "fallback"
  /** Fields of the client's body that the backend did not get, because it speaks another protocol; left out where there are none. */
  dropped?: readonly string[]
  /** Another attempt answered first. */
  cancelled?: true
  /** The backend is left out from then on, for a time. */
  ejected?: true
}

/** A model of a chain that was not called. */
export interface SkippedModel {
  readonly model: string
  readonly reason: "context_length" | "tools" | "images" | "ejected"
}

/** A sum of money. */
export interface Cost {
  readonly currency: string
  readonly amount: number
  /** The amount in decimal digits. */
  readonly text: string
}

export interface PluginOutcome {
  readonly type: string
  readonly outcome: "changed" | "answered" | "refused" | "failed"
  /** Debug header that says that it has changed the request or the reply. */
  readonly debugHeader?: string | undefined
}

/**
 * What became of one request. The pipeline fills it as the request goes along; metrics, headers, logs and selectors read it
 * and nothing else, on success and on failure alike.
 */
export interface CallRecord {
  readonly id: string
  readonly listener: string
  readonly endpoint: string
  readonly startedAt: number
  /** Number of the generation that served it. */
  readonly generation: number
  /** Name of the key that the client sent, never the key; undefined where the listener asks for none. */
  readonly key: string | undefined
  /** The client asked for a stream. */
  readonly stream: boolean
  requestedModel: string
  /** The router chose the model. */
  automatic: boolean
  /** Who answered: `upstream`, `looper`, a plugin's type, or `error`. */
  path: string
  readings: SignalReadings | undefined
  /** The routing profile; left out for a request that names its model, and in a document without recipes. */
  recipe: string | undefined
  decision: string | undefined
  /** Rules of that decision, or of the one whose unknown facts failed the request. With the facts they say why. */
  rules: RuleNode | undefined
  confidence: number | undefined
  algorithm: string | undefined
  selection: Selection | undefined
  appliedPolicies: Verdict["appliedPolicies"]
  securityChecks: SecurityChecks | undefined
  /** Rules of guards that did not read all that they have to. */
  unscanned: readonly Unscanned[]
  /**
   * Rules of all signals whose facts are unknown, those of guards among them, and a selector that failed (type `selector`);
   * left out where there are none.
   */
  unknown?: readonly UnknownSignal[]
  /** Model that was chosen; with several attempts the one that answered. */
  model: string | undefined
  reasoning: ReasoningChoice | undefined
  toolCount: number
  readonly plugins: PluginOutcome[]
  readonly attempts: Attempt[]
  /** Models that were passed over before one was called. */
  skipped?: readonly SkippedModel[]
  /** Tells all of these in a few words, for a header and the log; left out where models are called once. */
  trail?: (record: CallRecord) => string
  /** Which bound of a looper's budget is used up; left out as long as none is. */
  usedBudget?: "deadline" | "max_calls" | "max_cost"
  status: number
  error: RtrError | undefined
  /** Of all attempts together. */
  usage: Usage | undefined
  /** Of all attempts that have ended, for each currency; undefined when none of them had prices and tokens. */
  costs: readonly Cost[] | undefined
  firstByteMs: number | undefined
  totalMs: number
}

/** What the backend that answered did not get of the client's fields. */
export function droppedOf({ attempts, model }: Pick<CallRecord, "attempts" | "model">): Attempt["dropped"] {
  for (let at = attempts.length - 1; at >= 0; at--) {
    const { dropped, status = 0, error, model: asked } = attempts[at] as Attempt
    if (dropped !== undefined && asked === model && status >= 200 && status < 300 && error === undefined) return dropped
  }
  return undefined
}

export interface Outcome {
  readonly record: CallRecord
  readonly reply: Reply
}

const failedCalls = new WeakMap<object, CallRecord>()

/** Ties the error that ended a call to its record, so that an error reply can tell how the call was routed. */
export function rememberFailedCall(error: unknown, record: CallRecord): void {
  if (typeof error === "object" && error !== null) failedCalls.set(error, record)
}

/** Undefined for an error outside of a call. */
export function failedCallOf(error: unknown): CallRecord | undefined {
  return typeof error === "object" && error !== null ? failedCalls.get(error) : undefined
}
