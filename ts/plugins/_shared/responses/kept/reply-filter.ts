// Gives a reply its own id on the way to the client, and keeps it before the client has its end.

import type { ByteSource, ReplyFilter, WireObject } from "../../../../kernel/index.ts"
import { isObject, isText } from "../../dialect/wire.ts"

export interface Keeping {
  /** Fields of the response that are the router's to say. */
  readonly own: WireObject
  /** Keeps a response that has ended; false where it could not be kept. */
  readonly keep?: (response: WireObject) => Promise<boolean>
}

/** Events of the wire that hold the response, and whether it has ended with them. */
const holders: ReadonlyMap<string, boolean> = new Map([
  ["response.created", false],
  ["response.queued", false],
  ["response.in_progress", false],
  ["response.completed", true],
  ["response.incomplete", true],
  ["response.failed", true],
])
const holder = /"type"\s*:\s*"response\.(?:created|queued|in_progress|completed|incomplete|failed)"/

export function createReplyFilter({ own, keep }: Keeping): ReplyFilter {
  const ended = async (given: WireObject): Promise<WireObject> => {
    const response = { ...given, ...own }
    return keep === undefined || (await keep(response)) ? response : { ...response, store: false }
  }
  /** A line of an event's data with the response as it is now; undefined for any other line. */
  const changed = async (line: string): Promise<string | undefined> => {
    if (!line.startsWith("data:") || !holder.test(line)) return undefined
    const data = parse(line.slice(5))
    const response = data?.["response"]
    const isEnd = holders.get(isText(data?.["type"]) ? data["type"] : "")
    if (isEnd === undefined || !isObject(response)) return undefined
    return `data: ${JSON.stringify({ ...data, response: isEnd ? await ended(response) : { ...response, ...own } })}`
  }
  return {
    whole: async (text) => JSON.stringify(await ended(JSON.parse(text) as WireObject)),
    stream: (source) => filterEvents(source, changed),
  }
}

/** Every piece of a stream has whole events, and an event of this wire has its data on one line. */
function filterEvents(source: ByteSource, changed: (line: string) => Promise<string | undefined>): ByteSource {
  return {
    async pull() {
      const bytes = await source.pull()
      if (bytes === undefined) return undefined
      const text = decoder.decode(bytes)
      if (!holder.test(text)) return bytes
      const lines = text.split("\n")
      for (const [index, line] of lines.entries()) lines[index] = (await changed(line)) ?? line
      return encoder.encode(lines.join("\n"))
    },
    cancel: (reason) => source.cancel(reason),
  }
}

function parse(text: string): WireObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()
