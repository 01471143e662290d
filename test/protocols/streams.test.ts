// Streams of every protocol, cut and broken in every way that a network and a backend can.

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  type ChatEvent,
  createReplyCollector,
  type DialectModule,
  isRtrError,
  type StreamReader,
  type Usage,
} from "rtr"
import { describe, expect, test } from "vitest"
import chatDialect from "../../ts/plugins/dialects/chat-completions.ts"
import messagesDialect from "../../ts/plugins/dialects/messages.ts"
import responsesDialect from "../../ts/plugins/dialects/responses.ts"
import { createRandom, type Random } from "../fakes/random.ts"
import { chatCompletions } from "./chat-completions.ts"
import { conversations } from "./conversations.ts"
import type { Ends } from "./ends.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"

const protocols: readonly (readonly [Ends, DialectModule])[] = [
  [chatCompletions, chatDialect],
  [messages, messagesDialect],
  [responses, responsesDialect],
]
const dialects = protocols.map(([, dialect]) => dialect)

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A stream of each conversation, and how servers other than the vendor's write the same one. */
const streamsOf = (ends: Ends): readonly string[] =>
  conversations
    // A long one has nothing that a short one lacks.
    .filter(({ name }) => name !== "a long text")
    .map(({ said }, index) => {
      const stream = ends.events(ends.holdsSaid(said))
      switch (index % 4) {
        case 0:
          return stream.replaceAll("\n", "\r\n")
        case 1:
          return stream.replaceAll("data: ", "data:")
        case 2:
          return stream.replaceAll("\n\n", "\n\n: keep-alive\n\n")
        default:
          return stream
      }
    })

interface Read {
  readonly events: readonly ChatEvent[]
  readonly bytes: Uint8Array
  readonly usage: Usage | undefined
  readonly done: boolean
}

/** All that a reader tells of a stream that comes in these pieces. */
function readAll(reader: StreamReader, pieces: Iterable<Uint8Array>): Read {
  const events: ChatEvent[] = []
  const bytes: Uint8Array[] = []
  let used: Usage | undefined
  let done = false
  const take = (batch: ReturnType<StreamReader["read"]>): void => {
    if (batch === undefined) return
    events.push(...batch.events)
    if (batch.bytes !== undefined) bytes.push(batch.bytes.slice())
    used = batch.usage ?? used
    done ||= batch.done
  }
  for (const piece of pieces) take(reader.read(piece))
  take(reader.end())
  return { events, bytes: Buffer.concat(bytes), usage: used, done }
}

/** The time of a reply that does not tell it is the present. */
const untimed = ({ events, bytes, usage, done }: Read): string =>
  JSON.stringify([
    events.map((event) => (event.type === "start" ? { ...event, created: 0 } : event)),
    decoder.decode(bytes),
    usage,
    done,
  ])

/** Pieces of random length, most of them short: cuts fall inside characters, names of events and blank lines. */
function* cut(bytes: Uint8Array, random: Random): Iterable<Uint8Array> {
  const most = random.pick([1, 3, 40, 400])
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(most)
    yield bytes.slice(at, end)
    at = end
  }
}

describe("random cuts", () => {
  for (const [ends, dialect] of protocols)
    test(`change nothing of a stream of ${ends.protocol}`, () => {
      const random = createRandom(17)
      for (const stream of streamsOf(ends)) {
        const bytes = encoder.encode(stream)
        for (const events of [true, false]) {
          const read = readAll(dialect.reader({ events }), [bytes])
          expect([read.done, stream.startsWith(decoder.decode(read.bytes))]).toEqual([true, true])
          const whole = untimed(read)
          for (let round = 0; round < 8; round++)
            expect(untimed(readAll(dialect.reader({ events }), cut(bytes, random)))).toBe(whole)
        }
      }
    })
})

