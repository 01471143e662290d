// How sure a reply is: from the probabilities of its tokens, or from a model that judges it.

import type { ChatReply, ChatRequest, HttpClient, LooperCall } from "../../../kernel/index.ts"
import { judgedConfidence, verifierConfidence, verifyRequest } from "../judged-confidence.ts"
import { marginConfidence, meanLogprobConfidence } from "../token-confidence.ts"

export const methods = ["avg_logprob", "margin", "hybrid", "self_verify", "automix_entailment"] as const
export type Method = (typeof methods)[number]

export interface ConfidenceOptions {
  readonly threshold?: number
  readonly hybrid_weights?: { readonly logprob_weight?: number; readonly margin_weight?: number }
  readonly token_filter?: "all" | "tool_call_args"
  readonly verifier_server_url?: string
  readonly verifier_timeout_seconds?: number
}

/** Below every confidence, so that any reply is accepted. */
export const anyReply = -1
export const defaultThresholds: Readonly<Record<Method, number>> = {
  avg_logprob: anyReply,
  margin: 0.5,
  hybrid: 0.5,
  self_verify: 0.7,
  automix_entailment: 0.7,
}

/** Shares of avg_logprob and margin; 0 counts as left out. */
export function weightsOf({ hybrid_weights: weights = {} }: ConfidenceOptions): {
  readonly logprob: number
  readonly margin: number
} {
  return { logprob: weights.logprob_weight || 0.5, margin: weights.margin_weight || 0.5 }
}

/** What one candidate gave. The confidence is there when it could be told. */
export interface Tried {
  readonly candidate: number
  readonly reply: ChatReply
  readonly confidence?: number
}

/** The confidence of a reply. Rejects when it cannot be told. */
export type Measure = (call: LooperCall, tried: Tried) => number | Promise<number>

export function measureBy(method: Method, entry: ConfidenceOptions, http: HttpClient): Measure {
  const { token_filter: filter = "all", verifier_server_url: url = "", verifier_timeout_seconds: seconds = 60 } = entry
  const { logprob, margin } = weightsOf(entry)
  const threshold = entry.threshold || defaultThresholds[method]
  const measures: Readonly<Record<Method, Measure>> = {
    avg_logprob: (_, { reply }) => meanLogprobConfidence(reply, filter),
    margin: (_, { reply }) => marginConfidence(reply, filter),
    hybrid: (_, { reply }) => logprob * meanLogprobConfidence(reply, filter) + margin * marginConfidence(reply, filter),
    self_verify: async (call, { candidate, reply }) =>
      judgedConfidence(await call.ask(candidate, verifyRequest(call.request, reply))),
    automix_entailment: (call, { reply }) =>
      verifierConfidence(http, {
        url,
        timeoutMs: seconds * 1000,
        signal: call.signal,
        question: call.text,
        reply,
        threshold,
      }),
  }
  return measures[method]
}

/** The request with what the method reads beside the reply. */
export function withLogprobs(request: ChatRequest, method: Method): ChatRequest {
  const { generation } = request
  if (method === "avg_logprob") return { ...request, generation: { ...generation, logprobs: true } }
  if (method === "margin" || method === "hybrid")
    return {
      ...request,
      generation: { ...generation, logprobs: true, topLogprobs: Math.max(2, generation.topLogprobs ?? 0) },
    }
  return request
}
