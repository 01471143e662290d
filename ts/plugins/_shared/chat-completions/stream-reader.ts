// Reads a chat-completions stream: as bytes with the little that the router has to know, or event by event.

import type { StreamReader } from "../../../kernel/index.ts"
import { createEventStreamReader } from "../dialect/event-stream-reader.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { readError } from "./errors.ts"
import { readUsage } from "./reply.ts"
import { dialectId } from "./wire.ts"

/** A reader for one stream. */
export const createReader = (options: { readonly events: boolean }): StreamReader =>
  createEventStreamReader(options, {
    dialectId,
    // One pattern takes a fraction of the time of two searches.
    telling: /"(?:usage|error)"(?!:\s*null)/,
    endMark: "[DONE]",
    readError,
    tell: (chunk) => ({ usage: readUsage(chunk["usage"]) }),
    read: createChunkReader(),
  })
