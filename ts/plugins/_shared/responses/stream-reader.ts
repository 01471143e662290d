// Reads a Responses stream: as bytes with the little that the router has to know, or event by event.

import type { StreamReader, StreamReaderOptions, WireObject } from "../../../kernel/index.ts"
import { createEventStreamReader, type Told } from "../dialect/event-stream-reader.ts"
import { failedReply } from "../dialect/refusals.ts"
import { isObject } from "../dialect/wire.ts"
import { readError } from "./errors.ts"
import { createEventReader, failureIn } from "./event-reader.ts"
import { readUsage } from "./usage.ts"
import { dialectId } from "./wire.ts"

/** A reader for one stream. */
export const createReader = (options: StreamReaderOptions): StreamReader =>
  createEventStreamReader(options, {
    dialectId,
    isNumbered: true,
    // Inside a string of JSON the quotes would be escaped.
    telling: /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"|"error"\s*:\s*[{"]/,
    readError,
    tell,
    read: createEventReader(),
  })

/** Events behind which nothing comes. */
const ends: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
  "response.cancelled",
])

function tell({ type, response: given }: WireObject): Told {
  if (!ends.has(type)) return {}
  const response = isObject(given) ? given : {}
  const usage = readUsage(response["usage"])
  if (type !== "response.failed" && type !== "response.cancelled") return { end: "reply", usage }
  return { end: "reply", usage, failure: failedReply(failureIn(response, type).message).message }
}
