// Reads a Messages stream: as bytes with the little that the router has to know, or event by event.

import { parseBackendObject, type ServerSentEvent, type StreamReader, type WireObject } from "../../../kernel/index.ts"
import { createEventStreamReader, type Told } from "../dialect/event-stream-reader.ts"
import { isObject } from "../dialect/wire.ts"
import { readError } from "./errors.ts"
import { createMessageReader } from "./message-reader.ts"
import { refuse } from "./wire.ts"
import { mergeUsage, readUsage } from "./usage.ts"

/** A reader for one stream. With `events: false` an event is read no further than its braces, unless it counts tokens or is an error. */
export function createReader({ events }: { readonly events: boolean }): StreamReader {
  const tell = events ? tellEvents() : tellUsage()
  let begun = false
  return createEventStreamReader((event, text) => {
    const done = isEndMark(event.data)
    if (done && !begun) throw refuse("the stream has no event before its end mark")
    const told = tell(event, text)
    begun ||= event.data !== undefined
    return done ? { ...told, done } : told
  })
}

/** Deltas say what they are in their first field, so that most are not parsed for it. */
function isEndMark(data: string | undefined): boolean {
  if (data?.includes('"message_stop"') !== true || data.startsWith('{"type":"content_block_')) return false
  return parseBackendObject(data)?.["type"] === "message_stop"
}

const nothing: Told = { events: [] }

/** Types of events that the router looks into. The quotes of a text in an event are escaped. */
const telling = /"type"\s*:\s*"(?:message_start|message_delta|error)"|"error"\s*:/

function tellUsage(): (event: ServerSentEvent) => Told {
  const count = createCounter()
  return ({ data }) => {
    if (data === undefined) return nothing
    const bracketed = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
    if (bracketed && !telling.test(data)) return nothing
    return { events: [], usage: count(parseEvent(data)) }
  }
}

function tellEvents(): (event: ServerSentEvent, text: string) => Told {
  const reader = createMessageReader()
  const count = createCounter()
  return ({ data, start, end: last }, text) => {
    if (data === undefined) return { events: reader.comment(text.slice(start, last)) }
    const event = parseEvent(data)
    const usage = count(event)
    return { events: reader.event(event, usage, text.slice(start, last)), usage }
  }
}

/** The tokens so far: the first event counts the input, and a later one the output. */
function createCounter(): (event: WireObject) => ReturnType<typeof readUsage> {
  let counted: WireObject = {}
  return ({ type, message, usage }) => {
    if (type !== "message_start" && type !== "message_delta") return undefined
    counted = mergeUsage(counted, type === "message_start" && isObject(message) ? message["usage"] : usage)
    return readUsage(counted)
  }
}

/** An event that is an object and no error. An error in the middle of a stream is its end. */
function parseEvent(data: string): WireObject {
  const event = parseBackendObject(data)
  if (event === undefined) throw refuse("an event of the stream is not a JSON object")
  const failed = event["type"] === "error" || event["type"] === undefined ? readError(event) : undefined
  if (failed !== undefined) throw refuse(`the backend reported an error: ${failed.message}`)
  return event
}
