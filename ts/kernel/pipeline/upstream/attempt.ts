// One attempt: sends the request to a backend of the chosen model and reads what it answers.

import { clientHeaders } from "../../chat/client-headers.ts"
import type { Call, CallRecord } from "../../types/call.ts"
import type { ChatRequest, Reply } from "../../types/chat.ts"
import type { ModelTarget } from "../../types/plan.ts"
import type { ReasoningChoice } from "../../types/provider.ts"
import type { Transport } from "../../types/transport.ts"
import type { Costs } from "../load-costs.ts"
import { pickBackend } from "./backends.ts"
import type { ModelFiguresKeeper } from "../model-figures.ts"
import { observeAttempt } from "./observed-attempt.ts"
import { upstreamError } from "./error.ts"
import { readReply } from "./reply.ts"

export interface AttemptHost {
  readonly transport: Transport
  readonly figures: ModelFiguresKeeper
  /** What calls cost; left out where no model has prices. */
  readonly costs?: Costs | undefined
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
}

/** Calls one backend. Rejects with an `RtrError` when no reply came; an error status is a reply. */
export async function callUpstream(host: AttemptHost, options: AttemptOptions): Promise<Reply> {
  const { call, record, target, request, headers, reasoning } = options
  const backend = pickBackend(target)
  const observed = observeAttempt(host, record, target, backend)
  try {
    const { origin } = request
    const portable = origin?.dialect === backend.dialectId ? request : (origin?.toPortable?.(request) ?? request)
    const body = backend.dialect.writeRequest(portable, { model: backend.upstreamModel, card: target.card })
    const passes = backend.dialectId === call.dialect && backend.dialect.clientHeaders !== undefined
    const {
      method,
      url,
      headers: sent,
      body: text,
    } = backend.provider.toRequest({
      body,
      stream: request.stream,
      headers: passes ? { ...clientHeaders(backend.dialect, call.header), ...headers } : headers,
      reasoning,
    })
    const response = await host.transport.request({
      method,
      url,
      headers: sent,
      ...(text !== undefined && { body: text }),
      signal: call.client,
      headersTimeoutMs: call.upstreamTimeoutMs,
      bodyTimeoutMs: call.upstreamTimeoutMs,
    })
    observed.attempt.status = response.status
    return await readReply(response, backend, options, observed)
  } catch (cause) {
    const error = upstreamError(cause, target.name, backend.secrets)
    observed.end(error)
    throw error
  }
}
