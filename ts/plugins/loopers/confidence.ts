// A cascade: asks the candidates one after the other until a reply is sure enough.

import {
  defineLooper,
  type HttpClient,
  literals,
  type LooperAnswer,
  type LooperCall,
  readPlainUrl,
  type Report,
  RtrError,
  section,
  type Static,
  Type,
} from "../../kernel/index.ts"
import { orderCandidates } from "../_shared/candidate-order.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import {
  anyReply,
  defaultThresholds,
  type Measure,
  measureBy,
  type Method,
  methods,
  type Tried,
  weightsOf,
  withLogprobs,
} from "../_shared/loopers/confidence-methods.ts"
import { withTimeLimit } from "../_shared/loopers/time-limit.ts"

const share = Type.Number({ minimum: 0, maximum: 1 })

const stage = section({
  model: Type.String({ minLength: 1, description: "One of the decision's modelRefs" }),
  confidence_method: Type.Optional(literals(methods, { description: "That of the cascade when left out" })),
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "That of the cascade when 0 or left out" }),
  ),
  timeout_seconds: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, description: "The next stage begins when this one takes longer" }),
  ),
})

const options = section({
  confidence_method: Type.Optional(
    literals(methods, { description: "How the confidence of a reply is found; avg_logprob when left out" }),
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        "Confidence that accepts a reply; 0 or left out: 0.5 for margin and hybrid, 0.7 for the methods that ask, any reply for avg_logprob",
    }),
  ),
  stages: Type.Optional(
    Type.Array(stage, {
      minItems: 1,
      description: "The models in order, each with a bar of its own; the last has none",
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
type Stage = Static<typeof stage>
export default defineLooper({
  about: "Asks small models first and goes on to larger ones until a reply is sure enough",
  needs: ["http"],
  options,
  settings: looperIntegration,
  check(entry, report, { candidates } = { candidates: [], models: new Set() }) {
    const { verifier_server_url: url, stages = [] } = entry
    const used = new Set([methodOf(entry), ...stages.map((each) => methodOf(entry, each))])
    if (entry.hybrid_weights !== undefined && !used.has("hybrid"))
      report(["hybrid_weights"], `belongs to confidence_method hybrid, not to ${[...used].join(" and ")}`)
    const { logprob, margin } = weightsOf(entry)
    if (used.has("hybrid") && Math.abs(logprob + margin - 1) > 1e-6)
      report(["hybrid_weights"], `must sum to 1, where 0 or nothing counts as 0.5; got ${logprob} and ${margin}`)
    checkStages(entry, candidates, report)
    if (used.has("automix_entailment")) {
      if (url === undefined) report(["verifier_server_url"], "is missing; confidence_method automix_entailment asks it")
      else if (readPlainUrl(url) === undefined)
        report(["verifier_server_url"], "must be an http or https URL without user, query, fragment and spaces")
      return
    }
    for (const key of ["verifier_server_url", "verifier_timeout_seconds"] as const)
      if (entry[key] !== undefined)
        report([key], `belongs to confidence_method automix_entailment, not to ${[...used].join(" and ")}`)
  },
  setup(entry, { candidates, http }) {
    const { cost_quality_tradeoff: tradeoff = 0.3, stages } = entry
    const names = candidates.map(({ model }) => model)
    const cascade: Cascade = {
      steps:
        stages === undefined
          ? orderCandidates(candidates, entry.escalation_order ?? "size", tradeoff).map((candidate) =>
              stepOf(entry, http, candidate),
            )
          : stages.map((each) => stepOf(entry, http, names.indexOf(each.model), each)),
      failsAtOnce: entry.on_error === "fail",
      maxBytes: entry.max_response_bytes || undefined,
    }
    return { run: (call) => runCascade(cascade, call) }
  },
})

const methodOf = (entry: Options, own: Stage = { model: "" }): Method =>
  own.confidence_method ?? entry.confidence_method ?? "avg_logprob"

function checkStages(
  { stages, escalation_order: order, cost_quality_tradeoff: tradeoff }: Options,
  candidates: readonly string[],
  report: Report,
): void {
  if (stages === undefined) return
  if (order !== undefined)
    report(["escalation_order"], "belongs to a cascade without stages, which are in order already")
  if (tradeoff !== undefined) report(["cost_quality_tradeoff"], "belongs to escalation_order automix")
  for (const [index, { model }] of stages.entries())
    if (candidates.length > 0 && !candidates.includes(model))
      report(
        ["stages", index, "model"],
        `"${model}" is not one of the decision's modelRefs, which are ${candidates.join(", ")}`,
      )
  const last = stages.length - 1
  for (const key of ["threshold", "confidence_method"] as const)
    if (stages[last]?.[key] !== undefined)
      report(["stages", last, key], "has no effect: the reply of the last stage is taken as it is", "warning")
}

/** One call of the cascade. */
interface Step {
  readonly candidate: number
  readonly method: Method
  readonly threshold: number
  readonly measure: Measure
  readonly timeoutMs: number | undefined
}

interface Cascade {
  readonly steps: readonly Step[]
  readonly failsAtOnce: boolean
  readonly maxBytes: number | undefined
}

function stepOf(entry: Options, http: HttpClient, candidate: number, own?: Stage): Step {
  const method = methodOf(entry, own)
  // As the format has it, 0 is the method's own.
  const threshold = own?.threshold || entry.threshold || defaultThresholds[method]
  return {
    candidate,
    method,
    threshold,
    measure: measureBy(method, { ...entry, threshold }, http),
    timeoutMs: own?.timeout_seconds === undefined ? undefined : own.timeout_seconds * 1000,
  }
}

async function runCascade({ steps, failsAtOnce, maxBytes }: Cascade, call: LooperCall): Promise<LooperAnswer> {
  const last = steps.at(-1)
  let latest: Tried | undefined
  let failure: unknown = new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
  for (const step of steps) {
    const { candidate, method, threshold, measure, timeoutMs } = step
    try {
      // Nothing comes after the last one, so its reply is taken unmeasured.
      if (step === last) {
        const reply = await withTimeLimit(timeoutMs, (signal) =>
          call.stream(candidate, call.request, { maxBytes, ...(signal && { signal }) }),
        )
        const reason = `the last of ${steps.length} models`
        return "next" in reply ? { reply, candidate, reason } : answer({ candidate, reply }, call, reason)
      }
      const confidence = await withTimeLimit(timeoutMs, async (signal) => {
        const timed = signal === undefined ? call : withinTime(call, signal)
        const reply = await timed.ask(candidate, withLogprobs(call.request, method), { maxBytes })
        latest = { candidate, reply }
        call.keep(answer(latest, call, "the last model that answered"))
        return measure(timed, { candidate, reply })
      })
      latest = { ...(latest as unknown as Tried), confidence }
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

/** The call of a stage, which ends with its time. */
const withinTime = (call: LooperCall, signal: AbortSignal): LooperCall => ({
  ...call,
  signal: AbortSignal.any([call.signal, signal]),
  ask: (model, request, more) => call.ask(model, request, { ...more, signal }),
})

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
