// A transport without a network: each request is answered by a function and remembered.

import { RtrError } from "../../ts/kernel/error.ts"
import type { Transport, TransportRequest, TransportResponse } from "../../ts/kernel/types/transport.ts"

export interface FakeReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Pieces of the body; text is encoded. */
  readonly body?: string | readonly (string | Uint8Array)[]
  /** Thrown after the last piece. */
  readonly breaksWith?: Error
  /** Gives the pieces instead of `body`, each when it is there. */
  readonly pull?: () => Promise<string | undefined>
  readonly onCancel?: () => void
}

export interface FakeTransport extends Transport {
  readonly requests: TransportRequest[]
  /** How many replies were cancelled, or left in the middle of their pieces. */
  readonly cancelled: { readonly count: number }
  readonly closed: { readonly count: number }
}

type Answer = FakeReply | Error | Promise<FakeReply>

/** Answers every request with `answer`, or with what it returns. An error is thrown. */
export function createFakeTransport(answer: Answer | ((request: TransportRequest) => Answer)): FakeTransport {
  const requests: TransportRequest[] = []
  const cancelled = { count: 0 }
  const closed = { count: 0 }
  return {
    requests,
    cancelled,
    closed,
    async request(request) {
      requests.push(request)
      const reply = await (typeof answer === "function" ? answer(request) : answer)
      if (reply instanceof Error) throw reply
      return toResponse(reply, () => {
        cancelled.count += 1
        reply.onCancel?.()
      })
    },
    async close() {
      closed.count += 1
    },
  }
}

function toResponse(reply: FakeReply, onCancel: () => void): TransportResponse {
  const encoder = new TextEncoder()
  const body = typeof reply.body === "string" ? [reply.body] : (reply.body ?? [])
  const headers = reply.headers ?? { "content-type": "application/json" }
  let next = 0
  let over = false
  const cancel = (): void => {
    if (over) return
    over = true
    onCancel()
  }
  const pullLater = async (later: NonNullable<FakeReply["pull"]>): Promise<Uint8Array | undefined> => {
    const piece = over ? undefined : await later()
    if (over || piece === undefined) {
      over = true
      return undefined
    }
    return encoder.encode(piece)
  }
  const pull = (): Uint8Array | undefined => {
    const piece = over ? undefined : body[next++]
    if (piece !== undefined) return typeof piece === "string" ? encoder.encode(piece) : piece
    if (!over && reply.breaksWith !== undefined) {
      cancel()
      throw reply.breaksWith
    }
    over = true
    return undefined
  }
  return {
    status: reply.status ?? 200,
    headerList: Object.entries(headers).flat(),
    header: (name) => headers[name],
    pull: reply.pull === undefined ? pull : () => pullLater(reply.pull as NonNullable<FakeReply["pull"]>),
    cancel,
    async text(maxBytes, hold) {
      const decoder = new TextDecoder()
      let text = ""
      let size = 0
      for (let piece = pull(); piece !== undefined; piece = pull()) {
        size += piece.length
        if (size > maxBytes) {
          cancel()
          throw new RtrError("upstream_error", `the reply is larger than ${maxBytes} bytes`)
        }
        hold?.(piece.length)
        text += decoder.decode(piece, { stream: true })
      }
      return text + decoder.decode()
    },
  }
}

/** A whole reply as a backend sends it. */
export function jsonReply(body: object, changes: Partial<FakeReply> = {}): FakeReply {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body), ...changes }
}

/** A streamed reply as a backend sends it: one piece for each chunk, and the end mark. */
export function streamReply(chunks: readonly object[], changes: Partial<FakeReply> = {}): FakeReply {
  return {
    headers: { "content-type": "text/event-stream" },
    body: [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"],
    ...changes,
  }
}

/** A chat completion with this text. */
export function completion(content: string, changes: object = {}): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "upstream-model",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    ...changes,
  }
}