/** `RTR_FUZZED_BYTES=1000000` for a longer run. */
const fuzzedBytes = Number(process.env["RTR_FUZZED_BYTES"] ?? 200_000)

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** Bytes in use. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe("broken bytes", () => {
  test(
    `end in an upstream_error or in whole events for every client, and leave nothing behind`,
    () => {
      const streams = protocols.map(([ends]) => streamsOf(ends).map((stream) => encoder.encode(stream)))
      const random = createRandom(23)
      const run = (bytes: number): void => {
        for (let broken = 0; broken < bytes;) {
          const own = random.below(protocols.length)
          const [stream, count] = breakBytes(random.pick(streams[own] ?? []), random.pick(streams.flat()), random)
          broken += count
          // Some backends speak another protocol than the document says.
          readBroken(stream, random.chance(0.9) ? (dialects[own] as DialectModule) : random.pick(dialects), random)
        }
      }
      run(fuzzedBytes / 4)
      const before = heldBytes()
      run((fuzzedBytes * 3) / 4)
      expect(heldBytes() - before).toBeLessThan(8 * 1024 * 1024)
    },
    Math.max(60_000, fuzzedBytes / 5),
  )

  test("that never end take no memory of a reader", () => {
    for (const [ends, dialect] of protocols) {
      const [first = "", delta = ""] = endless[ends.protocol]
      const reader = dialect.reader({ events: true })
      reader.read(encoder.encode(first))
      const piece = encoder.encode(delta.repeat(200))
      const read = (times: number): void => {
        for (let time = 0; time < times; time++) expect(reader.read(piece)?.events.length).toBe(200)
      }
      read(20)
      const before = heldBytes()
      read(200)
      expect([ends.protocol, heldBytes() - before < 2 * 1024 * 1024]).toEqual([ends.protocol, true])
    }
  })
})

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

/** How a stream begins, and an event that may come again and again. */
const endless: Readonly<Record<Ends["protocol"], readonly [string, string]>> = {
  chat_completions: [
    data({ id: "c", choices: [{ index: 0, delta: { content: "a" } }] }),
    data({ choices: [{ index: 0, delta: { content: "more" } }] }),
  ],
  messages: [
    data({ type: "message_start", message: { id: "m", usage: { input_tokens: 1, output_tokens: 1 } } }) +
      data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    data({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "more" } }),
  ],
  responses: [
    data({ type: "response.created", response: { id: "r" } }) +
      data({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "a" }),
    data({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "more" }),
  ],
}

/** What is no text, what JSON and events are made of, and parts of characters. */
const bad = encoder.encode('\0\u00ff\u{1f469}{}[]",:\\\n\r e-1.null\ufeff')

/** A copy of a stream with some bytes replaced, left out, repeated, or from another stream, and their number. */
function breakBytes(stream: Uint8Array, other: Uint8Array, random: Random): readonly [Uint8Array, number] {
  let bytes = stream.slice()
  let count = 0
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length)
    const length = 1 + random.below(random.pick([1, 4, 30]))
    const from = random.below(other.length)
    const inserted = random.pick([
      () => Uint8Array.from({ length }, () => random.below(256)),
      () => Uint8Array.from({ length }, () => random.pick([...bad])),
      () => bytes.slice(at, at + length * 8),
      () => other.slice(from, from + length * 8),
      () => new Uint8Array(0),
    ])()
    bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + (random.chance(0.7) ? length : 0))])
    count += Math.max(length, inserted.length)
  }
  return [bytes, count]
}

/** Reads it, collects it, and writes it for clients of all protocols. */
function readBroken(bytes: Uint8Array, dialect: DialectModule, random: Random): void {
  const reader = dialect.reader({ events: true })
  const collector = createReplyCollector()
  const writers = dialects.map((each) => ({ writer: each.writer(request), text: "" }))
  let passed = 0
  let isMended = false
  const take = (batch: ReturnType<StreamReader["read"]>, isEnd: boolean): void => {
    if (batch === undefined) return
    for (const event of batch.events) collector.add(event)
    for (const each of writers) each.text += decoder.decode(each.writer.write(batch.events))
    // What goes on is what came, from its beginning; the end may gain its blank line, and a stream that is mended is written anew.
    isMended ||= batch.bytes === undefined
    if (isMended || batch.bytes === undefined) return
    const came = bytes.subarray(passed, passed + batch.bytes.length)
    if (!isEnd && Buffer.compare(batch.bytes, came) !== 0)
      throw new Error("The bytes of a batch are not those that came")
    passed += batch.bytes.length
  }
  try {
    for (const piece of cut(bytes, random)) take(reader.read(piece), false)
    take(reader.end(), true)
    collector.reply()
  } catch (error) {
    if (!isRtrError(error) || error.code !== "upstream_error") throw error
  }
  for (const { writer, text } of writers) checkEvents(text + decoder.decode(writer.end()))
}

const request = chatDialect.readRequest({ model: "m", messages: [{ role: "user", content: "hi" }], stream: true })

/** Every event is whole: its data is JSON or the end mark. */
function checkEvents(text: string): void {
  if (!/\n\r?\n$/.test(text)) throw new Error(`The last event has no end: ${text.slice(-100)}`)
  for (const event of text.split(/(?:\r?\n){2,}/)) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"))
    const value = lines.map((line) => line.slice("data:".length)).join("\n")
    // Throws for what is none.
    if (lines.length > 0 && value.trim() !== "[DONE]") JSON.parse(value)
  }
}
