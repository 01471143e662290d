// One call to a service that answers model questions: JSON out, JSON back, within bounds.

import { RtrError, type Transport } from "../../../kernel/index.ts"

export interface ServiceCall {
  /** What the service is, for messages: `external model "guard"`. */
  readonly who: string
  readonly url: string
  readonly body: unknown
  readonly bearer?: string | undefined
  readonly timeoutMs: number
  readonly maxRequestBytes?: number | undefined
  readonly maxResponseBytes?: number | undefined
  readonly signal: AbortSignal
}

const defaultMaxBytes = 2 ** 20

/** The JSON of a reply. Rejects with an `RtrError` that tells nothing of what was sent or of what came back. */
export async function postJson(transport: Transport, call: ServiceCall): Promise<unknown> {
  const { who, url, bearer, timeoutMs, signal, maxRequestBytes = defaultMaxBytes } = call
  const body = JSON.stringify(call.body)
  const size = new TextEncoder().encode(body).length
  if (size > maxRequestBytes)
    throw new RtrError(
      "max_length_exceeded",
      `Cannot ask ${who} about ${size} bytes; at most ${maxRequestBytes} are sent`,
    )
  const response = await transport.request({
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(bearer !== undefined && bearer !== "" && { authorization: `Bearer ${bearer}` }),
    },
    body,
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    signal,
  })
  if (response.status < 200 || response.status > 299) {
    response.cancel()
    throw refusal(who, response.status)
  }
  const text = await response.text(call.maxResponseBytes ?? defaultMaxBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw wrongAnswer(who, "it is no JSON")
  }
}

/** `why` is in fixed words: what a model wrote never stands in a message. */
export const wrongAnswer = (who: string, why: string): RtrError =>
  new RtrError("invalid_model_output", `Cannot read the answer of ${who}: ${why}`)

function refusal(who: string, status: number): RtrError {
  const message = `${who} answered with status ${status}`
  if (status === 413) return new RtrError("max_length_exceeded", message)
  if (status === 429) return new RtrError("overloaded", message)
  if (status >= 500) return new RtrError("unavailable", message)
  return new RtrError("invalid_request", message)
}
