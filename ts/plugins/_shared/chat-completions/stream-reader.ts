// Reads a chat-completions stream: as bytes with the little that the router has to know, or event by event.

import {
  parseBackendObject,
  RtrError,
  type ServerSentEvent,
  type StreamReader,
  type WireObject,
} from "../../../kernel/index.ts"
import { createEventStreamReader, type Told } from "../dialect/event-stream-reader.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { readError } from "./errors.ts"
import { readUsage } from "./reply.ts"

const endMark = "[DONE]"
const isEndMark = (data: string | undefined): boolean => data === endMark || data?.trim() === endMark

/** A reader for one stream. With `events: false` a chunk is read no further than its braces, its usage and its error. */
export function createReader({ events }: { readonly events: boolean }): StreamReader {
  const tell = events ? tellEvents() : tellUsage
  let begun = false
  return createEventStreamReader((event, text) => {
    if (isEndMark(event.data)) {
      if (!begun) throw refuse("the stream has no event before its end mark")
      return { events: [], done: true }
    }
    const told = tell(event, text)
    begun ||= event.data !== undefined
    return told
  })
}

const nothing: Told = { events: [] }

/** Names of fields that the router looks into. One pattern takes a fraction of the time of two searches. */
const telling = /"(?:usage|error)"(?!:\s*null)/

/** Looks for usage and errors, and refuses what is no object. Parsing every chunk would cost more than all the rest. */
function tellUsage({ data }: ServerSentEvent): Told {
  if (data === undefined) return nothing
  const bracketed = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
  if (bracketed && !telling.test(data)) return nothing
  const usage = readUsage(parseChunk(data)["usage"])
  return usage === undefined ? nothing : { events: [], usage }
}

function tellEvents(): (event: ServerSentEvent, text: string) => Told {
  const reader = createChunkReader()
  return ({ data, start, end }, text) => {
    if (data === undefined) return { events: reader.comment(text.slice(start, end)) }
    const chunk = parseChunk(data)
    return { events: reader.chunk(chunk, text.slice(start, end)), usage: readUsage(chunk["usage"]) }
  }
}

/** A chunk that is an object and no error. An error in the middle of a stream is its end. */
function parseChunk(data: string): WireObject {
  const chunk = parseBackendObject(data)
  if (chunk === undefined) throw refuse("an event of the stream is not a JSON object")
  const failed = readError(chunk)
  if (failed !== undefined) throw refuse(`the backend reported an error: ${failed.message}`)
  return chunk
}

const refuse = (reason: string): RtrError => new RtrError("upstream_error", reason)
