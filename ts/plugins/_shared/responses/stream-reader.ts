// Reads a Responses stream: as bytes with the little that the router has to know, or event by event.

import {
  parseBackendObject,
  RtrError,
  type ServerSentEvent,
  type StreamReader,
  type WireObject,
} from "../../../kernel/index.ts"
import { createEventStreamReader, type Told } from "../dialect/event-stream-reader.ts"
import { isObject } from "../dialect/wire.ts"
import { readError } from "./errors.ts"
import { createEventReader, failureIn } from "./event-reader.ts"
import { readUsage } from "./usage.ts"

/** A reader for one stream. With `events: false` an event is read no further than its braces and its type. */
export function createReader({ events }: { readonly events: boolean }): StreamReader {
  return createEventStreamReader(events ? tellEvents() : tellEnd)
}

/** Events behind which nothing comes. */
const ends: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
])

/** Types of events that the router looks into. Inside a string of JSON the quotes would be escaped. */
const telling = /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"|"error"\s*:\s*[{"]/

const nothing: Told = { events: [] }

/** Looks for the end and for errors, and refuses what is no object. Parsing every event would cost more than all the rest. */
function tellEnd({ data }: ServerSentEvent): Told {
  if (data === undefined) return nothing
  const bracketed = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
  if (bracketed && !telling.test(data)) return nothing
  return endOf(parseEvent(data)) ?? nothing
}

function endOf(event: WireObject): Told | undefined {
  const { type } = event
  if (!ends.has(type)) return undefined
  const response = isObject(event["response"]) ? event["response"] : {}
  const usage = readUsage(response["usage"])
  if (type !== "response.failed" && type !== "response.cancelled") return { events: [], done: true, usage }
  const { message } = failureIn(response, type)
  return { events: [], done: true, usage, failure: `the backend reported an error: ${message}` }
}

function tellEvents(): (event: ServerSentEvent, text: string) => Told {
  const reader = createEventReader()
  return ({ data, start, end }, text) => {
    const own = text.slice(start, end)
    if (data === undefined) return { events: reader.comment(own) }
    const event = parseEvent(data)
    return { ...endOf(event), events: reader.event(event, own) }
  }
}

/** An event that is an object and no error. An error in the middle of a stream is its end. */
function parseEvent(data: string): WireObject {
  const event = parseBackendObject(data)
  if (event === undefined) throw refuse("an event of the stream is not a JSON object")
  const failed = readError(event)
  if (failed !== undefined) throw refuse(`the backend reported an error: ${failed.message}`)
  return event
}

const refuse = (reason: string): RtrError => new RtrError("upstream_error", reason)
