// What every dialect must do.

import {
  type ChatReply,
  type ChatRequest,
  type DialectModule,
  eventsOf,
  isRtrError,
  type JsonValue,
  loadGuardTexts,
  RtrError,
  type Usage,
  type WireObject,
} from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { helloRequest, streamedRequest } from "./chat.ts"
import { backendCases, type BackendContractOptions } from "./dialect-backend-cases.ts"
import { boundsEvents, describesItself } from "./dialect-shared-cases.ts"
import {
  collected,
  copy,
  cuts,
  decoder,
  drain,
  type Drained,
  encoder,
  expectError,
  expectSame,
  joined,
  timeless,
  told,
} from "./dialect-streams.ts"

export interface DialectContractOptions {
  /** More requests and replies that the dialect can say in full. */
  readonly requests?: readonly ChatRequest[]
  readonly replies?: readonly ChatReply[]
  /** Streams of upstreams, to pass on as they come. */
  readonly streams?: readonly string[]
  /** The wire tells when a reply was made; `true` when left out. */
  readonly tellsTime?: boolean
  /** The field of a body that says how long a reply may be. With it, no request may have its limit in another one. */
  readonly limitField?: string
}

/** What every chat dialect can say. */
const requests: readonly ChatRequest[] = [
  { ...helloRequest, generation: { maxOutputTokens: 50 } },
  {
    ...helloRequest,
    stream: true,
    turns: [
      { role: "system", blocks: [{ type: "text", text: "rules" }] },
      { role: "user", blocks: [{ type: "text", text: "weather in 漢字 👩‍👩‍👧?" }] },
      { role: "assistant", blocks: [{ type: "tool_call", id: "call_1", name: "weather", arguments: '{"city":"é"}' }] },
      { role: "tool", blocks: [{ type: "tool_result", callId: "call_1", blocks: [{ type: "text", text: "sunny" }] }] },
    ],
    tools: [{ name: "weather", description: "tells it", parameters: { type: "object", properties: {} } }],
    toolChoice: "auto",
    generation: { maxOutputTokens: 50, temperature: 0.5, topP: 0.25 },
  },
  {
    ...helloRequest,
    turns: [
      {
        role: "user",
        blocks: [
          { type: "text", text: "look" },
          { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } },
        ],
      },
    ],
    generation: { maxOutputTokens: 50 },
  },
]

const usage: Usage = { inputTokens: 7, outputTokens: 3, cachedInputTokens: 2 }
const replies: readonly ChatReply[] = [
  {
    id: "reply-1",
    model: "m",
    created: 1_700_000_000,
    choices: [{ blocks: [{ type: "text", text: "It is sunny in 漢字 👩‍👩‍👧." }], stop: "stop" }],
    usage,
  },
  {
    id: "reply-2",
    model: "m",
    created: 1_700_000_000,
    choices: [
      {
        blocks: [
          { type: "text", text: "I ask." },
          { type: "tool_call", id: "call_1", name: "weather", arguments: '{"city":"é"}' },
          { type: "tool_call", id: "call_2", name: "time", arguments: "{}" },
        ],
        stop: "tool_calls",
      },
    ],
    usage,
  },
  {
    id: "reply-3",
    model: "m",
    created: 1_700_000_000,
    choices: [{ blocks: [{ type: "text", text: "It is sun" }], stop: "length" }],
    usage,
  },
]

export function dialectContract(
  module: DialectModule,
  options: DialectContractOptions | BackendContractOptions = {},
): readonly ContractCase[] {
  return "side" in options
    ? backendCases(module, { ...options, requests: [...requests, ...(options.requests ?? [])] })
    : bothSides(module, options)
}

