// One request on its way through the pipeline, and what each stage makes of it. No stage changes another's value.

import type { RtrError } from "../error.ts"
import type { ChatRequest, Reply } from "./chat.ts"
import type { Fact } from "./fact.ts"
import type { ReasoningChoice } from "./module.ts"

export interface Call {
  readonly id: string
  readonly request: ChatRequest
  /** A header of the client's request; names are lower case. */
  readonly header: (name: string) => string | undefined
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /** `performance.now()` when the request arrived. */
  readonly startedAt: number
  /** The listener that the request came in by. */
  readonly listener: string
  /** Model names that clients of the listener may use; undefined means all. */
  readonly grants: ReadonlySet<string> | undefined
  /** Longest wait for the upstream's headers and between two pieces of its body: the listener's `timeout`. */
  readonly upstreamTimeoutMs: number
}

/** The request as signals see it. */
export interface SignalInput {
  /** Text of the last user message. */
  readonly text: string
  readonly request: ChatRequest
}

/** Facts of one request by slot number; a slot whose family did not run is `undefined`. */
export type Facts = readonly (Fact | undefined)[]

export interface SignalReadings {
  readonly facts: Facts
  /** Milliseconds that each condition type took, by type. */
  readonly familyMs: Readonly<Record<string, number>>
  readonly totalMs: number
}

export type UnknownPolicy = "no_match" | "match" | "fail_request"

/** What the rules said. `decision` is an index into the plan's decisions. */
export interface Verdict {
  readonly decision: number | undefined
  readonly confidence: number
  /** Decisions whose outcome hung on unknown facts, with the policy that settled them. */
  readonly appliedPolicies: readonly { readonly decision: string; readonly policy: UnknownPolicy }[]
}

export interface Selection {
  /** Index into the decision's candidates. */
  readonly candidate: number
  readonly algorithm: string
  readonly confidence: number
  readonly reason: string
}

/** Whether a guard found something; one that did not read all that its rules ask for and found nothing is left out. */
export interface SecurityChecks {
  readonly pii?: boolean
  readonly jailbreak?: boolean
}

/** How a request was routed: the content of the routing headers and of `routing_metadata`. */
export interface Routing {
  /** Who answered: `upstream`, or the plugin that answered at once. */
  readonly path: string
  readonly model: string | undefined
  readonly decision: string | undefined
  readonly algorithm: string | undefined
  readonly confidence: number | undefined
  readonly appliedPolicies: Verdict["appliedPolicies"]
  /** Milliseconds spent reading signals, in all and by condition type. */
  readonly signalMs: number
  readonly familyMs: SignalReadings["familyMs"]
  readonly automatic: boolean
  /** What the guards found; undefined when none has read the request. */
  readonly securityChecks?: SecurityChecks | undefined
  /** Set for a candidate whose model has a reasoning family. */
  readonly reasoning?: ReasoningChoice
}

export interface Outcome {
  readonly routing: Routing
  readonly reply: Reply
}

export interface TokenCounts {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** Prompt tokens that the upstream had cached. */
  readonly cached_tokens: number
}

/** How a call ended; handed to metrics and replay after the reply. */
export interface CallEnd {
  readonly routing: Routing | undefined
  readonly status: number
  readonly error?: RtrError
  readonly usage?: TokenCounts
  readonly firstByteMs?: number
  readonly totalMs: number
}
