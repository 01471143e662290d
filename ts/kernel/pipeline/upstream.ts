// Sends the request to one backend of the chosen model and reads its reply into the canonical form.

import { isRtrError, RtrError } from "../error.ts"
import { readChatReply, readChatStream, toStreamReply } from "../protocols/chat-completions.ts"
import type { ByteSource } from "../types/byte-source.ts"
import type { Call } from "../types/call.ts"
import type { ChatReply, ChatRequest, ChunkBatch, Reply } from "../types/chat.ts"
import type { ReasoningChoice } from "../types/module.ts"
import type { ModelTarget, TargetBackend } from "../types/plan.ts"
import type { Transport, TransportResponse } from "../types/transport.ts"
import { pickBackend } from "./backends.ts"
import { passBatches } from "./batches.ts"

/** A whole reply is kept in memory; anything larger than this is no chat reply. */
const maxReplyBytes = 64 * 1024 * 1024
const maxErrorBytes = 256 * 1024

export interface UpstreamCall {
  readonly call: Pick<Call, "id" | "signal" | "upstreamTimeoutMs" | "header">
  readonly target: ModelTarget
  readonly request: ChatRequest
  readonly headers: Readonly<Record<string, string>>
  readonly reasoning: ReasoningChoice | undefined
}

/** One attempt at one backend. Rejects with an `RtrError` when no reply came; an error status is a reply. */
export async function callUpstream(
  { call, target, request, headers, reasoning }: UpstreamCall,
  transport: Transport,
): Promise<Reply> {
  const backend = pickBackend(target)
  const prepared = backend.provider.toRequest({ request, upstreamModel: backend.upstreamModel, headers, reasoning })
  const response = await transport
    .request({
      ...prepared,
      signal: call.signal,
      headersTimeoutMs: call.upstreamTimeoutMs,
      bodyTimeoutMs: call.upstreamTimeoutMs,
    })
    .catch((error: unknown) => Promise.reject(about(error, target.name)))
  if (response.status >= 400 && response.status < 600) return readErrorReply(response, backend, target.name)
  if (response.status < 200 || response.status >= 300) {
    response.cancel()
    throw new RtrError(
      "upstream_error",
      `The backend of model "${target.name}" answered with status ${response.status}, which is no reply`,
    )
  }
  const passed = passedHeaders(response.headerList)
  const streams = response.header("content-type")?.toLowerCase().includes("text/event-stream") === true
  if (streams && request.stream === true)
    return { kind: "stream", status: response.status, batches: readStream(response, target), headers: passed }
  if (streams) {
    response.cancel()
    throw new RtrError(
      "upstream_error",
      `The backend of model "${target.name}" answered with a stream, but the request asked for none`,
    )
  }
  try {
    const text = await response.text(maxReplyBytes)
    const body = readChatReply(text)
    return request.stream === true
      ? { ...toStreamReply(body, response.status), headers: passed }
      : { kind: "json", status: response.status, body, text, headers: passed }
  } catch (error) {
    throw about(error, target.name)
  }
}

/** How long a backend may take to end its reply after the end mark. */
const endingMs = 1000

function readStream(response: TransportResponse, target: ModelTarget): AsyncIterable<ChunkBatch> {
  let ending: ReturnType<typeof setTimeout> | undefined
  return passBatches(readChatStream(piecesOf(response)), {
    onBatch(batch) {
      if (batch.done) ending = setTimeout(() => response.cancel(), endingMs)
      return batch
    },
    onError: (error) => about(error, target.name),
    onEnd(how) {
      clearTimeout(ending)
      if (how === "left") response.cancel()
    },
  })
}

/** Ending the loop early closes the connection. */
async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await source.pull(); piece !== undefined; piece = await source.pull()) yield piece
  } finally {
    source.cancel()
  }
}

/** Says which model an error of the transport or the codec is about. */
function about(error: unknown, model: string): unknown {
  return isRtrError(error)
    ? new RtrError(error.code, `No reply from model "${model}": ${error.message}`, { cause: error })
    : error
}

/** An upstream's error goes on in the client's format, with the same status. */
async function readErrorReply(response: TransportResponse, { secrets }: TargetBackend, model: string): Promise<Reply> {
  const text = withoutSecrets(await response.text(maxErrorBytes).catch(() => ""), secrets)
  // These are about the router's own credentials: the text may quote them, and it would mislead the client about its own.
  const aboutCredentials = response.status === 401 || response.status === 403
  const body = aboutCredentials ? undefined : errorBody(text)
  return {
    kind: "json",
    status: response.status,
    body: body ?? {
      error: {
        message: aboutCredentials
          ? `The backend of model "${model}" refused the router's credentials`
          : `The backend of model "${model}" answered with status ${response.status}`,
        type: "upstream_error",
        code: "upstream_error",
      },
    },
    headers: passedHeaders(response.headerList),
  }
}

/** Some backends quote the key that they did not like. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text)
}

/** The upstream's own error object, if it sent one in the chat-completions form. */
function errorBody(text: string): ChatReply | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const error = (value as { error?: unknown } | null)?.error
    if (typeof error === "object" && error !== null && typeof (error as { message?: unknown }).message === "string")
      return value as ChatReply
    if (typeof error === "string") return { error: { message: error, type: "upstream_error", code: "upstream_error" } }
  } catch {
    // Not JSON: the caller describes the status instead.
  }
  return undefined
}

/** Headers that tell the client when to come back. */
function passedHeaders(headers: readonly string[]): Readonly<Record<string, string>> {
  const passed: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string
    if (name === "retry-after" || name.startsWith("x-ratelimit-")) passed[name] = headers[at + 1] as string
  }
  return passed
}
