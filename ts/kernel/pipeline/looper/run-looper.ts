// Lets a decision's looper call models and takes its answer.

import { lastUserText, textOf } from "../../chat/texts.ts"
import { moduleFault, RtrError, secondsText } from "../../error.ts"
import type { Call, CallRecord } from "../../types/call.ts"
import type { ChatReply, ChatRequest, ChatStream, Reply, ReplyChoice, Turn, Usage } from "../../types/chat.ts"
import { toHeaderText } from "../../types/header-text.ts"
import type { AskedModel, AskOptions, LooperAnswer, LooperCall } from "../../types/looper.ts"
import type { ModelTarget, PlannedDecision, PlannedLooper } from "../../types/plan.ts"
import type { PluginCall } from "../../types/plugin.ts"
import type { ReasoningChoice } from "../../types/provider.ts"
import type { SignalInput } from "../../types/signal.ts"
import { withSignal } from "../call-signal.ts"
import { type AttemptHost, callUpstream } from "../upstream/attempt.ts"
import { createBudget, type LooperBudget } from "./budget.ts"
import { addToStream } from "./last-stream.ts"
import { readAskedRequest, readLooperAnswer } from "../module-results.ts"
import { addUsage } from "../record.ts"
import type { Able } from "../upstream/reliability/able.ts"
import { waitForModule } from "../wait-for-module.ts"

export interface LooperHost extends AttemptHost, Pick<Partial<Able>, "narrowed"> {
  readonly plan: { readonly models: ReadonlyMap<string, ModelTarget> }
}

export interface LooperOptions extends Pick<PluginCall, "request" | "headers"> {
  readonly call: Call
  readonly record: CallRecord
  readonly input: SignalInput
  readonly decision: PlannedDecision
}

/**
 * Runs the looper. Every model that it asks is an attempt of the record, and the reply's usage is that of all of them. A stream
 * has the events of the last call.
 */
export async function runLooper(host: LooperHost, begun: LooperOptions): Promise<Reply> {
  const options = await withAble(host, begun)
  const { call, record, input, decision } = options
  const { looper } = decision
  if (looper === undefined) throw new RtrError("internal_error", "The decision has no looper; this is a bug")
  const request = withContract(options.request, looper.contract)
  const budget = createBudget(looper.budget, decision.name, record)
  const caller = createCaller(host, { ...options, request, looper, budget })
  const wanted = (asked: ChatRequest = request): ChatRequest => readAskedRequest(decision.algorithm, asked, request)
  let best: LooperAnswer | undefined
  const given: Omit<LooperCall, "signal"> = {
    ...input,
    request,
    // A plugin may have changed the request.
    text: request === call.request ? input.text : lastUserText(request),
    id: call.id,
    decision: decision.name,
    clientTurns: call.request.turns,
    ask: (model, asked, more) => caller.ask(model, wanted(asked), more),
    stream: (model, asked, more) => caller.stream(model, wanted(asked), more),
    keep: (answer) => void (best = answer),
  }
  const looperCall: LooperCall =
    budget.signal === undefined
      ? withSignal(given, call)
      : { ...given, signal: AbortSignal.any([call.signal, budget.signal]) }
  host.track?.(looperCall, call, record)
  let streams = false
  try {
    const running = waitForModule(looper.run(looperCall), call.client, {
      timeoutMs: call.upstreamTimeoutMs,
      missing: `Looper "${decision.algorithm}" did not answer`,
      isPaused: () => caller.isAsking(),
    })
    const said = await withinBudget(running, budget, () => best)
    const answer = readLooperAnswer(decision.algorithm, said, caller)
    const shaped = await withOutput(looper, answer, (asked) => caller.ask(answer.candidate, asked), request)
    noteSelection(record, decision, answer)
    const headers = looperHeaders(record, decision)
    if ("next" in shaped.reply) {
      streams = true
      const added = { before: caller.usage(), extensions: shaped.extensions }
      const stream = addToStream(shaped.reply, added, {
        onError: (error) => budget.used() ?? error,
        onEnd: () => budget.end(),
      })
      return { kind: "stream", status: 200, stream, dialect: caller.dialect(), headers }
    }
    const { reply, extensions } = shaped
    const fields = extensions?.dialect === call.dialect ? extensions.fields : undefined
    const usage = caller.usage()
    const same = (usage === undefined || usage === reply.usage) && fields === undefined
    const whole = same
      ? reply
      : { ...reply, usage: usage ?? reply.usage, ...(fields !== undefined && { extensions: fields }) }
    return { kind: "whole", status: 200, reply: whole, headers: { ...headers, ...tokens(usage) } }
  } catch (error) {
    record.model ??= caller.failed(error) ?? record.attempts.at(-1)?.model
    throw error
  } finally {
    if (!streams) budget.end()
  }
}

