// What a dialect must do that only calls backends: no route names it, so it has no clients.

import { type ChatReply, type ChatRequest, type DialectModule, isRtrError } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { boundsEvents, describesItself } from "./dialect-shared-cases.ts"
import {
  collected,
  copy,
  cuts,
  drain,
  encoder,
  expectError,
  expectSame,
  joined,
  timeless,
  told,
} from "./dialect-streams.ts"

export interface BackendContractOptions {
  /** The dialect has no clients: functions of the client's side are not called. */
  readonly side: "backend"
  /** Replies of a server, whole, as a stream or as both, and what they say. Without a writer, nothing else tells what the wire looks like. */
  readonly recorded: readonly [RecordedReply, ...RecordedReply[]]
  /** More requests that the dialect can say. */
  readonly requests?: readonly ChatRequest[]
  /** The wire tells when a reply was made; `true` when left out. */
  readonly tellsTime?: boolean
  /** The field of a body that says how long a reply may be. With it, no request may have its limit in another one. */
  readonly limitField?: string
}

export interface RecordedReply {
  readonly body?: string
  readonly stream?: string
  readonly reply: ChatReply
}

export function backendCases(
  module: DialectModule,
  options: BackendContractOptions & { readonly requests: readonly ChatRequest[] },
): readonly ContractCase[] {
  const { recorded, requests, limitField } = options
  const streams = recorded.flatMap(({ stream, reply }) =>
    stream === undefined ? [] : [{ stream: encoder.encode(stream), reply }],
  )
  const read = (...pieces: readonly Uint8Array[]) => {
    const { events, usage, done } = drain(module.reader({ events: true }), pieces)
    return { events: timeless(events, options), usage, done }
  }

  return [
    describesItself(module),
    contractCase("writes requests for the model of the backend, or refuses what it cannot say", () => {
      for (const [index, request] of requests.entries()) {
        const body = written(module, request)
        if (body === undefined) expectThat(index > 0, "a request of one text to be written")
        else expectThat(body.includes('"upstream"'), `a body for the model "upstream", got ${body}`)
      }
    }),
    contractCase("writes the texts of a request", () => {
      for (const request of requests)
        for (const text of textsOf(request)) {
          const body = written(module, request)
          expectThat(body?.includes(JSON.stringify(text).slice(1, -1)) !== false, `"${text}" in ${body}`)
        }
    }),
    ...(limitField === undefined
      ? []
      : [
          contractCase(`writes the limit of every request as ${limitField}`, () => {
            for (const request of requests) {
              const body = written(module, request)
              if (body !== undefined)
                expectSame(JSON.parse(body)[limitField], request.generation.maxOutputTokens, "the limit of a request")
            }
          }),
        ]),
    contractCase("reads the recorded replies", () => {
      for (const { body, reply } of recorded)
        if (body !== undefined) expectSame(told(module.readReply(body), options), told(reply, options), "a reply")
      for (const { stream, reply } of streams) {
        const { events, done } = read(stream)
        expectThat(done, "the end of the stream to be found")
        expectSame(told(collected(events), options), told(reply, options), "the reply of a stream")
      }
    }),
    contractCase("refuses what is no reply", () => {
      for (const garbage of ["", "{", "[]", "null", "<html>"])
        expectError(() => module.readReply(garbage), "upstream_error", `a reply of ${garbage}`)
    }),
    contractCase("gives the same events wherever a stream is cut", () => {
      for (const { stream } of streams) {
        const whole = JSON.stringify(read(stream))
        for (const pieces of cuts(stream)) {
          const found = JSON.stringify(read(...pieces))
          expectThat(found === whole, `a cut stream to give ${whole}, got ${found}`)
        }
      }
    }),
    contractCase("refuses a stream that is none or breaks off", () => {
      expectError(() => read(encoder.encode("data: oops\n\n")), "upstream_error", "garbage")
      expectError(() => read(), "upstream_error", "a stream without anything")
      for (const { stream } of streams) {
        const cut = stream.subarray(0, Math.floor(stream.length / 2))
        expectError(() => read(cut), "upstream_error", "a stream that was cut")
        expectError(
          () => read(joined([cut, encoder.encode("\n\ndata: oops\n\n")]), stream),
          "upstream_error",
          "what follows a bad event",
        )
      }
    }),
    boundsEvents(module),
    contractCase("reads nothing that follows the end", () => {
      for (const { stream } of streams)
        expectSame(
          read(joined([stream, encoder.encode("data: {}\n\n")]), stream),
          read(stream),
          "the events up to the end",
        )
    }),
    contractCase("takes no other body for an error", () =>
      expectThat(module.readError({ x: 1 }) === undefined, "another body to be no error"),
    ),
  ]
}

/** The body as it leaves; undefined for a request that the wire cannot say. */
function written(module: DialectModule, request: ChatRequest): string | undefined {
  try {
    return JSON.stringify(module.writeRequest(deepFreeze(copy(request)), { model: "upstream" }))
  } catch (error) {
    if (isRtrError(error) && error.code === "invalid_request") return undefined
    throw error
  }
}

const textsOf = ({ turns }: ChatRequest): readonly string[] =>
  turns.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])))
