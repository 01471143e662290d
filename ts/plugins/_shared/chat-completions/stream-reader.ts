// Reads a chat-completions stream: as bytes with the little that the router has to know, or event by event.

import {
  type ChatEvent,
  createEventSplitter,
  type EventBatch,
  RtrError,
  type ServerSentEvent,
  type StreamBatch,
  type StreamReader,
  upTo,
  type Usage,
} from "../../../kernel/index.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { parseObject, readUsage } from "./reply.ts"

const endMark = "[DONE]"

/** What an event tells; an error when it is no event of the dialect. */
interface Told {
  readonly events: readonly ChatEvent[]
  readonly usage?: Usage | undefined
}

/** A reader for one stream. With `events: false` no chunk is read further than its braces and its usage. */
export function createReader({ events }: { readonly events: boolean }): StreamReader {
  const splitter = createEventSplitter()
  const tell = events ? tellEvents() : tellUsage
  let done = false
  let failure: RtrError | undefined

  const readBatch = (batch: EventBatch): StreamBatch | undefined => {
    const read: ChatEvent[] = []
    let usage: Usage | undefined
    let count = 0
    for (const event of batch.events) {
      const told = event.data === endMark ? "end" : tell(event, batch.text)
      if (told === undefined) {
        failure = new RtrError("upstream_error", "an event of the stream is not a JSON object")
        if (count === 0) throw failure
        break
      }
      count += 1
      if (told === "end") {
        done = true
        break
      }
      for (const each of told.events) read.push(each)
      usage = told.usage ?? usage
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
      if (failure !== undefined) throw failure
      if (!done) throw new RtrError("upstream_error", "the stream ended before its end mark")
      return undefined
    },
  }
}

const nothing: Told = { events: [] }

/** Looks for usage and refuses what is no object. Parsing every chunk would cost more than all the rest. */
function tellUsage({ data }: ServerSentEvent): Told | undefined {
  if (data === undefined) return nothing
  if (data.includes('"usage"') && !data.endsWith('"usage":null}')) {
    const chunk = parseObject(data)
    return chunk && { events: [], usage: readUsage(chunk["usage"]) }
  }
  const bracketed = data.charCodeAt(0) === 123 && data.charCodeAt(data.length - 1) === 125
  return bracketed || parseObject(data) !== undefined ? nothing : undefined
}

function tellEvents(): (event: ServerSentEvent, text: string) => Told | undefined {
  const reader = createChunkReader()
  return ({ data, start, end }, text) => {
    if (data === undefined) return { events: reader.comment(text.slice(start, end)) }
    const chunk = parseObject(data)
    return chunk && { events: reader.chunk(chunk, text.slice(start, end)), usage: readUsage(chunk["usage"]) }
  }
}