/** Leaves out candidates that cannot take the request, where the document asks for that. */
async function withAble(host: LooperHost, options: LooperOptions): Promise<LooperOptions> {
  const narrowed = await host.narrowed?.(options.decision, options.request)
  if (narrowed === undefined) return options
  options.record.skipped = narrowed.skipped
  return { ...options, decision: narrowed.decision }
}

/** The looper's answer, or the best one that it kept when the budget was used up before it had one. */
async function withinBudget(
  running: Promise<LooperAnswer>,
  budget: LooperBudget,
  bestSoFar: () => LooperAnswer | undefined,
): Promise<LooperAnswer> {
  try {
    const { signal } = budget
    if (signal === undefined) return await running
    // A looper may wait for something that the deadline does not end.
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
    })
    return await Promise.race([running, late])
  } catch (error) {
    const used = budget.used()
    if (used === undefined) throw error
    const best = bestSoFar()
    if (best === undefined) throw used
    return { ...best, reason: `${best.reason}; the budget was used up` }
  }
}

/** The conversation with what the decision asks of the answer's form behind the user's last words. */
function withContract(request: ChatRequest, contract: string | undefined): ChatRequest {
  if (contract === undefined) return request
  const at = request.turns.findLastIndex(({ role }) => role === "user")
  const text = { type: "text", text: `Required output contract:\n${contract}` } as const
  const turns: readonly Turn[] =
    at < 0
      ? [...request.turns, { role: "user", blocks: [text] }]
      : request.turns.map((turn, index) => (index === at ? { ...turn, blocks: [...turn.blocks, text] } : turn))
  return { ...request, turns }
}

function noteSelection(record: CallRecord, { candidates, algorithm }: PlannedDecision, answer: LooperAnswer): void {
  const { candidate: model, confidence = 1, reason } = answer
  const candidate = typeof model === "number" ? model : candidates.findIndex((each) => each.model === model)
  record.model = candidates[candidate]?.model ?? String(model)
  record.reasoning = candidates[candidate]?.reasoning
  record.selection = { candidate, algorithm, confidence, reason }
}

/** A header must stay short, however many models a decision has. */
const maxModelsTold = 16

function looperHeaders({ attempts, model, startedAt }: CallRecord, { algorithm }: PlannedDecision) {
  const models = [...new Set(attempts.map((attempt) => attempt.model))].slice(0, maxModelsTold)
  return {
    ...(model !== undefined && { "x-rtr-looper-model": toHeaderText(model) }),
    "x-rtr-looper-models-used": models.map(toHeaderText).join(","),
    "x-rtr-looper-iterations": String(attempts.length),
    "x-rtr-looper-algorithm": algorithm,
    "x-rtr-looper-latency-ms": String(Math.round(performance.now() - startedAt)),
  }
}

