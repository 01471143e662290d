// Reads a Messages stream: as bytes with the little that the router has to know, or event by event.

import type { StreamReader, StreamReaderOptions, WireObject } from "../../../kernel/index.ts"
import { createEventStreamReader, type EventReader } from "../dialect/event-stream-reader.ts"
import { isObject } from "../dialect/wire.ts"
import { readError } from "./errors.ts"
import { createMessageReader } from "./message-reader.ts"
import { mergeUsage, readUsage } from "./usage.ts"
import { dialectId } from "./wire.ts"

/** A reader for one stream. */
export const createReader = (options: StreamReaderOptions): StreamReader =>
  createEventStreamReader(options, {
    dialectId,
    // The quotes of a text in an event are escaped.
    telling: /"type"\s*:\s*"(?:message_(?:start|delta|stop)|error)"|"error"\s*:/,
    readError: (event) => (event["type"] === "error" || event["type"] === undefined ? readError(event) : undefined),
    tell: createTeller(),
    read: createMessageReader(),
  })

/** Counts the tokens so far: the first event has those of the input, and a later one those of the output. */
function createTeller(): EventReader["tell"] {
  let counted: WireObject = {}
  return ({ type, message, usage }) => {
    if (type === "message_stop") return { end: "mark" }
    if (type !== "message_start" && type !== "message_delta") return {}
    counted = mergeUsage(counted, type === "message_start" && isObject(message) ? message["usage"] : usage)
    return { usage: readUsage(counted) }
  }
}
