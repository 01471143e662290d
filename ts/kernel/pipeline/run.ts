// The way of one request, on one page.

import { RtrError } from "../error.ts"
import { toStreamReply } from "../protocols/chat-completions.ts"
import type { Call, Outcome, Routing, SecurityChecks, Selection, SignalReadings } from "../types/call.ts"
import type { Reply } from "../types/chat.ts"
import { toHeaderText } from "../types/header-text.ts"
import type { Inference } from "../types/inference.ts"
import type { PluginCall } from "../types/module.ts"
import type { ModelTarget, Plan, PlannedCandidate, PlannedDecision } from "../types/plan.ts"
import type { Transport } from "../types/transport.ts"
import { decide, type DecideResult, unknownReasons } from "./decide.ts"
import { toSignalInput } from "./input.ts"
import { runPlugins } from "./plugins.ts"
import { securityChecks } from "./security-checks.ts"
import { select } from "./select.ts"
import { type OnFault, readSignals } from "./signals.ts"
import type { Tracer } from "./trace.ts"
import { callUpstream } from "./upstream.ts"

export interface PipelineHost {
  readonly plan: Plan
  readonly transport: Transport
  readonly inference: Inference | undefined
  readonly tracer: Tracer
  readonly onFault?: OnFault
}

/** Routes one request and gets its reply. Rejects with an `RtrError` when there is none. */
export async function run(host: PipelineHost, call: Call): Promise<Outcome> {
  const explicit = resolveModel(host.plan, call)
  if (explicit !== undefined) return callExplicitly(host, call, explicit)

  const input = toSignalInput(call.request)
  const readings = await readSignals(host, call, input)
  if (call.signal.aborted) throw new RtrError("client_closed_request", "The client left before a model was chosen")
  const verdict = decide(host.plan, readings.facts)
  if (verdict.unresolved !== undefined) throw unresolved(host.plan, verdict.unresolved, readings)
  const decision = verdict.decision === undefined ? undefined : host.plan.decisions[verdict.decision]
  const checks = securityChecks(host.plan.signals, readings.facts, input)
  if (decision === undefined) return callDefault(host, call, { readings, verdict, checks })
  const selection = await select(decision, input, host.onFault)
  return callDecision(host, call, { decision, selection, readings, verdict, checks })
}

/** The model that a request names, or undefined when it leaves the choice to the router. */
export function resolveModel(plan: Plan, call: Pick<Call, "request" | "grants">): ModelTarget | undefined {
  const { model } = call.request
  const automatic = plan.autoNames.includes(model)
  const target = plan.models.get(model)
  if (!automatic && target === undefined)
    throw new RtrError(
      "model_not_found",
      `Model ${quote(model)} is not available; use ${quote(plan.autoNames[0] ?? "MoM")} for automatic routing, or a model that GET /v1/models lists`,
    )
  const granted =
    call.grants === undefined ||
    call.grants.has(model) ||
    (automatic && plan.autoNames.some((name) => call.grants?.has(name)))
  if (!granted) throw new RtrError("model_not_allowed", `Model ${quote(model)} is not allowed on this listener`)
  return automatic ? undefined : target
}

/** Model names come from the client; a long one is cut so that it cannot fill a log or a reply. */
const quote = (name: string): string => JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)

/** Whoever sends a text again that is too long or in words that no model knows gets the same answer; everything else may pass. */
function unresolved({ decisions }: Plan, name: string, { facts }: SignalReadings): RtrError {
  const rules = decisions.find((decision) => decision.name === name)?.rules
  const reasons = rules === undefined ? [] : unknownReasons(rules, facts)
  if (reasons.length > 0 && reasons.every((reason) => reason === "input_limit"))
    return new RtrError(
      "context_length_exceeded",
      `The text is too long for the guards and other signals of decision "${name}" to read it whole; send a shorter one`,
    )
  if (reasons.length > 0 && reasons.every((reason) => reason === "input_limit" || reason === "unread_words"))
    return new RtrError(
      "unread_words",
      `The text has words that the guards and other signals of decision "${name}" cannot read; send it in a script and a language that their models know`,
    )
  return new RtrError(
    "signal_unresolved",
    `Decision "${name}" hangs on signals that could not be read, and its policy is fail_request`,
    { retryAfterSeconds: 1 },
  )
}