/** The head of a stream leaves before they are known. */
const tokens = (usage: Usage | undefined): Readonly<Record<string, string>> =>
  usage === undefined
    ? {}
    : {
        "x-rtr-looper-prompt-tokens": String(usage.inputTokens),
        "x-rtr-looper-completion-tokens": String(usage.outputTokens),
        "x-rtr-looper-total-tokens": String(usage.inputTokens + usage.outputTokens),
      }

// ── the form of the answer ──

interface ShapedAnswer {
  readonly reply: ChatReply | ChatStream
  readonly extensions?: LooperAnswer["extensions"]
}

/** The answer in the form of the output contract; one that has not got it is asked for once more, replaced, or left as it is. */
async function withOutput(
  { output, contract }: PlannedLooper,
  answer: LooperAnswer,
  askAgain: (request: ChatRequest) => Promise<ChatReply>,
  request: ChatRequest,
): Promise<ShapedAnswer> {
  const { reply, extensions, responses = [] } = answer
  // What asks for a form gets no streams.
  if (output === undefined || "next" in reply) return { reply, extensions }
  const [choice] = reply.choices
  if (choice === undefined || choice.blocks.some(({ type }) => type === "tool_call")) return { reply, extensions }
  let shaped = output.read(textsOf(choice), responses)
  if (shaped === undefined && output.repairs) {
    const repaired = await askAgain(repairRequest(request, choice, contract)).catch(() => undefined)
    const [first] = repaired?.choices ?? []
    if (first !== undefined) shaped = output.read(textsOf(first), responses)
  }
  shaped ??= output.fallback
  if (shaped === undefined) return { reply, extensions }
  const { stop } = choice
  return { reply: { ...reply, choices: [{ blocks: [{ type: "text", text: shaped }], stop }] }, extensions }
}

const textsOf = ({ blocks }: ReplyChoice) => ({
  text: textOf({ blocks }),
  reasoning: blocks.flatMap((block) => (block.type === "reasoning" ? [block.text] : [])).join("\n"),
})

function repairRequest(
  request: ChatRequest,
  { blocks }: ReplyChoice,
  contract = "the one that was asked for",
): ChatRequest {
  const text = `Your last answer does not have the required form. Give the same answer again in exactly this form, and nothing else:\n${contract}`
  return {
    ...request,
    turns: [
      ...request.turns,
      { role: "assistant", blocks: [{ type: "text", text: textOf({ blocks }) }] },
      { role: "user", blocks: [{ type: "text", text }] },
    ],
  }
}

// ── calls ──

interface CallerOptions extends LooperOptions {
  readonly looper: PlannedLooper
  readonly budget: LooperBudget
}

