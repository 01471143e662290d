// The loop of every reader of server-sent events: bounds, a bad event behind good ones, and nothing behind the end.

import {
  type ChatEvent,
  createEventSplitter,
  type EventBatch,
  parseBackendObject,
  type ServerSentEvent,
  type StreamBatch,
  type StreamReader,
  type StreamReaderOptions,
  type UpstreamFailure,
  upTo,
  writeEvent,
  type Usage,
  type WireObject,
} from "../../../kernel/index.ts"
import { type OriginalEvents, rememberOriginal } from "./original-events.ts"
import { badReply, failedReply } from "./refusals.ts"

/** What the router has to know of an event. */
export interface Told {
  readonly usage?: Usage | undefined
  /** It ends the stream: a mark behind the reply, or an event that may be the whole reply. */
  readonly end?: "mark" | "reply" | undefined
  /** The reply may be complete: the stream may end here without its mark. */
  readonly isWhole?: boolean
  /** What the end says of a reply that failed. */
  readonly failure?: string | undefined
}

/** How a dialect reads the events of one stream. */
export interface EventReader {
  readonly dialectId: string
  /** Found in the data of every event that tells something. Parsing all events would cost more than all the rest. */
  readonly telling: RegExp
  /** The data of the end, where that is no JSON. */
  readonly endMark?: string
  /** Events have numbers, which an error of the router continues. */
  readonly isNumbered?: boolean
  /** An error in the middle of a stream is its end. */
  readError(event: WireObject): Pick<UpstreamFailure, "message"> | undefined
  tell(event: WireObject): Told
  /** Whether clients may not know what to do with the event as it came. Then the stream goes on as what was read of it. */
  deviates?(event: WireObject): boolean
  /** The canonical events of an event. One that has none is kept as it is. */
  read(event: WireObject, told: Told): readonly ChatEvent[]
}

const nothing: Told = {}
/** The events of the batch have to be read from its beginning. */
const again: Told = {}

/** A reader for one stream. With `events: false` an event that tells nothing is read no further than its braces. */
export function createEventStreamReader(
  { events, client }: StreamReaderOptions,
  { dialectId, telling, endMark, isNumbered, readError, tell, deviates, read }: EventReader,
): StreamReader {
  const splitter = createEventSplitter()
  let reads = events
  const keepsText = client === undefined || client === dialectId
  /** The bytes go on as they came. */
  let passes = true
  let begun = false
  let isWhole = false
  let place = 0
  let done = false
  let failure: unknown

  /** Adds the canonical events to `found`, if somebody wants them. */
  const readEvent = ({ data, start, end }: ServerSentEvent, text: string, found: ChatEvent[]): Told => {
    if (data === undefined) {
      if (reads) add(found, { events: [{ type: "ping" }], text: text.slice(start, end), data })
      return nothing
    }
    const isMark = endMark !== undefined && data.trim() === endMark
    const isBraced = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
    // The first event shows how the backend writes.
    if (!reads && begun && isBraced && !telling.test(data)) return nothing
    const event = isMark ? undefined : parseEvent(data)
    const told: Told = event === undefined ? { end: "mark" } : tell(event)
    if (told.end === "mark" && !begun) throw badReply("the stream has no event before its end mark")
    const isOdd = event !== undefined && deviates?.(event) === true
    if (isOdd) {
      passes = false
      if (!reads) {
        reads = true
        return again
      }
    }
    if (reads && event !== undefined) {
      const own = read(event, told)
      add(found, {
        events: own.length > 0 ? own : [{ type: "opaque", dialect: dialectId, value: event }],
        text: isOdd || !keepsText ? undefined : text.slice(start, end),
        data: event,
      })
    }
    return told
  }

  /** Without a text they are written anew. */
  const add = (
    found: ChatEvent[],
    { events: own, text, data }: Pick<OriginalEvents, "events" | "data"> & { readonly text: string | undefined },
  ): void => {
    if (keepsText && text !== undefined)
      rememberOriginal({ dialect: dialectId, place: place++, events: own, text, data })
    for (const event of own) found.push(event)
  }

  const parseEvent = (data: string): WireObject => {
    const event = parseBackendObject(data)
    if (event === undefined) throw badReply("an event of the stream is not a JSON object")
    const failed = readError(event)
    if (failed !== undefined) throw failedReply(failed.message)
    return event
  }

  const readBatch = (batch: EventBatch): StreamBatch => {
    const found: ChatEvent[] = []
    let usage: Usage | undefined
    let said: string | undefined
    let last: string | undefined
    let count = 0
    try {
      while (count < batch.events.length) {
        const event = batch.events[count] as ServerSentEvent
        const told = readEvent(event, batch.text, found)
        if (told === again) {
          count = 0
          continue
        }
        begun ||= event.data !== undefined
        last = event.data ?? last
        count += 1
        usage = told.usage ?? usage
        said = told.failure
        isWhole ||= told.isWhole === true
        if (told.end !== undefined) {
          done = true
          break
        }
      }
    } catch (error) {
      failure = error
      if (count === 0) throw error
    }
    return {
      events: found,
      ...(passes && { bytes: upTo(batch, count).bytes }),
      done,
      ...(usage !== undefined && { usage }),
      ...(said !== undefined && { failure: said }),
      ...(isNumbered === true && !reads && { last }),
    }
  }

  return {
    read(bytes) {
      // The client has its whole reply; what follows is no part of it.
      if (done) return undefined
      if (failure !== undefined) throw failure
      const batch = splitter.push(bytes)
      return batch && readBatch(batch)
    },
    end() {
      if (done) return undefined
      if (failure !== undefined) throw failure
      // Some backends leave out the blank line behind the last event. A cut event is none, but this one is whole.
      const rest = splitter.end()
      const last = rest === undefined ? { events: [], bytes: noBytes, done } : endOf(rest)
      if (last === undefined || !(last.done || isWhole)) throw badReply("the stream ended before its end mark")
      if (last.done) return last
      done = true
      const { bytes: passed, ...batch } = last
      return {
        ...batch,
        done,
        ...(passed !== undefined && passes && { bytes: concat(passed, writeEvent(endMark ?? "")) }),
      }
    },
  }

  /** The last events; undefined for one that was cut. */
  function endOf(rest: EventBatch): StreamBatch | undefined {
    try {
      const batch = readBatch(rest)
      return batch.bytes === undefined ? batch : { ...batch, bytes: withOneBlankLine(batch.bytes) }
    } catch {
      return undefined
    }
  }
}

const noBytes = new Uint8Array(0)

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** The bytes with one blank line behind the event, whatever part of it came. */
function withOneBlankLine(bytes: Uint8Array): Uint8Array {
  let length = bytes.length
  while (bytes[length - 1] === 10 || bytes[length - 1] === 13) length -= 1
  const whole = new Uint8Array(length + 2).fill(10)
  whole.set(bytes.subarray(0, length))
  return whole
}
