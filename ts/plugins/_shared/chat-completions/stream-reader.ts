// Reads a chat-completions stream: as bytes with the little that the router has to know, or event by event.

import {
  type ChatEvent,
  createEventSplitter,
  type EventBatch,
  parseBackendObject,
  RtrError,
  type ServerSentEvent,
  type StreamBatch,
  type StreamReader,
  upTo,
  type Usage,
  type WireObject,
  writeEvent,
} from "../../../kernel/index.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { readError } from "./errors.ts"
import { readUsage } from "./reply.ts"

const endMark = "[DONE]"
const isEndMark = (data: string | undefined): boolean => data === endMark || data?.trim() === endMark

/** What an event tells. */
interface Told {
  readonly events: readonly ChatEvent[]
  readonly usage?: Usage | undefined
}

/** A reader for one stream. With `events: false` a chunk is read no further than its braces, its usage and its error. */
export function createReader({ events }: { readonly events: boolean }): StreamReader {
  const splitter = createEventSplitter()
  const tell = events ? tellEvents() : tellUsage
  let begun = false
  let done = false
  let failure: unknown

  const readBatch = (batch: EventBatch): StreamBatch | undefined => {
    const read: ChatEvent[] = []
    let usage: Usage | undefined
    let count = 0
    try {
      for (const event of batch.events) {
        if (isEndMark(event.data)) {
          if (!begun) throw refuse("the stream has no event before its end mark")
          done = true
          count += 1
          break
        }
        const told = tell(event, batch.text)
        begun ||= event.data !== undefined
        count += 1
        for (const each of told.events) read.push(each)
        usage = told.usage ?? usage
      }
    } catch (error) {
      failure = error
      if (count === 0) throw error
    }
    const { bytes } = upTo(batch, count)
    return { events: read, bytes, done, ...(usage !== undefined && { usage }) }
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
      if (!begun || !isEndMark(splitter.end()?.events[0]?.data)) throw refuse("the stream ended before its end mark")
      done = true
      return { events: [], bytes: writeEvent(endMark), done }
    },
  }
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
