// A cascade: asks the candidates one after the other until a reply is sure enough.

import {
  type ChatReply,
  type ChatRequest,
  defineLooper,
  type HttpClient,
  literals,
  type LooperAnswer,
  type LooperCall,
  readPlainUrl,
  RtrError,
  section,
  type Static,
  Type,
} from "../../kernel/index.ts"
import { orderCandidates } from "../_shared/candidate-order.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import { looperKeys } from "../_shared/loopers/keys.ts"
import { judgedConfidence, verifierConfidence, verifyRequest } from "../_shared/judged-confidence.ts"
import { marginConfidence, meanLogprobConfidence } from "../_shared/token-confidence.ts"

const share = Type.Number({ minimum: 0, maximum: 1 })

const options = section({
  confidence_method: Type.Optional(
    literals(["avg_logprob", "margin", "hybrid", "self_verify", "automix_entailment"], {
      description: "How the confidence of a reply is found; avg_logprob when left out",
    }),
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Confidence that accepts a reply; 0 or left out: 0.5 for margin and hybrid, 0.7 for the methods that ask, any reply for avg_logprob",
    }),
  ),
  hybrid_weights: Type.Optional(
    section(
      { logprob_weight: Type.Optional(share), margin_weight: Type.Optional(share) },
      {
        description: "Shares of avg_logprob and margin in hybrid; 0 or left out is 0.5, and both sum to 1",
      },
    ),
  ),
  on_error: Type.Optional(
    literals(["skip", "fail"], {
      description:
        "A model that fails, or whose confidence cannot be told: go on with the next, or refuse the request; skip when left out",
    }),
  ),
  escalation_order: Type.Optional(
    literals(["size", "small_to_large", "declared", "cost", "automix"], {
      description: "Order of the models; size when left out, which is the same as small_to_large",
    }),
  ),
  cost_quality_tradeoff: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Share of the cost in order automix; 0.3 when left out" }),
  ),
  token_filter: Type.Optional(
    literals(["all", "tool_call_args"], { description: "Tokens whose log-probabilities count; all when left out" }),
  ),
  verifier_server_url: Type.Optional(
    Type.String({ minLength: 1, description: "Verifier of method automix_entailment; it is asked at /verify" }),
  ),
  verifier_timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, description: "60 when left out" })),
  max_response_bytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "A model whose reply is longer has failed; no limit of its own when left out or 0",
    }),
  ),
})

type Options = Static<typeof options>
type Method = NonNullable<Options["confidence_method"]>

/** Below every confidence, so that any reply is accepted. */
const anyReply = -1
const defaultThresholds: Readonly<Record<Method, number>> = {
  avg_logprob: anyReply,
  margin: 0.5,
  hybrid: 0.5,
  self_verify: 0.7,
  automix_entailment: 0.7,
}

/** Shares of avg_logprob and margin; 0 counts as left out. */
function weightsOf({ hybrid_weights: weights = {} }: Options): { readonly logprob: number; readonly margin: number } {
  return { logprob: weights.logprob_weight || 0.5, margin: weights.margin_weight || 0.5 }
}

export default defineLooper({
  about: "Asks small models first and goes on to larger ones until a reply is sure enough",
  needs: ["http"],
  options,
  keys: looperKeys,
  settings: looperIntegration,
  check(entry, report) {
    const { confidence_method: method = "avg_logprob", verifier_server_url: url } = entry
    if (entry.hybrid_weights !== undefined && method !== "hybrid")
      report(["hybrid_weights"], `belongs to confidence_method hybrid, not to ${method}`)
    const { logprob, margin } = weightsOf(entry)
    if (method === "hybrid" && Math.abs(logprob + margin - 1) > 1e-6)
      report(["hybrid_weights"], `must sum to 1, where 0 or nothing counts as 0.5; got ${logprob} and ${margin}`)
    if (method === "automix_entailment") {
      if (url === undefined) report(["verifier_server_url"], "is missing; confidence_method automix_entailment asks it")
      else if (readPlainUrl(url) === undefined)
        report(["verifier_server_url"], "must be an http or https URL without user, query, fragment and spaces")
      return
    }
    for (const key of ["verifier_server_url", "verifier_timeout_seconds"] as const)
      if (entry[key] !== undefined) report([key], `belongs to confidence_method automix_entailment, not to ${method}`)
  },
  setup(entry, { candidates, http }) {
    const { confidence_method: method = "avg_logprob", cost_quality_tradeoff: tradeoff = 0.3 } = entry
    const cascade: Cascade = {
      method,
      // As the format has it, 0 is the method's own.
      threshold: entry.threshold || defaultThresholds[method],
      measure: measureBy(method, entry, http),
      order: orderCandidates(candidates, entry.escalation_order ?? "size", tradeoff),
      failsAtOnce: entry.on_error === "fail",
      maxBytes: entry.max_response_bytes || undefined,
    }
    return { run: (call) => runCascade(cascade, call) }
  },
})

