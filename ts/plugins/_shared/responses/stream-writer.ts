// Writes canonical events as a Responses stream.

import type { ChatRequest, StreamWriter } from "../../../kernel/index.ts"
import { createEventStreamWriter } from "../dialect/event-stream-writer.ts"
import { errorEvent } from "./errors.ts"
import { createResponseBuilder } from "./response-builder.ts"
import { dialectId } from "./wire.ts"

/**
 * A writer for one stream. Later events of this wire repeat earlier ones: the end has the whole output. So original events pass
 * as long as all before them did; from the first change on every event is built anew, from what the stream has said so far.
 */
export const createWriter = (request: ChatRequest): StreamWriter =>
  createEventStreamWriter(dialectId, (say) => {
    const builder = createResponseBuilder(request, say)
    let passes = true
    let passed = 0
    let ended = false
    return {
      fits: ({ place }) => passes && place === passed,
      pass(original) {
        passed += 1
        builder.follow(original)
        ended ||= original.events.some(({ type }) => type === "stop" || type === "failed")
      },
      build(event) {
        passes = false
        builder.write(event)
      },
      end() {
        if (!ended) builder.end()
      },
      kept: () => builder.kept,
      error: (error, requestId) => errorEvent(error, requestId, builder.sequence),
    }
  })
