// Reads a chat-completions stream: as bytes with the little that the router has to know, or event by event.

import type { StreamReader, StreamReaderOptions, WireObject } from "../../../kernel/index.ts"
import { createEventStreamReader, type Told } from "../dialect/event-stream-reader.ts"
import { isObject, toList } from "../dialect/wire.ts"
import { createChunkReader } from "./chunk-reader.ts"
import { readError } from "./errors.ts"
import { deviates } from "./deviations.ts"
import { asksForUsage } from "./request.ts"
import { readStop, readUsage } from "./reply.ts"
import { dialectId } from "./wire.ts"

/** A reader for one stream. */
export function createReader(options: StreamReaderOptions): StreamReader {
  const { client, counted } = options
  const hidesUsage = counted !== undefined && client === dialectId && !asksForUsage(counted)
  return createEventStreamReader(options, {
    dialectId,
    // One pattern takes a fraction of the time of several searches. A call whose index does not stand first may have none.
    telling: /(?:usage|error|_reason|_calls)"(?!:\s*(?:null|\[\s*(?:\]|\{\s*"index")))|arguments":\s*\{/,
    endMark: "[DONE]",
    readError,
    tell,
    // The writer leaves out such a chunk.
    deviates: (chunk) => deviates(chunk) || (hidesUsage && isUsageAlone(chunk)),
    read: createChunkReader(),
  })
}

const isUsageAlone = ({ choices, usage }: WireObject): boolean =>
  Array.isArray(choices) && choices.length === 0 && isObject(usage)

function tell({ choices, usage }: WireObject): Told {
  let read = readUsage(usage)
  let isWhole = false
  for (const choice of toList(choices)) {
    if (!isObject(choice)) continue
    isWhole ||= readStop(choice["finish_reason"]) !== undefined
    // Moonshot counts for each choice.
    read ??= readUsage(choice["usage"])
  }
  return { usage: read, isWhole }
}
