// Writes canonical events as a Responses stream.

import type { ChatEvent, ChatRequest, StreamWriter } from "../../../kernel/index.ts"
import { originalOf, type OriginalEvents } from "../dialect/original-events.ts"
import { errorEvent } from "./errors.ts"
import { createResponseBuilder } from "./response-builder.ts"
import { dialectId } from "./wire.ts"

/**
 * A writer for one stream. Later events of this wire repeat earlier ones: the end has the whole output. So original events pass
 * as long as all before them did; from the first change on every event is built anew, from what the stream has said so far.
 */
export function createWriter(request: ChatRequest): StreamWriter {
  let out = ""
  const builder = createResponseBuilder(request, (text) => {
    out += text
  })
  let passes = true
  let place = 0
  let ended = false

  /** The events from `at` are all of an original that follows the one before. */
  const isNext = (original: OriginalEvents | undefined, events: readonly ChatEvent[], at: number): boolean =>
    original !== undefined &&
    original.place === place &&
    original.events.every((event, index) => event === events[at + index])

  const pass = (original: OriginalEvents): void => {
    place += 1
    builder.follow(original)
    ended ||= original.events.some(({ type }) => type === "stop" || type === "failed")
    out += original.text
  }

  return {
    write(events) {
      for (let at = 0; at < events.length;) {
        const event = events[at] as ChatEvent
        const original = originalOf(event, dialectId)
        if (passes && isNext(original, events, at)) {
          pass(original as OriginalEvents)
          at += (original as OriginalEvents).events.length
        } else {
          passes = false
          builder.write(event)
          at += 1
        }
      }
      return take()
    },
    end() {
      if (!ended) builder.end()
      return take()
    },
    error: (error, requestId) => errorEvent(error, requestId, builder.sequence),
  }

  function take(): Uint8Array {
    const bytes = encoder.encode(out)
    out = ""
    return bytes
  }
}

const encoder = new TextEncoder()
