import { type ChatReply, type DialectModule, eventsOf, RtrError, type StreamReader, type WireObject } from "rtr"
import { dialectContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import dialect from "../../ts/plugins/dialects/chat-completions.ts"
import { streamedRequest } from "../../ts/testing/chat.ts"
import { failuresOf } from "../fakes/contract.ts"

const failures = (changes: Partial<DialectModule>): Promise<readonly string[]> =>
  failuresOf(dialectContract({ ...dialect, ...changes }))

const body = (value: unknown): Record<string, unknown> => value as Record<string, unknown>
/** A reader whose parts are changed. */
const reading =
  (change: (reader: StreamReader, events: boolean) => Partial<StreamReader>) =>
  (options: { readonly events: boolean }): StreamReader => {
    const reader = dialect.reader(options)
    return { read: (bytes) => reader.read(bytes), end: () => reader.end(), ...change(reader, options.events) }
  }

const broken: readonly (readonly [string, Partial<DialectModule>, string])[] = [
  ["says nothing of itself", { about: "" }, "says what it does in one line"],
  [
    "forgets the model of the upstream",
    { writeRequest: (request) => dialect.writeRequest(request, { model: request.model }) },
    "reads the requests that it writes",
  ],
  [
    "drops unknown fields of a request",
    {
      writeRequest(request, options) {
        const { x_unknown: _, ...rest } = dialect.writeRequest(request, options)
        return rest
      },
    },
    "passes a request on that nobody changed",
  ],
  [
    "sends on what guards do not see",
    {
      writeRequest(request, options) {
        const { x_note: _, ...rest } = dialect.writeRequest(request, options)
        return rest
      },
    },
    "lets guards read every string of a request, or says that it is no text",
  ],
  [
    "writes a request anew each time",
    {
      writeRequest: (request, options) =>
        dialect.writeRequest({ ...request, origin: { dialect: "chat_completions" } }, options),
      readRequest: (value) => ({ ...dialect.readRequest(value), extensions: {} }),
    },
    "changes what was replaced and nothing else",
  ],
  [
    "ignores what a plugin changed",
    {
      readRequest(value) {
        const request = dialect.readRequest(value)
        return { ...request, origin: { dialect: "kept", body: value } as never }
      },
      writeRequest: (request, options) =>
        request.origin?.dialect === "kept"
          ? { ...(request.origin as unknown as { body: WireObject }).body, model: options.model }
          : dialect.writeRequest(request, options),
    },
    "changes what was replaced and nothing else",
  ],
  [
    "changes the body that it reads",
    {
      readRequest(value) {
        if (typeof value === "object" && value !== null) body(value)["seen"] = true
        return dialect.readRequest(value)
      },
    },
    "passes a request on that nobody changed",
  ],
  [
    "takes anything for a request",
    {
      readRequest: (value) =>
        dialect.readRequest(
          typeof value === "object" && value !== null && "model" in value
            ? value
            : { model: "m", messages: [{ role: "user" }] },
        ),
    },
    "refuses what is no request",
  ],
  [
    "loses tool calls of a reply",
    {
      readReply(text) {
        const reply = dialect.readReply(text)
        const choices = reply.choices.map((each) => ({
          ...each,
          blocks: each.blocks.filter(({ type }) => type === "text"),
        }))
        return { ...reply, choices }
      },
    },
    "reads the replies that it writes",
  ],
  [
    "forgets the routing metadata",
    { writeReply: (reply) => dialect.writeReply(reply, {}) },
    "passes a reply on that nobody changed, with the routing metadata",
  ],
  [
    "sends the upstream's text for a changed reply",
    {
      writeReply: (() => {
        const known = new Map<string, string>()
        return (reply, metadata) => {
          const text = known.get(reply.id) ?? dialect.writeReply(reply, metadata)
          known.set(reply.id, text)
          return text
        }
      })(),
    },
    "writes a changed reply",
  ],
  [
    "forgets why a changed reply ended",
    {
      writeReply(reply, metadata) {
        const isChanged = reply.choices.some(({ blocks: [block] }) => block?.type === "text" && block.text[0] === "[")
        const choices = reply.choices.map((choice) => ({ ...choice, stop: "stop" as const }))
        return dialect.writeReply(isChanged ? { ...reply, choices } : reply, metadata)
      },
    },
    "writes a changed reply",
  ],
  [
    "takes any text for a reply",
    {
      readReply(text) {
        try {
          return dialect.readReply(text)
        } catch {
          return dialect.readReply('{"choices":[]}')
        }
      },
    },
    "refuses what is no reply",
  ],
  [
    "loses what a read has cut",
    { reader: reading((_, events) => ({ read: (bytes) => dialect.reader({ events }).read(bytes) })) },
    "gives the same events and bytes wherever a stream is cut",
  ],
  [
    "finds no usage",
    {
      reader: reading((reader) => ({
        read(bytes) {
          const batch = reader.read(bytes)
          if (batch === undefined) return undefined
          const { usage: _, ...rest } = batch
          return rest
        },
      })),
    },
    "gives the same events and bytes wherever a stream is cut",
  ],
  [
    "takes a cut stream for a whole one",
    { reader: reading(() => ({ end: () => undefined })) },
    "refuses a stream that is none, after what came before it",
  ],
  [
    "throws away what came before a bad event",
    {
      reader: reading((reader) => ({
        read(bytes) {
          const batch = reader.read(bytes)
          reader.read(new Uint8Array(0))
          return batch
        },
      })),
    },
    "refuses a stream that is none, after what came before it",
  ],
  [
    "passes on what follows the end",
    {
      reader: reading((reader) => ({
        read: (bytes) => reader.read(bytes) ?? { events: [], bytes, done: true },
      })),
    },
    "passes nothing on that follows the end",
  ],
  [
    "keeps any event in memory",
    {
      reader: reading((reader) => ({
        read: (bytes) => (bytes.length > 100_000 ? undefined : reader.read(bytes)),
      })),
    },
    "bounds the size of an event",
  ],
  [
    "writes unchanged events anew",
    {
      writer(request) {
        const writer = dialect.writer(request)
        return { ...writer, write: (events) => writer.write(structuredClone(events)) }
      },
      reader: reading((reader) => ({ read: (bytes) => reader.read(bytes) })),
    },
    "passes events on that nobody changed exactly as they came",
  ],
  [
    "answers errors without the request id",
    { errorBody: (error) => dialect.errorBody(error, "") },
    "tells errors in its own shape",
  ],
  [
    "throws an error of its own",
    {
      readReply(text) {
        try {
          return dialect.readReply(text)
        } catch {
          throw new RtrError("internal_error", "oops")
        }
      },
    },
    "refuses what is no reply",
  ],
]

test("a dialect that keeps the contract passes", async () => expect(await failures({})).toEqual([]))

test("every broken dialect is caught", async () => {
  const missed: unknown[] = []
  for (const [name, changes, failed] of broken) {
    const found = await failures(changes)
    if (!found.includes(failed)) missed.push([name, found])
  }
  expect(missed).toEqual([])
}, 120_000)

test("finds a limit under another name than the backend's", async () => {
  expect(await failuresOf(dialectContract(dialect, { limitField: "max_completion_tokens" }))).toEqual([])
  expect(await failuresOf(dialectContract(dialect, { limitField: "max_new_tokens" }))).toEqual([
    "writes the limit of every request as max_new_tokens",
  ])
})

describe("a dialect that only calls backends", () => {
  const reply: ChatReply = {
    id: "reply-1",
    model: "m",
    created: 1_700_000_000,
    choices: [{ blocks: [{ type: "text", text: "It is sunny." }], stop: "stop" }],
    usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: 0 },
  }
  const writer = dialect.writer(streamedRequest)
  const stream = eventsOf(reply).map((event) => new TextDecoder().decode(writer.write([event])))
  stream.push(new TextDecoder().decode(writer.end()))
  const recorded = [{ body: dialect.writeReply(reply, {}), stream: stream.join(""), reply }] as const
  const refuse = (): never => {
    throw new Error("this dialect has no clients")
  }
  const backend: DialectModule = {
    ...dialect,
    readRequest: refuse,
    writeReply: refuse,
    writer: refuse,
    errorBody: refuse,
    failureBody: refuse,
    errorEvent: refuse,
  }
  const failing = (changes: Partial<DialectModule>, more: object = {}): Promise<readonly string[]> =>
    failuresOf(dialectContract({ ...backend, ...changes }, { side: "backend", recorded, ...more }))

  test("passes without the client's side", async () => {
    expect(await failing({})).toEqual([])
    expect(await failing({}, { limitField: "max_completion_tokens" })).toEqual([])
    expect(await failing({}, { limitField: "max_new_tokens" })).toEqual([
      "writes the limit of every request as max_new_tokens",
    ])
  })

  test("is caught where its own side is broken", async () => {
    const mistakes: readonly (readonly [Partial<DialectModule>, string])[] = [
      [{ about: "" }, "says what it does in one line"],
      [{ schemas: refuse }, "says what it does in one line"],
      [
        { writeRequest: (request) => dialect.writeRequest(request, { model: "other" }) },
        "writes requests for the model of the backend, or refuses what it cannot say",
      ],
      [
        { writeRequest: (request, target) => dialect.writeRequest({ ...request, turns: [] }, target) },
        "writes the texts of a request",
      ],
      [{ readReply: (text) => ({ ...dialect.readReply(text), choices: [] }) }, "reads the recorded replies"],
      [{ readReply: () => reply }, "refuses what is no reply"],
      [
        {
          reader: (options) => {
            const reader = dialect.reader(options)
            return { read: (bytes) => (bytes.length === 1 ? undefined : reader.read(bytes)), end: () => reader.end() }
          },
        },
        "gives the same events wherever a stream is cut",
      ],
      [
        { reader: () => ({ read: () => undefined, end: () => undefined }) },
        "refuses a stream that is none or breaks off",
      ],
      [{ reader: () => ({ read: () => undefined, end: () => undefined }) }, "bounds the size of an event"],
      [
        {
          reader: (options) => {
            let reader = dialect.reader(options)
            return {
              read(bytes) {
                const batch = reader.read(bytes)
                if (batch?.done === true) reader = dialect.reader(options)
                return batch
              },
              end: () => undefined,
            }
          },
        },
        "reads nothing that follows the end",
      ],
      [{ readError: () => ({ message: "any" }) }, "takes no other body for an error"],
    ]
    for (const [changes, failed] of mistakes) expect(await failing(changes), failed).toContain(failed)
  })
})
