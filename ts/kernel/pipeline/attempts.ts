// One attempt: sends the request to a backend of the chosen model and reads its reply into the canonical form.

import { parseBackendObject } from "../chat/backend-json.ts"
import { clientHeaders } from "../chat/client-headers.ts"
import { isRtrError, RtrError } from "../error.ts"
import { nextTurn } from "../host/turns.ts"
import type { Attempt, Call, CallRecord } from "../types/call.ts"
import type { ChatRequest, ChatStream, Reply, StreamBatch, UpstreamFailure } from "../types/chat.ts"
import type { StreamReader, WireObject } from "../types/dialect.ts"
import type { ModelTarget, TargetBackend } from "../types/plan.ts"
import type { ReasoningChoice } from "../types/provider.ts"
import type { Transport, TransportResponse } from "../types/transport.ts"
import { pickBackend } from "./backends.ts"
import type { ModelFiguresKeeper } from "./model-figures.ts"
import { costOf, toRecordedError } from "./record.ts"

/** A whole reply is kept in memory; anything larger than this is no chat reply. */
const maxReplyBytes = 32 * 1024 * 1024
const maxErrorBytes = 256 * 1024
/** A whole reply stands in memory as it came, parsed, and as it leaves. */
const copies = 3

export interface AttemptHost {
  readonly transport: Transport
  readonly figures: ModelFiguresKeeper
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
  const observed = observe(host, record, target, backend)
  try {
    const { origin } = request
    const portable = origin?.dialect === backend.dialectId ? request : (origin?.toPortable?.(request) ?? request)
    const body = backend.dialect.writeRequest(portable, { model: backend.upstreamModel })
    const {
      method,
      url,
      headers: sent,
      body: text,
    } = backend.provider.toRequest({
      body,
      stream: request.stream,
      headers:
        backend.dialectId === call.dialect ? { ...clientHeaders(backend.dialect, call.header), ...headers } : headers,
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
    const error = about(cause, target.name, backend.secrets)
    observed.end(error)
    throw error
  }
}

/** The figures of one attempt, in its record and for selectors. */
interface Observed {
  readonly attempt: Attempt
  /** The first byte of a reply's body has come. */
  firstByte(): void
  usage(usage: StreamBatch["usage"]): void
  /** Runs once; later calls change nothing. */
  end(error?: unknown): void
}

function observe({ figures }: AttemptHost, record: CallRecord, target: ModelTarget, backend: TargetBackend): Observed {
  const now = (): number => performance.now() - record.startedAt
  const attempt: Attempt = { model: target.name, backend: backend.name, startMs: now() }
  record.attempts.push(attempt)
  const finished = figures.begin(target.name)
  return {
    attempt,
    firstByte() {
      attempt.firstByteMs ??= now()
    },
    usage(usage) {
      if (usage === undefined) return
      attempt.usage = usage
      const cost = costOf(target.pricing, usage)
      if (cost === undefined) return
      attempt.cost = cost
      attempt.currency = target.pricing?.currency as string
    },
    end(error) {
      if (attempt.endMs !== undefined) return
      attempt.endMs = now()
      if (error !== undefined) attempt.error = toRecordedError(error)
      finished(attempt)
    },
  }
}

async function readReply(
  response: TransportResponse,
  backend: TargetBackend,
  { call, target, request, readsEvents }: AttemptOptions,
  observed: Observed,
): Promise<Reply> {
  const { status } = response
  if (status >= 400 && status < 600) return readFailure(response, backend, target.name, observed)
  const isEmpty = status === 204 || status === 205
  if (isEmpty || status < 200 || status >= 300) {
    response.cancel()
    const reason = isEmpty ? "has no content" : "is no reply"
    throw new RtrError("upstream_error", `it answered with status ${status}, which ${reason}`)
  }
  const headers = passedHeaders(response.headerList)
  if (mediaTypeOf(response.header("content-type")) === mediaTypeOf(backend.dialect.streamType)) {
    if (request.stream) {
      const reader = backend.dialect.reader({ events: readsEvents || backend.dialectId !== call.dialect })
      const stream = createUpstreamStream(response, { reader, model: target.name, observed, secrets: backend.secrets })
      return { kind: "stream", status, stream, dialect: backend.dialectId, headers }
    }
    response.cancel()
    throw new RtrError("upstream_error", "it answered with a stream, but the request asked for none")
  }
  const text = await response.text(maxReplyBytes, (bytes) => call.hold?.(bytes * copies))
  const isLarge = text.length > charactersOfOwnTurn
  if (isLarge) await nextTurn()
  const reply = backend.dialect.readReply(text)
  // It is written now, which takes as long again.
  if (isLarge) await nextTurn()
  observed.firstByte()
  observed.usage(reply.usage)
  observed.end()
  return { kind: "whole", status, reply, headers }
}

/** A longer reply takes milliseconds to parse, so many that come at once are parsed in a turn of the event loop each. */
const charactersOfOwnTurn = 262_144

const nothing = new Uint8Array(0)

/** A content type without its parameters. */
function mediaTypeOf(type = ""): string {
  const end = type.indexOf(";")
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase()
}

/** How long a backend may take to end its reply after the end mark. */
const endingMs = 1000

interface UpstreamStreamOptions {
  readonly reader: StreamReader
  readonly model: string
  readonly observed: Observed
  readonly secrets: readonly string[]
}

/**
 * Pulls the upstream at the reader's pace. What follows the end mark is read and dropped, because a reply that is read to
 * its end leaves its connection to the next request.
 */
function createUpstreamStream(
  response: TransportResponse,
  { reader, model, observed, secrets }: UpstreamStreamOptions,
): ChatStream {
  let over = false
  let done = false
  let started = false
  let ending: ReturnType<typeof setTimeout> | undefined
  let failure: unknown
  const finish = (error?: unknown): void => {
    over = true
    clearTimeout(ending)
    observed.end(error)
  }
  const seen = (batch: StreamBatch): void => {
    observed.usage(batch.usage)
    if (batch.failure !== undefined) failure = about(new RtrError("upstream_error", batch.failure), model, secrets)
    if (!batch.done) return
    done = true
    ending = setTimeout(() => response.cancel(), endingMs)
  }
  return {
    async next() {
      if (over) return undefined
      try {
        // What was wrong behind the last good event is told now, not when more bytes come.
        if (started) reader.read(nothing)
        started = true
        for (;;) {
          const pulled = response.pull()
          const bytes = pulled instanceof Promise ? await pulled : pulled
          observed.firstByte()
          const batch = bytes === undefined ? reader.end() : reader.read(bytes)
          if (batch !== undefined) seen(batch)
          if (bytes === undefined) finish(failure)
          if (batch !== undefined || bytes === undefined) return batch
        }
      } catch (cause) {
        const wasDone = done
        const error = about(cause, model, secrets)
        finish(wasDone ? failure : error)
        response.cancel()
        // The client has its whole reply.
        if (wasDone) return undefined
        throw error
      }
    },
    cancel() {
      if (over) return
      finish(done ? failure : new RtrError("client_closed_request", "The stream was closed before its end"))
      response.cancel()
    },
  }
}

/** Says which model an error of the transport or the dialect is about. What it quotes of the backend may hold its key. */
function about(error: unknown, model: string, secrets: readonly string[]): unknown {
  return isRtrError(error) && error.code !== "invalid_request"
    ? new RtrError(error.code, `No reply from model "${model}": ${withoutSecrets(error.message, secrets)}`, {
        cause: error,
      })
    : error
}

/**
 * About the credentials that the router has at the backend. With the same status a client would take it for its own key, and
 * the backend's text may quote the router's. So it is a fault behind the router: status 502.
 */
const credentialStatuses: ReadonlySet<number> = new Set([401, 403, 407])

/** Another error of an upstream goes on in the client's format, with the same status. */
async function readFailure(
  response: TransportResponse,
  backend: TargetBackend,
  model: string,
  observed: Observed,
): Promise<UpstreamFailure> {
  const { status } = response
  const text = withoutSecrets(await response.text(maxErrorBytes).catch(() => ""), backend.secrets)
  observed.firstByte()
  observed.end()
  const headers = passedHeaders(response.headerList)
  if (credentialStatuses.has(status)) {
    const message = `The backend of model "${model}" refused the router's credentials with status ${status}`
    return { kind: "failure", status: 502, headers, message }
  }
  const body = parseFailure(text)
  const said = body && backend.dialect.readError(body)
  return {
    kind: "failure",
    status,
    headers,
    ...(said === undefined
      ? { message: `The backend of model "${model}" answered with status ${status}` }
      : { ...said, original: { dialect: backend.dialectId, body: body as WireObject } }),
  }
}

/** Undefined for what is no JSON object: the caller describes the status instead. */
function parseFailure(text: string): WireObject | undefined {
  try {
    return parseBackendObject(text)
  } catch {
    return undefined
  }
}

/** Some backends quote the key that they did not like. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text)
}

/** Many clients read 16 KiB of headers and no more. */
const maxPassedHeaders = 20
const maxPassedLength = 200

/** Headers that tell the client when to come back. */
function passedHeaders(list: readonly string[]): Readonly<Record<string, string>> | undefined {
  let passed: Record<string, string> | undefined
  let left = maxPassedHeaders
  for (let at = 0; at < list.length && left > 0; at += 2) {
    const name = list[at] as string
    if (!/^(?:retry-after$|(?:x|anthropic)-ratelimit-)/.test(name)) continue
    const value = list[at + 1] as string
    if (name.length + value.length > maxPassedLength) continue
    ;(passed ??= {})[name] = value
    left -= 1
  }
  return passed
}