function bothSides(module: DialectModule, options: DialectContractOptions): readonly ContractCase[] {
  const allRequests = [...requests, ...(options.requests ?? [])]
  const allReplies = [...replies, ...(options.replies ?? [])]
  const streams = (options.streams ?? []).map((text) => encoder.encode(text))
  const bodyOf = (request: ChatRequest): WireObject =>
    deepFreeze({ ...copy(module.writeRequest(request, { model: "client-model" })), x_unknown: { kept: [1] } })
  /** A stream of this dialect. */
  const streamOf = (reply: ChatReply): Uint8Array => {
    const writer = module.writer(streamedRequest)
    return joined([...eventsOf(reply).map((event) => writer.write([event])), writer.end()])
  }
  const stream = streamOf(replies[1] as ChatReply)
  const toldEvents = (drained: Drained): Drained => ({ ...drained, events: timeless(drained.events, options) })

  return [
    describesItself(module),
    contractCase("reads the requests that it writes", () => {
      for (const request of allRequests) {
        const written = copy(module.writeRequest(deepFreeze(copy(request)), { model: "upstream" }))
        const read = module.readRequest(written)
        for (const part of Object.keys(helloRequest) as (keyof ChatRequest)[])
          expectSame(read[part], part === "model" ? "upstream" : request[part], `the ${part} of a request`)
        expectSame(read.toolChoice, request.toolChoice, "the tool choice of a request")
      }
    }),
    ...(options.limitField === undefined
      ? []
      : [
          contractCase(`writes the limit of every request as ${options.limitField}`, () => {
            for (const request of allRequests) {
              const limit = request.generation.maxOutputTokens
              const written = module.writeRequest(request, { model: "upstream" })
              expectSame(written[options.limitField as string], limit, "the limit of a request")
            }
          }),
        ]),
    contractCase("passes a request on that nobody changed", () => {
      for (const request of allRequests) {
        const body = bodyOf(request)
        const passed = module.writeRequest(module.readRequest(body), { model: "upstream" })
        expectThat(
          JSON.stringify(passed) === JSON.stringify({ ...body, model: "upstream" }),
          "the body as it came, with the model replaced",
        )
      }
    }),
    contractCase("changes what was replaced and nothing else", () => {
      for (const request of allRequests) {
        const body = bodyOf(request)
        const read = module.readRequest(body)
        const warmer = module.writeRequest(
          { ...read, generation: { ...read.generation, temperature: 0.75 } },
          { model: "client-model" },
        )
        expectSame(module.readRequest(copy(warmer)).generation.temperature, 0.75, "a replaced field")
        expectSame(
          { ...read, generation: 0, origin: 0 },
          { ...module.readRequest(copy(warmer)), generation: 0, origin: 0 },
          "everything beside the replaced field",
        )
        expectSame(warmer["x_unknown"], body["x_unknown"], "unknown fields of a changed request")
        const [first, ...others] = read.turns
        const added = { role: "user" as const, blocks: [{ type: "text" as const, text: "more" }] }
        const longer = module.writeRequest(
          { ...read, turns: [...(first === undefined ? [] : [first]), ...others, added] },
          { model: "client-model" },
        )
        const reread = module.readRequest(copy(longer))
        expectSame(reread.turns.slice(0, -1), read.turns, "the turns that nobody changed")
        expectSame(reread.turns.at(-1), added, "an added turn")
      }
    }),
    contractCase("lets guards read every string of a request, or says that it is no text", () => {
      const marker = "read what is written here"
      for (const request of allRequests)
        for (const body of withMarker(bodyOf(request), marker)) {
          const texts = textsForGuards(module, body)
          expectThat(
            texts === undefined || texts.some((text) => text.includes(marker)),
            `guards to read the marker in ${JSON.stringify(body)}`,
          )
        }
    }),
    contractCase("refuses what is no request", () => {
      for (const garbage of [undefined, null, 5, "text", [], {}])
        expectError(() => module.readRequest(garbage), "invalid_request", `a body of ${JSON.stringify(garbage)}`)
    }),
    contractCase("reads the replies that it writes", () => {
      for (const reply of allReplies) {
        const read = module.readReply(module.writeReply(deepFreeze(copy(reply)), {}))
        expectSame(told(read, options), told(reply, options), "a reply")
      }
    }),
    contractCase("passes a reply on that nobody changed, with the routing metadata", () => {
      for (const reply of allReplies) {
        const { routing_metadata: _, ...written } = JSON.parse(module.writeReply(reply, {})) as WireObject
        const wire = { ...written, x_unknown: 1 }
        const passed = module.writeReply(module.readReply(JSON.stringify(wire)), { decision: "d" })
        const { routing_metadata: metadata, ...rest } = JSON.parse(passed) as Record<string, unknown>
        expectSame(metadata, { decision: "d" }, "routing_metadata")
        expectSame(rest, wire, "the reply's own fields")
      }
    }),
    contractCase("writes a changed reply", () => {
      for (const reply of allReplies) {
        const read = module.readReply(module.writeReply(reply, {}))
        const choices = read.choices.map((choice) => ({
          ...choice,
          // Not every wire has a word for a reply that calls tools and has no calls.
          stop: choice.stop === "tool_calls" ? ("stop" as const) : choice.stop,
          blocks: [{ type: "text" as const, text: "[removed]" }],
        }))
        const changed = module.readReply(module.writeReply({ ...read, choices }, {}))
        expectSame(told(changed, options), told({ ...reply, choices }, options), "a changed reply")
      }
    }),
    contractCase("refuses what is no reply", () => {
      for (const garbage of ["", "{", "[]", "null", "<html>"])
        expectError(() => module.readReply(garbage), "upstream_error", `a reply of ${garbage}`)
    }),
    contractCase("reads the streams that it writes", () => {
      for (const reply of allReplies) {
        const { events, done } = drain(module.reader({ events: true }), [streamOf(reply)])
        expectThat(done, "the end of the stream to be found")
        expectSame(told(collected(events), options), told(reply, options), "the reply of a stream")
      }
    }),
    contractCase("gives the same events and bytes wherever a stream is cut", () => {
      const whole = toldEvents(drain(module.reader({ events: true }), [stream]))
      // A place for each byte: comparing texts of JSON keeps this quick.
      const expected = [JSON.stringify({ ...whole, usage }), JSON.stringify({ ...whole, usage, events: [] })]
      for (const pieces of cuts(stream))
        for (const events of [true, false]) {
          const read = JSON.stringify(toldEvents(drain(module.reader({ events }), pieces)))
          expectThat(
            read === expected[events ? 0 : 1],
            `a cut stream with events: ${events} to give ${expected[events ? 0 : 1]}, got ${read}`,
          )
        }
    }),
    contractCase("passes events on that nobody changed exactly as they came", () => {
      const comment = module.streamType.startsWith("text/event-stream") ? encoder.encode(": a comment\n\n") : []
      for (const each of [joined([Uint8Array.from(comment), stream]), ...streams]) {
        const { events } = drain(module.reader({ events: true }), [each])
        const writer = module.writer(streamedRequest)
        const written = decoder.decode(joined([writer.write(events), writer.end()]))
        expectSame(written, decoder.decode(each), "the stream as it came")
        expectSame(drain(module.reader({ events: false }), [each]).bytes, decoder.decode(each), "its bytes")
      }
    }),
    contractCase("writes changed events", () => {
      const { events } = drain(module.reader({ events: true }), [stream])
      const shout = events.map((event) =>
        event.type === "block_delta" && event.index === 0 ? { ...event, text: event.text.toUpperCase() } : event,
      )
      const writer = module.writer(streamedRequest)
      const bytes = joined([...shout.map((event) => writer.write([event])), writer.end()])
      const [choice] = collected(drain(module.reader({ events: true }), [bytes]).events).choices
      expectSame(
        choice?.blocks,
        (replies[1] as ChatReply).choices[0]?.blocks.map((block) =>
          block.type === "text" ? { ...block, text: block.text.toUpperCase() } : block,
        ),
        "the changed blocks",
      )
    }),
    contractCase("refuses a stream that is none, after what came before it", () => {
      for (const events of [true, false]) {
        const oops = encoder.encode("data: oops\n\n")
        expectError(() => drain(module.reader({ events }), [oops]), "upstream_error", "garbage")
        expectError(() => drain(module.reader({ events }), []), "upstream_error", "a stream without anything")
        const cut = stream.subarray(0, Math.floor(stream.length / 2))
        expectError(() => drain(module.reader({ events }), [cut]), "upstream_error", "a stream that was cut")
        const reader = module.reader({ events })
        const first = reader.read(joined([cut, encoder.encode("\n\n"), oops]).slice())
        expectThat((first?.bytes?.length ?? 0) > 0, "the good events before a bad one")
        expectError(
          () => {
            reader.read(new Uint8Array(0))
            reader.read(stream)
            reader.end()
          },
          "upstream_error",
          "what follows a bad event",
        )
      }
    }),
    boundsEvents(module),
    contractCase("passes nothing on that follows the end", () => {
      for (const events of [true, false]) {
        const read = drain(module.reader({ events }), [joined([stream, encoder.encode("data: {}\n\n")]), stream])
        expectSame(read.bytes, decoder.decode(stream), "the stream up to its end")
      }
    }),
    contractCase("tells errors in its own shape", () => {
      const error = new RtrError("upstream_timeout", "too slow")
      const body = module.errorBody(error, "req-1")
      expectThat(JSON.stringify(body).includes("req-1"), "the request id in an error")
      expectThat(module.readError(copy(body))?.message === "too slow", "its own error to be read")
      const event = decoder.decode(module.errorEvent(error, "req-1"))
      expectThat(event.includes("too slow") && event.includes("req-1"), "the message and the id in an error event")
      const failure = { kind: "failure", status: 429, message: "busy" } as const
      const made = JSON.stringify(module.failureBody(failure, "req-1"))
      expectThat(made.includes("busy") && made.includes("req-1"), "the message and the id of an upstream's failure")
      expectThat(module.readError({ x: 1 }) === undefined, "another body to be no error")
    }),
  ]
}

