// A dialect of one text line for each event, for tests of what carries a dialect.

import { type ChatReply, type ChatRequest, defineDialect, type DialectModule, RtrError, Type } from "rtr"

const encoder = new TextEncoder()

export const lineDialect: DialectModule = defineDialect({
  about: "One line for each event",
  streamType: "text/lines; charset=utf-8",
  schemas: () => ({
    request: Type.Object({ model: Type.String(), text: Type.String(), stream: Type.Optional(Type.Boolean()) }),
    reply: Type.Object({ text: Type.String() }),
    error: Type.Object({ problem: Type.String(), code: Type.String(), id: Type.String() }),
  }),
  readRequest(body) {
    const { model, text, stream } = (body ?? {}) as Record<string, unknown>
    if (typeof text !== "string") throw new RtrError("invalid_request", '"text" must be a string')
    return lineRequest(text, { model: String(model), stream: stream === true })
  },
  writeRequest: ({ model, stream }) => ({ model, stream }),
  readReply: (text) => lineReply(text),
  writeReply: (reply, metadata) => JSON.stringify({ text: textOf(reply), routing_metadata: metadata }),
  reader: () => ({ read: () => undefined, end: () => undefined }),
  writer: ({ model }) => ({
    write: (events) =>
      encoder.encode(events.map((event) => (event.type === "block_delta" ? `${model}: ${event.text}\n` : "")).join("")),
    end: () => encoder.encode("end\n"),
  }),
  readError: () => undefined,
  errorBody: ({ code, message }, id) => ({ problem: message, code, id }),
  failureBody: ({ message, code }, id) => ({ problem: message, code: code ?? "upstream", id }),
  errorEvent: ({ code, message }, id) => encoder.encode(`error ${code} ${message} ${id}\n`),
})

export function lineRequest(text: string, changes: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: "m",
    turns: [{ role: "user", blocks: [{ type: "text", text }] }],
    tools: [],
    generation: {},
    stream: false,
    session: {},
    extensions: {},
    ...changes,
  }
}

export function lineReply(text: string): ChatReply {
  return { id: "reply-1", model: "m", created: 0, choices: [{ blocks: [{ type: "text", text }], stop: "stop" }] }
}

const textOf = ({ choices }: ChatReply): string =>
  choices.flatMap(({ blocks }) => blocks.map((block) => (block.type === "text" ? block.text : ""))).join("")
