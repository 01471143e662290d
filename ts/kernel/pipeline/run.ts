// The way of one request, on one page.

import { eventsOf } from "../chat/reply-events.ts"
import { RtrError } from "../error.ts"
import type { Call, CallRecord, Facts, Outcome } from "../types/call.ts"
import type { Reply } from "../types/chat.ts"
import { toHeaderText } from "../types/header-text.ts"
import { suggestion } from "../schema/problem.ts"
import type { UnknownReason } from "../types/fact.ts"
import type { Inference } from "../types/inference.ts"
import type { ModelTarget, Plan, PlannedDecision } from "../types/plan.ts"
import type { PluginCall } from "../types/plugin.ts"
import type { SignalInput } from "../types/signal.ts"
import { withSignal } from "./call-signal.ts"
import type { Able } from "./upstream/reliability/able.ts"
import { type AttemptHost, callUpstream } from "./upstream/attempt.ts"
import { hopHeader } from "./upstream/hops.ts"
import { type DecideResult, decide, unknownReasons } from "./decide.ts"
import { expectRead } from "./expect-read.ts"
import { finishCall } from "./finish.ts"
import { notLoaded, type Stages } from "./load-stages.ts"
import { createRecord } from "./record.ts"
import { select } from "./selection/select.ts"
import { type InputHost, type OnModuleError, readSignals, toSignalInput } from "./signals.ts"
import { streamOf } from "./streams.ts"
import { unknownIn, unscannedIn } from "./unscanned.ts"

export interface PipelineHost extends AttemptHost, InputHost, Stages, Partial<Able> {
  readonly plan: Plan
  /** Number of the generation. */
  readonly generation: number
  readonly inference: Inference | undefined
  readonly onModuleError?: OnModuleError | undefined
  /** Told once about each call when it is over, whether it succeeded or not. */
  readonly onRecord: (record: CallRecord) => void
  /** The host of the recipe that a model name means, or of the one that is named; undefined for every other name. */
  readonly hostFor?: (model: string, recipe?: string) => PipelineHost | undefined
}

/** Routes one request and gets its reply. Rejects with an `RtrError` when there is none; the record tells of it all the same. */
export async function run(entryHost: PipelineHost, call: Call): Promise<Outcome> {
  const host = entryHost.hostFor?.(call.request.model) ?? entryHost
  const record = createRecord(call, host.generation)
  return finishCall(host, record, async () => {
    const explicit = resolveModel(host.plan, call)
    if (explicit !== undefined) {
      record.automatic = false
      return callModel(host, call, record, explicit)
    }
    record.recipe = host.plan.recipe
    const input = toSignalInput(call, host)
    host.track?.(input, call, record)
    const reading = readSignals(host, call, input)
    const readings = reading instanceof Promise ? await reading : reading
    if (call.client.aborted) throw new RtrError("client_closed_request", "The client left before a model was chosen")
    const verdict = decide(host.plan, readings.facts)
    record.readings = readings
    record.appliedPolicies = verdict.appliedPolicies
    const unread = unknownIn(host.plan.signals, readings)
    if (unread.length > 0) {
      record.unknown = unread
      record.unscanned = unscannedIn(host.plan.signals, readings, unread)
    }
    record.securityChecks = host.securityChecks?.(host.plan.signals, readings.facts, input)
    if (verdict.unresolved !== undefined) {
      record.rules = host.plan.decisions.find(({ name }) => name === verdict.unresolved)?.rules
      throw unresolved(verdict.unresolved, record.rules, readings.facts)
    }
    if (verdict.decision !== undefined)
      return callDecision(
        host,
        { call, record, input },
        host.plan.decisions[verdict.decision] as PlannedDecision,
        verdict,
      )
    if (host.plan.defaultModel !== undefined) return callModel(host, call, record, host.plan.defaultModel)
    throw new RtrError(
      "no_model_selected",
      "No decision matched the request, and there is no default model for that case (providers.defaults.model)",
    )
  })
}

/** Does what a request asks for that is no chat, with a record like that of every other. */
export async function answer(
  host: PipelineHost,
  call: Call,
  work: (record: CallRecord) => Promise<Reply>,
): Promise<Outcome> {
  const record = createRecord(call, host.generation)
  record.automatic = false
  return finishCall(host, record, () => work(record))
}

