// Reads the streams of a dialect in pieces, and compares what its functions return: for the contract of both sides and of one.

import {
  type ChatEvent,
  type ChatReply,
  createReplyCollector,
  isRtrError,
  type StreamReader,
  type Usage,
} from "../kernel/index.ts"
import { expectThat } from "./case.ts"

export const encoder = new TextEncoder()
export const decoder = new TextDecoder()

export const copy = <Value>(value: Value): Value => structuredClone(value)

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** Two pieces for every place, and single bytes. */
export function* cuts(bytes: Uint8Array): Iterable<readonly Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)]
  yield Array.from(bytes, (byte) => Uint8Array.of(byte))
}

export interface Drained {
  readonly events: readonly ChatEvent[]
  readonly bytes: string
  readonly usage: Usage | undefined
  readonly done: boolean
}

/** Everything that a reader makes of a stream that came in these pieces. */
export function drain(reader: StreamReader, pieces: readonly Uint8Array[]): Drained {
  const events: ChatEvent[] = []
  const bytes: Uint8Array[] = []
  let used: Usage | undefined
  let done = false
  for (const piece of [...pieces, undefined]) {
    const batch = piece === undefined ? reader.end() : reader.read(piece)
    if (batch === undefined) continue
    events.push(...batch.events)
    if (batch.bytes !== undefined) bytes.push(batch.bytes.slice())
    used = batch.usage ?? used
    done ||= batch.done
  }
  return { events, bytes: decoder.decode(joined(bytes)), usage: used, done }
}

export function collected(events: readonly ChatEvent[]): ChatReply {
  const collector = createReplyCollector()
  for (const event of events) collector.add(event)
  return collector.reply()
}

/** What is compared of a reply. A protocol may put a prefix of its own before the id, such as `msg_`. */
export const told = (
  { id, model, created, choices, usage }: ChatReply,
  { tellsTime }: { readonly tellsTime?: boolean },
): ChatReply => ({
  id: id.replace(/^(?:[a-z]+[_-])+/, ""),
  model,
  created: tellsTime === false ? 0 : created,
  choices,
  usage,
})

/** The same of the events of a stream. */
export const timeless = (
  events: readonly ChatEvent[],
  { tellsTime }: { readonly tellsTime?: boolean },
): readonly ChatEvent[] =>
  events.map((event) => (event.type === "start" && tellsTime === false ? { ...event, created: 0 } : event))

/** JSON with sorted keys, without marks of origin. */
function plain(value: unknown): string | undefined {
  return JSON.stringify(value, (key, each: unknown) => {
    if (key === "origin") return undefined
    return typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([one], [two]) => (one < two ? -1 : 1)))
      : each
  })
}

export function expectSame(value: unknown, expected: unknown, what: string): void {
  expectThat(plain(value) === plain(expected), `${what} to be ${plain(expected)}, got ${plain(value)}`)
}

export function expectError(run: () => unknown, code: string, what: string): void {
  try {
    run()
  } catch (error) {
    expectThat(isRtrError(error) && error.code === code, `${what} to be refused with ${code}`)
    return
  }
  throw new Error(`Expected ${what} to be refused`)
}