/** An explicitly named model is called as it is: no signals, no plugins. */
async function callExplicitly(host: PipelineHost, call: Call, target: ModelTarget): Promise<Outcome> {
  const routing: Routing = { ...unrouted, path: "upstream", model: target.name, automatic: false }
  return {
    routing,
    reply: await callUpstream(
      { call, target, request: call.request, headers: upstreamHeaders(call, routing), reasoning: undefined },
      host.transport,
    ),
  }
}

interface Read {
  readonly readings: SignalReadings
  readonly verdict: DecideResult
  readonly checks: SecurityChecks | undefined
}

async function callDefault(host: PipelineHost, call: Call, { readings, verdict, checks }: Read): Promise<Outcome> {
  const target = host.plan.defaultModel
  if (target === undefined)
    throw new RtrError(
      "no_model_selected",
      "No decision matched the request, and providers.defaults.model names no model for that case",
    )
  const routing: Routing = {
    ...unrouted,
    path: "upstream",
    model: target.name,
    automatic: true,
    signalMs: readings.totalMs,
    familyMs: readings.familyMs,
    securityChecks: checks,
    appliedPolicies: verdict.appliedPolicies,
  }
  return {
    routing,
    reply: await callUpstream(
      { call, target, request: call.request, headers: upstreamHeaders(call, routing), reasoning: undefined },
      host.transport,
    ),
  }
}

interface Decided extends Read {
  readonly decision: PlannedDecision
  readonly selection: Selection | undefined
}

async function callDecision(
  host: PipelineHost,
  call: Call,
  { decision, selection, readings, verdict, checks }: Decided,
): Promise<Outcome> {
  const candidate = selection === undefined ? undefined : decision.candidates[selection.candidate]
  const routing: Routing = {
    path: "upstream",
    model: candidate?.model,
    decision: decision.name,
    algorithm: selection?.algorithm ?? decision.algorithm,
    confidence: verdict.confidence,
    appliedPolicies: verdict.appliedPolicies,
    signalMs: readings.totalMs,
    familyMs: readings.familyMs,
    securityChecks: checks,
    automatic: true,
    ...(candidate?.reasoning !== undefined && { reasoning: candidate.reasoning }),
  }
  const pluginCall: PluginCall = {
    id: call.id,
    decision: decision.name,
    model: candidate?.model ?? "",
    request: call.request,
    headers: upstreamHeaders(call, routing),
  }
  const { reply, answeredBy } = await runPlugins(decision.plugins, pluginCall, (inside) =>
    callCandidate(host, call, candidate, inside),
  )
  return {
    routing: answeredBy === undefined ? routing : { ...routing, path: answeredBy, model: undefined },
    reply: inClientForm(reply, call),
  }
}

async function callCandidate(
  host: PipelineHost,
  call: Call,
  candidate: PlannedCandidate | undefined,
  inside: PluginCall,
): Promise<Reply> {
  if (candidate === undefined)
    throw new RtrError(
      "no_model_selected",
      `Decision "${inside.decision}" has no model, and none of its plugins answered`,
    )
  return callUpstream(
    {
      call,
      target: candidate.target,
      request: inside.request,
      headers: inside.headers,
      reasoning: candidate.reasoning,
    },
    host.transport,
  )
}

/** A plugin that answers, or that changes the request, need not know whether the client asked for a stream. */
function inClientForm(reply: Reply, call: Call): Reply {
  if (reply.kind === "stream" && call.request.stream !== true) {
    void reply.batches[Symbol.asyncIterator]().return?.()
    throw new RtrError("invalid_module", "A plugin answered with a stream, but the client asked for none")
  }
  return reply.kind === "json" && reply.status < 400 && call.request.stream === true
    ? toStreamReply(reply.body, reply.status)
    : reply
}

const unrouted = {
  decision: undefined,
  algorithm: undefined,
  confidence: undefined,
  appliedPolicies: [],
  signalMs: 0,
  familyMs: {},
} as const

const forwardedHeaders = ["traceparent", "tracestate"] as const

/** Headers that the router adds to the upstream request (spec 1, Routing headers). */
function upstreamHeaders(call: Call, routing: Routing): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "x-request-id": call.id, "x-cache-status": "miss" }
  if (routing.model !== undefined) headers["x-selected-model"] = toHeaderText(routing.model)
  if (routing.confidence !== undefined) headers["x-routing-confidence"] = routing.confidence.toFixed(4)
  for (const name of forwardedHeaders) {
    const value = call.header(name)
    if (value !== undefined) headers[name] = value
  }
  return headers
}