/** The model that a request names, or undefined when it leaves the choice to the router. */
export function resolveModel(plan: Plan, call: Pick<Call, "request" | "grants">): ModelTarget | undefined {
  const { model } = call.request
  const automatic = plan.autoNames.includes(model)
  const target = plan.models.get(model)
  if (!automatic && target === undefined)
    throw new RtrError(
      "model_not_found",
      `Model ${quote(model)} is not available${suggestedModel(plan, call)}; use ${quote(plan.autoNames[0] ?? "MoM")} for automatic routing, or a model that GET /v1/models lists`,
    )
  const granted =
    call.grants === undefined ||
    call.grants.has(model) ||
    (automatic && plan.autoNames.some((name) => call.grants?.has(name)))
  if (!granted) {
    const allowed = [...(call.grants ?? [])].slice(0, 9).map(quote).join(", ")
    throw new RtrError(
      "model_not_allowed",
      `Model ${quote(model)} is not allowed on this listener, which allows ${allowed || "none"}`,
    )
  }
  return automatic ? undefined : target
}

/** Among the models that the client may use. A long name is no mistyped one, and comparing it would take long. */
function suggestedModel({ autoNames, models }: Plan, { request: { model }, grants }: Pick<Call, "request" | "grants">) {
  const names = [...autoNames, ...models.keys()].filter((name) => grants?.has(name) !== false)
  return model.length > maxNameLength ? "" : suggestion(model, names)
}

const maxNameLength = 100

/** Model names come from the client; a long one is cut so that it cannot fill a log or a reply. */
const quote = (name: string): string =>
  JSON.stringify(name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name)

/** Why a fact is unknown that another request could mend, and the same one again could not. */
const contentReasons: ReadonlySet<UnknownReason | undefined> = new Set<UnknownReason>([
  "input_limit",
  "unread_words",
  "unreadable_content",
  "unsupported_language",
])

/** Errors that a retry cannot mend get a 4xx code; the others may be tried again. */
export function unresolved(name: string, rules: PlannedDecision["rules"] | undefined, facts: Facts): RtrError {
  const reasons = rules === undefined ? [] : unknownReasons(rules, facts)
  // The model abstains from the same question again.
  if (reasons.length > 0 && reasons.every((reason) => reason === "abstained"))
    return new RtrError(
      "signal_unresolved",
      `Decision "${name}" depends on questions that its model abstained from, and its policy is fail_request`,
    )
  const needsAnother = reasons.length > 0 && reasons.every((reason) => contentReasons.has(reason))
  if (!needsAnother)
    return new RtrError(
      "signal_unresolved",
      `Decision "${name}" depends on signals that could not be read, and its policy is fail_request`,
      { retryAfterSeconds: 1 },
    )
  if (reasons.includes("unreadable_content"))
    return new RtrError(
      "unreadable_content",
      `The request has content that the guards of decision "${name}" cannot read, such as an image; leave it out, or name its kind under allow_unread in the guard's rule`,
    )
  if (reasons.includes("unread_words"))
    return new RtrError(
      "unread_words",
      `The text has words that the guards and other signals of decision "${name}" cannot read; send it in a script and a language that their models know`,
    )
  if (reasons.includes("unsupported_language"))
    return new RtrError(
      "unread_words",
      `The text is in a language in which the guards of decision "${name}" were not measured; send it in one of theirs, such as English`,
    )
  return new RtrError(
    "context_length_exceeded",
    `The text is too long for the guards and other signals of decision "${name}" to read it whole; send a shorter one`,
  )
}

/** A model without a decision: the one that the request names, or the default. No plugins run. */
export async function callModel(
  host: PipelineHost,
  call: Call,
  record: CallRecord,
  target: ModelTarget,
): Promise<Reply> {
  record.path = "upstream"
  record.model = target.name
  const reply = await callUpstream(host, {
    call,
    record,
    target,
    request: call.request,
    headers: upstreamHeaders(call, record),
    reasoning: undefined,
    readsEvents: false,
    alternatives: record.automatic ? none : undefined,
  })
  return inClientForm(reply, call)
}

const none: readonly never[] = []

interface Begun {
  readonly call: Call
  readonly record: CallRecord
  readonly input: SignalInput
}