interface Cascade {
  readonly method: Method
  readonly threshold: number
  readonly measure: Measure
  readonly order: readonly number[]
  readonly failsAtOnce: boolean
  readonly maxBytes: number | undefined
}

/** What one candidate gave. The confidence is there when it could be told. */
interface Tried {
  readonly candidate: number
  readonly reply: ChatReply
  readonly confidence?: number
}

async function runCascade(cascade: Cascade, call: LooperCall): Promise<LooperAnswer> {
  const { order, threshold, method, measure, failsAtOnce, maxBytes } = cascade
  const last = order.at(-1)
  let latest: Tried | undefined
  let failure: unknown = new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
  for (const candidate of order) {
    try {
      // Nothing comes after the last one, so its reply is taken unmeasured.
      if (candidate === last) {
        const reply = await call.stream(candidate, call.request, { maxBytes })
        const reason = `the last of ${order.length} models`
        return "next" in reply ? { reply, candidate, reason } : answer({ candidate, reply }, call, reason)
      }
      const reply = await call.ask(candidate, withLogprobs(call.request, method), { maxBytes })
      latest = { candidate, reply }
      call.keep(answer(latest, call, "the last model that answered"))
      const confidence = await measure(call, { candidate, reply })
      latest = { ...latest, confidence }
      if (confidence >= threshold)
        return answer(latest, call, `${method} ${round(confidence)} reaches ${threshold === anyReply ? 0 : threshold}`)
    } catch (error) {
      if (failsAtOnce || call.signal.aborted) throw error
      failure = error
    }
  }
  if (latest !== undefined) return answer(latest, call, "no later model answered")
  throw failure
}

const round = (value: number): number => Math.round(value * 1000) / 1000

/** A reply as if the client had asked for it alone: without log-probabilities that only the cascade wanted. */
function answer({ reply, candidate, confidence }: Tried, { request }: LooperCall, reason: string): LooperAnswer {
  const { logprobs = false, topLogprobs = 0 } = request.generation
  const choices = reply.choices.map((choice) => {
    const { logprobs: tokens, ...rest } = choice
    if (tokens === undefined) return choice
    if (!logprobs) return rest
    return tokens.every(({ top }) => top.length <= topLogprobs)
      ? choice
      : { ...rest, logprobs: tokens.map((token) => ({ ...token, top: token.top.slice(0, topLogprobs) })) }
  })
  const changed = choices.some((choice, index) => choice !== reply.choices[index])
  return {
    reply: changed ? { ...reply, choices } : reply,
    candidate,
    reason,
    ...(confidence !== undefined && { confidence }),
  }
}

// ── methods ──

/** The confidence of a reply. Rejects when it cannot be told. */
type Measure = (call: LooperCall, tried: Tried) => number | Promise<number>

function measureBy(method: Method, entry: Options, http: HttpClient): Measure {
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
function withLogprobs(request: ChatRequest, method: Method): ChatRequest {
  const { generation } = request
  if (method === "avg_logprob") return { ...request, generation: { ...generation, logprobs: true } }
  if (method === "margin" || method === "hybrid")
    return {
      ...request,
      generation: { ...generation, logprobs: true, topLogprobs: Math.max(2, generation.topLogprobs ?? 0) },
    }
  return request
}