/** A body for each of its strings and each of its objects, with the marker instead of the string or as one more field; the model's name is not read. */
function* withMarker(value: JsonValue, marker: string): Iterable<JsonValue> {
  if (typeof value === "string") yield marker
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value as Readonly<Record<string, JsonValue>>))
    if (inner !== "client-model") for (const marked of withMarker(inner, marker)) yield replaced(value, key, marked)
  if (!Array.isArray(value)) yield { ...value, x_note: marker }
}

const replaced = (value: object, key: string, inner: JsonValue): JsonValue =>
  Array.isArray(value)
    ? (value as readonly JsonValue[]).map((each, index) => (String(index) === key ? inner : each))
    : { ...(value as WireObject), [key]: inner }

const guardTexts = await loadGuardTexts()

/** Undefined for a request that the dialect refuses, or of which guards know that they cannot read it. */
function textsForGuards(module: DialectModule, body: JsonValue): readonly string[] | undefined {
  let request: ChatRequest
  try {
    request = module.readRequest(body)
  } catch (error) {
    if (isRtrError(error)) return undefined
    throw error
  }
  const { textsFor, gapFor } = guardTexts(request, module)
  const gap = gapFor({ onUnscanned: "block", readsEverything: true, allowedUnread: new Set() })
  return gap === undefined ? textsFor({ name: "any" }) : undefined
}