/** Calls models for one request, within its budget. */
function createCaller(
  host: LooperHost,
  { call, record, decision, request: own, headers, looper, budget }: CallerOptions,
) {
  let usage: Usage | undefined
  let dialect: string | undefined
  let asking = 0
  /** Whose error it is that the looper may fail with. */
  const failures = new Map<unknown, string>()

  const send = async (model: AskedModel, request: ChatRequest, { signal, maxBytes }: AskOptions): Promise<Reply> => {
    const asked = findModel(host, decision, model)
    if (call.client.aborted) throw new RtrError("client_closed_request", "The client left")
    budget.begin()
    asking += 1
    const { callTimeoutMs, maxReplyBytes } = looper
    const timeout = callTimeoutMs === undefined ? undefined : new AbortController()
    const late = (): RtrError =>
      new RtrError("upstream_timeout", `No reply from model "${asked.name}" within ${secondsText(callTimeoutMs ?? 0)}`)
    const timer = timeout && setTimeout(() => timeout.abort(late()), callTimeoutMs)
    const ends = [budget.signal, signal, timeout?.signal].filter((each) => each !== undefined)
    const position = record.attempts.length
    try {
      return await callUpstream(host, {
        call: ends.length === 0 ? call : { ...withoutSignal(call), client: AbortSignal.any([call.signal, ...ends]) },
        record,
        target: asked.target,
        request,
        headers: { ...headers, ...looper.headers, "x-selected-model": toHeaderText(asked.name) },
        reasoning: asked.reasoning,
        readsEvents: request.stream,
        maxBytes: smaller(maxBytes, maxReplyBytes),
      })
    } catch (error) {
      const ended = ends.find(({ aborted }) => aborted)
      if (ended === undefined || call.client.aborted) return note(model, error)
      // The client has not left, though that is how it looks to the transport.
      const attempt = record.attempts[position]
      const reason = ended.reason instanceof RtrError ? ended.reason : undefined
      if (attempt !== undefined && reason !== undefined) attempt.error = reason
      else if (attempt !== undefined) {
        delete attempt.error
        attempt.cancelled = true
      }
      return note(model, reason ?? error)
    } finally {
      asking -= 1
      clearTimeout(timer)
    }
  }

  const note = (model: AskedModel, error: unknown): never => {
    failures.set(error, findModel(host, decision, model).name)
    throw error
  }

  const replyOf = (model: AskedModel, reply: Exclude<Reply, { kind: "stream" }>): ChatReply => {
    if (reply.kind === "whole") {
      usage = addUsage(usage, reply.reply.usage)
      return reply.reply
    }
    const { name } = findModel(host, decision, model)
    return note(
      model,
      new RtrError("upstream_error", `Model "${name}" answered with status ${reply.status}: ${reply.message}`),
    )
  }

  const given = new WeakSet<ChatReply | ChatStream>()
  const noted = <Given extends ChatReply | ChatStream>(reply: Given): Given => {
    given.add(reply)
    return reply
  }

  return {
    /** What models have answered. */
    given,
    candidates: decision.candidates.length,
    isModel: (name: string) => host.plan.models.has(name) || decision.candidates.some(({ model }) => model === name),
    usage: () => usage,
    /** Whether it waits for a model, which has limits of its own. */
    isAsking: () => asking > 0,
    failed: (error: unknown) => failures.get(error),
    /** Of the stream's bytes. */
    dialect: () => dialect,
    async ask(model: AskedModel, request: ChatRequest, options: AskOptions = {}): Promise<ChatReply> {
      const reply = await send(model, { ...request, stream: false }, options)
      if (reply.kind !== "stream") return noted(replyOf(model, reply))
      reply.stream.cancel()
      throw new RtrError("upstream_error", `Model "${findModel(host, decision, model).name}" answered with a stream`)
    },
    async stream(model: AskedModel, request: ChatRequest, options: AskOptions = {}): Promise<ChatReply | ChatStream> {
      const stream = own.stream && looper.output === undefined
      const reply = await send(model, { ...request, stream }, options)
      if (reply.kind !== "stream") return noted(replyOf(model, reply))
      dialect = reply.dialect
      return noted(reply.stream)
    },
  }
}

/** What a call needs of the client's request, without a signal that would be made for nothing. */
const withoutSignal = ({ upstreamTimeoutMs, dialect, header, hold }: Call) => ({
  upstreamTimeoutMs,
  dialect,
  header,
  ...(hold !== undefined && { hold }),
})

const smaller = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)

interface FoundModel {
  readonly name: string
  readonly target: ModelTarget
  readonly reasoning: ReasoningChoice | undefined
}

function findModel({ plan }: LooperHost, decision: PlannedDecision, model: AskedModel): FoundModel {
  const { candidates, algorithm } = decision
  const candidate = typeof model === "number" ? candidates[model] : candidates.find((each) => each.model === model)
  if (candidate !== undefined) return { ...candidate, name: candidate.model }
  if (typeof model === "number") throw moduleFault(`Looper "${algorithm}" asked candidate ${model}, which is not there`)
  const target = plan.models.get(model)
  // The name may hold anything that the looper has read.
  if (target === undefined) throw moduleFault(`Looper "${algorithm}" asked a model that is not in providers.models`)
  return { name: model, target, reasoning: undefined }
}
