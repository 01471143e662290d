// One attempt: sends the request to a backend of the chosen model and reads what it answers.

import { clientHeaders } from "../../chat/client-headers.ts"
import { RtrError } from "../../error.ts"
import type { Call, CallRecord } from "../../types/call.ts"
import type { ChatRequest, Reply } from "../../types/chat.ts"
import type { ModelTarget, PlannedCandidate, TargetBackend } from "../../types/plan.ts"
import type { ReasoningChoice } from "../../types/provider.ts"
import type { Transport } from "../../types/transport.ts"
import { toHeaderText } from "../../types/header-text.ts"
import { notLoaded, type Stages } from "../load-stages.ts"
import type { Costs } from "../load-costs.ts"
import type { OnModuleError } from "../signals.ts"
import { pickBackend } from "./backends.ts"
import type { ModelFiguresKeeper } from "../model-figures.ts"
import { observeAttempt } from "./observed-attempt.ts"
import { droppedFields } from "./dropped-fields.ts"
import { upstreamError } from "./error.ts"
import { readReply } from "./reply.ts"

/** What sends the attempts of a lazily loaded `callModel`, which must not share files with what edge hosts load at start. */
export interface Sending {
  readonly host: AttemptHost
  /** Calls one backend of the model, once. */
  readonly callBackend: typeof callBackend
  readonly toHeaderText: (name: string) => string
}

export interface AttemptHost {
  readonly transport: Transport
  readonly figures: ModelFiguresKeeper
  readonly onModuleError?: OnModuleError | undefined
  /** What calls cost; left out where no model has prices. */
  readonly costs?: Costs | undefined
  /** Calls models of a document that asks for retries, time-outs or fallbacks; left out with any other. */
  readonly callModel?: ((sending: Sending, options: AttemptOptions) => Promise<Reply>) | undefined
  /** For backends that write reasoning into their text. */
  readonly splitThinking?: Stages["splitThinking"]
  /** Ties an object that a module is given to its request, so that the calls of models about it stand in that record. */
  readonly track?: ((about: object, call: Call, record: CallRecord) => void) | undefined
}

export interface AttemptOptions {
  readonly call: Pick<Call, "client" | "upstreamTimeoutMs" | "dialect" | "header" | "hold">
  readonly record: CallRecord
  readonly target: ModelTarget
  readonly request: ChatRequest
  readonly headers: Readonly<Record<string, string>>
  readonly reasoning: ReasoningChoice | undefined
  /** Somebody looks at the events of a stream; otherwise its bytes may pass as they are. */
  readonly readsEvents: boolean
  /** Of a whole reply. */
  readonly maxBytes?: number | undefined
  /** The router chose the model: where it fails, another one may answer, these first. */
  readonly alternatives?: readonly PlannedCandidate[] | undefined
}

/** Calls the model. Rejects with an `RtrError` when no reply came; an error status is a reply. */
export function callUpstream(host: AttemptHost, options: AttemptOptions): Promise<Reply> {
  return host.callModel === undefined
    ? callBackend(host, options, pickBackend(options.target))
    : host.callModel({ host, callBackend, toHeaderText }, options)
}

/**
 * Calls one backend, once. The attempt stands in the record before this returns its promise; a request that cannot be written
 * for the backend is none, because nothing is sent.
 */
export async function callBackend(host: AttemptHost, options: AttemptOptions, backend: TargetBackend): Promise<Reply> {
  const { call, record, target } = options
  const { request, dropped } = writeFor(host, backend, options)
  const observed = observeAttempt(host, record, target, backend)
  if (dropped !== undefined) observed.attempt.dropped = dropped
  try {
    const { method, url, headers, body } = request
    const response = await host.transport.request({
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      signal: call.client,
      headersTimeoutMs: call.upstreamTimeoutMs,
      bodyTimeoutMs: call.upstreamTimeoutMs,
    })
    observed.attempt.status = response.status
    const { thinkTags } = backend
    if (thinkTags === undefined) return await readReply(response, backend, options, observed)
    const reply = await readReply(response, backend, { ...options, readsEvents: true }, observed)
    return (host.splitThinking ?? notLoaded())(reply, thinkTags)
  } catch (cause) {
    const error = upstreamError(cause, target.name, backend.secrets)
    observed.end(error)
    throw error
  }
}

/** The request in the backend's protocol, and the client's fields that it has no place for. */
function writeFor(
  { onModuleError }: AttemptHost,
  backend: TargetBackend,
  { call, target, request, headers, reasoning }: AttemptOptions,
) {
  const { origin } = request
  const { dialectId, dialect, providerId } = backend
  /** What runs, for the log. */
  let module = `dialect ${origin?.dialect}`
  let hook = "toPortable"
  try {
    const own = origin?.forModel?.(request, { model: target.name, dialect: dialectId }) ?? request
    const portable = origin?.dialect === dialectId ? own : (origin?.toPortable?.(own) ?? own)
    module = `dialect ${dialectId}`
    hook = "writeRequest"
    const body = dialect.writeRequest(portable, {
      model: backend.upstreamModel,
      card: target.card,
      counts: target.pricing !== undefined,
    })
    hook = "leftOut"
    const dropped = droppedFields(backend, portable, body)
    const passes = dialectId === call.dialect && dialect.clientHeaders !== undefined
    module = `provider ${providerId}`
    hook = "toRequest"
    const sent = backend.provider.toRequest({
      body: (reasoning && backend.writeReasoning?.(body, reasoning)) ?? body,
      stream: request.stream,
      headers: passes ? { ...clientHeaders(dialect, call.header), ...headers } : headers,
    })
    // Otherwise the call would seem to fail at the backend.
    if (!URL.canParse(sent?.url))
      throw new RtrError("invalid_module", `${module}: toRequest must return a request with a URL`)
    return { dropped, request: sent }
  } catch (error) {
    onModuleError?.(module, error, hook)
    throw error
  }
}
