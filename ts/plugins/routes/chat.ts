// POST /v1/chat/completions: the chat-completions wire on the inference listeners.

import {
  type ByteSource,
  chatCompletions,
  type ChunkBatch,
  defineRoute,
  errorBody,
  type JsonReply,
  type Outcome,
  readBody,
  type RouteRequest,
  routingHeaders,
  routingMetadata,
  streamResponse,
  textResponse,
  toPublicError,
} from "../../kernel/index.ts"

export default defineRoute({
  about: "Chat completions, whole or streamed",
  listeners: ["inference"],
  needs: ["pipeline.run"],
  operations: [{ method: "POST", path: "/v1/chat/completions", about: "Routes a chat request and answers it" }],
  setup: ({ run, createCall }) => [
    async (from) => {
      const request = chatCompletions.readRequest(await readBody(from.request, undefined, from.hold))
      const outcome = await run(createCall(request, from))
      const tools = request["tools"]
      const headers = routingHeaders(outcome.routing, from.id, from.startedAt, Array.isArray(tools) ? tools.length : 0)
      return outcome.reply.kind === "stream"
        ? streamed(outcome, outcome.reply.batches, headers, from)
        : whole(outcome, outcome.reply, headers, from)
    },
  ],
})

function whole({ routing }: Outcome, reply: JsonReply, headers: Record<string, string>, from: RouteRequest): Response {
  const text =
    reply.status >= 400
      ? JSON.stringify(withRequestId(reply.body, from.id))
      : withMetadata(reply, routingMetadata(routing, from.startedAt))
  return textResponse(text, reply.status, {
    ...reply.headers,
    ...headers,
    "content-type": "application/json",
  })
}

/** Adds to the upstream's own text where there is one: writing a long reply anew costs more than routing it. */
function withMetadata({ body, text }: JsonReply, metadata: object): string {
  if (text === undefined || "routing_metadata" in body || Object.keys(body).length === 0)
    return JSON.stringify({ ...body, routing_metadata: metadata })
  return `${text.slice(0, text.lastIndexOf("}"))},"routing_metadata":${JSON.stringify(metadata)}}`
}

/** An upstream's error keeps its fields and gains the id under which the router's log has it. */
function withRequestId(body: Readonly<Record<string, unknown>>, id: string): object {
  const { error } = body
  if (typeof error !== "object" || error === null) return body
  const { details } = error as { details?: unknown }
  return { ...body, error: { ...error, details: { ...(typeof details === "object" ? details : {}), request_id: id } } }
}

function streamed(
  { reply }: Outcome,
  batches: AsyncIterable<ChunkBatch>,
  headers: Record<string, string>,
  from: RouteRequest,
): Response {
  const iterator = batches[Symbol.asyncIterator]()
  const release = from.keep()
  let ended = false
  const end = (): void => {
    ended = true
    release()
  }
  const source: ByteSource = {
    async pull() {
      if (ended) return undefined
      try {
        const { value, done } = await iterator.next()
        if (done !== true) return chatCompletions.writeBatch(value)
        end()
        return undefined
      } catch (error) {
        // The status line has left, so the error travels as an event in the client's format.
        end()
        return chatCompletions.writeError(errorBody(toPublicError(error), from.id))
      }
    },
    cancel() {
      end()
      void Promise.resolve(iterator.return?.()).catch(() => {})
    },
  }
  return streamResponse(source, reply.status, {
    ...reply.headers,
    ...headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
  })
}