async function callDecision(
  host: PipelineHost,
  { call, record, input }: Begun,
  decision: PlannedDecision,
  verdict: DecideResult,
): Promise<Reply> {
  record.decision = decision.name
  record.rules = decision.rules
  record.confidence = verdict.confidence
  record.algorithm = decision.algorithm
  const selecting = decision.looper === undefined ? select(decision, input, host, call) : undefined
  const selection = selecting instanceof Promise ? await selecting : selecting
  const candidate = selection === undefined ? undefined : decision.candidates[selection.candidate]
  record.selection = selection
  if (selection?.failed !== undefined)
    record.unknown = [
      { type: "selector", rule: decision.algorithm, reason: selection.failed },
      ...(record.unknown ?? none),
    ]
  record.path = decision.looper === undefined ? "upstream" : "looper"
  record.model = candidate?.model
  record.reasoning = candidate?.reasoning

  const ask = async ({ request, headers: sent }: Pick<PluginCall, "request" | "headers">): Promise<Reply> => {
    if (decision.looper !== undefined)
      try {
        return await (host.runLooper ?? notLoaded())(host, { call, record, input, decision, request, headers: sent })
      } catch (error) {
        host.onModuleError?.(`looper ${decision.algorithm}`, error, "run")
        throw error
      }
    if (candidate === undefined)
      throw new RtrError(
        "no_model_selected",
        `Decision "${decision.name}" has no model, and none of its plugins answered`,
      )
    return callUpstream(host, {
      call,
      record,
      target: candidate.target,
      request,
      headers: sent,
      reasoning: candidate.reasoning,
      readsEvents: decision.plugins.some((plugin) => plugin.readsEvents),
      alternatives: decision.candidates,
    })
  }
  const headers = upstreamHeaders(call, record)
  if (decision.plugins.length === 0) return inClientForm(await ask({ request: call.request, headers }), call)

  const pluginCall = createPluginCall(host.plan, call, input, {
    decision: decision.name,
    model: candidate?.model ?? "",
    headers,
  })
  host.track?.(pluginCall, call, record)
  const { reply, answeredBy } = await (host.runPlugins ?? notLoaded())(
    {
      plugins: decision.plugins,
      callModel: ask,
      client: call.client,
      timeoutMs: call.upstreamTimeoutMs,
      onOutcome: (outcome) => record.plugins.push(outcome),
      onCall: (changed) => host.track?.(changed, call, record),
      onHookError: (type, hook, error) => host.onModuleError?.(`plugin ${type}`, error, hook),
      hold: call.hold,
      judge: host.judgeReply?.bind(undefined, { host, steps: { readSignals, unknownIn, unscannedIn }, call, record }),
    },
    pluginCall,
  )
  if (answeredBy !== undefined) {
    record.path = answeredBy
    record.model = undefined
  }
  return inClientForm(reply, call)
}

function createPluginCall(
  plan: Plan,
  call: Call,
  input: SignalInput,
  own: Pick<PluginCall, "decision" | "model" | "headers">,
): PluginCall {
  const fields: Omit<PluginCall, "signal"> = {
    id: call.id,
    request: call.request,
    text: input.text,
    principal: call.principal,
    header: call.header,
    factsOf(type) {
      expectRead(plan.factTypes, type, "plugin")
      return input.factsOf(type)
    },
    ...own,
  }
  return withSignal(fields, call)
}

/** A plugin that answers, or a backend that sends a whole reply, need not know whether the client asked for a stream. */
function inClientForm(reply: Reply, call: Call): Reply {
  if (reply.kind === "stream" && !call.request.stream) {
    reply.stream.cancel()
    throw new RtrError("invalid_module", "A plugin answered with a stream, but the client asked for none")
  }
  if (reply.kind !== "whole" || !call.request.stream) return reply
  const { status, headers } = reply
  return { kind: "stream", status, stream: streamOf(eventsOf(reply.reply)), ...(headers !== undefined && { headers }) }
}

/** Headers of a trace, which go on where they are what their standard says: no other text of a client's headers reaches a backend. */
const forwardedHeaders = {
  traceparent: /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/,
  tracestate: /^[^\s,=]+=[^\s,=]*(?:[ \t]*,[ \t]*[^\s,=]+=[^\s,=]*)*$/,
} as const

/** The standard asks for no more of a `tracestate`. */
const maxTraceCharacters = 512

/** Headers that the router adds to the upstream request. */
function upstreamHeaders(call: Call, { model, confidence }: CallRecord): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "x-request-id": call.id, "x-cache-status": "miss", ...hopHeader(call) }
  if (model !== undefined) headers["x-selected-model"] = toHeaderText(model)
  if (confidence !== undefined) headers["x-routing-confidence"] = confidence.toFixed(4)
  for (const name in forwardedHeaders) {
    const value = call.header(name)
    if (value === undefined || value.length > maxTraceCharacters) continue
    if (forwardedHeaders[name as keyof typeof forwardedHeaders].test(value)) headers[name] = value
  }
  return headers
}
