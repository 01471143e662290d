// The loop of every reader of server-sent events: bounds, a bad event behind good ones, and nothing behind the end.

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

/** What an event tells. */
export interface Told {
  readonly events: readonly ChatEvent[]
  readonly usage?: Usage | undefined
  /** It ends the stream. */
  readonly done?: boolean
  /** What the end says of a reply that failed. */
  readonly failure?: string | undefined
}

/** A reader for one stream. `tell` reads one event of the dialect, or throws `upstream_error`. */
export function createEventStreamReader(tell: (event: ServerSentEvent, text: string) => Told): StreamReader {
  const splitter = createEventSplitter()
  let done = false
  let failure: unknown

  const readBatch = (batch: EventBatch): StreamBatch => {
    const read: ChatEvent[] = []
    let usage: Usage | undefined
    let said: string | undefined
    let count = 0
    try {
      for (const event of batch.events) {
        const told = tell(event, batch.text)
        count += 1
        for (const each of told.events) read.push(each)
        usage = told.usage ?? usage
        said = told.failure
        if (told.done === true) {
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
      events: read,
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
      if (last === undefined) throw new RtrError("upstream_error", "the stream ended before its end mark")
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
