// The loop of every reader of server-sent events: bounds, a bad event behind good ones, and nothing behind the end.

import {
  type ChatEvent,
  createEventSplitter,
  type EventBatch,
  parseBackendObject,
  type ServerSentEvent,
  type StreamBatch,
  type StreamReader,
  type UpstreamFailure,
  upTo,
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
  /** An error in the middle of a stream is its end. */
  readError(event: WireObject): Pick<UpstreamFailure, "message"> | undefined
  tell(event: WireObject): Told
  /** The canonical events of an event. One that has none is kept as it is. */
  read(event: WireObject, told: Told): readonly ChatEvent[]
}

const nothing: Told = {}

/** A reader for one stream. With `events: false` an event that tells nothing is read no further than its braces. */
export function createEventStreamReader(
  { events }: { readonly events: boolean },
  { dialectId, telling, endMark, readError, tell, read }: EventReader,
): StreamReader {
  const splitter = createEventSplitter()
  let begun = false
  let place = 0
  let done = false
  let failure: unknown

  /** Adds the canonical events to `found`, if somebody wants them. */
  const readEvent = ({ data, start, end }: ServerSentEvent, text: string, found: ChatEvent[]): Told => {
    if (data === undefined) {
      if (events) add(found, { events: [{ type: "ping" }], text: text.slice(start, end), data })
      return nothing
    }
    const isMark = endMark !== undefined && data.trim() === endMark
    const isBraced = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
    if (!events && isBraced && !telling.test(data)) return nothing
    const event = isMark ? undefined : parseEvent(data)
    const told: Told = event === undefined ? { end: "mark" } : tell(event)
    if (told.end === "mark" && !begun) throw badReply("the stream has no event before its end mark")
    if (events && event !== undefined) {
      const own = read(event, told)
      add(found, {
        events: own.length > 0 ? own : [{ type: "opaque", dialect: dialectId, value: event }],
        text: text.slice(start, end),
        data: event,
      })
    }
    return told
  }

  const add = (found: ChatEvent[], original: Pick<OriginalEvents, "events" | "text" | "data">): void => {
    rememberOriginal({ dialect: dialectId, place: place++, ...original })
    for (const event of original.events) found.push(event)
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
    let count = 0
    try {
      for (const event of batch.events) {
        const told = readEvent(event, batch.text, found)
        begun ||= event.data !== undefined
        count += 1
        usage = told.usage ?? usage
        said = told.failure
        if (told.end !== undefined) {
          done = true
          break
        }
      }
    } catch (error) {
      failure = error
      if (count === 0) throw error
    }
    const { bytes } = upTo(batch, count)
    return {
      events: found,
      bytes,
      done,
      ...(usage !== undefined && { usage }),
      ...(said !== undefined && { failure: said }),
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
      const last = rest === undefined ? undefined : endOf(rest)
      if (last === undefined) throw badReply("the stream ended before its end mark")
      return last
    },
  }

  /** The batch if it is the end of the stream. */
  function endOf(rest: EventBatch): StreamBatch | undefined {
    try {
      const batch = readBatch(rest)
      return batch.done ? { ...batch, bytes: withOneBlankLine(batch.bytes as Uint8Array) } : undefined
    } catch {
      return undefined
    }
  }
}

/** The bytes with one blank line behind the event, whatever part of it came. */
function withOneBlankLine(bytes: Uint8Array): Uint8Array {
  let length = bytes.length
  while (bytes[length - 1] === 10 || bytes[length - 1] === 13) length -= 1
  const whole = new Uint8Array(length + 2).fill(10)
  whole.set(bytes.subarray(0, length))
  return whole
}
