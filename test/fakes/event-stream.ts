// Event streams as texts, and what is in them.

import type { ChatEvent, StreamWriter } from "rtr"

/** Data that tells the type of its event. */
export interface TypedEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** An event with its type as its name, as Messages and Responses have it. */
export const namedEvent = (data: TypedEvent): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** An event without a name. A text stands as it is, everything else as JSON. */
export const dataEvent = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** The data of each event; JSON is parsed. */
export function dataOf<Data = unknown>(text: string): readonly Data[] {
  return text.split("\n\n").flatMap((event) => {
    const data = event.match(/^data: (.*)$/m)?.[1]
    return data === undefined ? [] : [data.startsWith("{") ? JSON.parse(data) : data]
  })
}

/** The text that the events of chat completions say. */
export const textOfEvents = (events: readonly unknown[]): string =>
  events
    .flatMap((event) => (event as { choices?: { delta?: { content?: string } }[] }).choices ?? [])
    .map(({ delta }) => delta?.content ?? "")
    .join("")

/** What a dialect's writer sends for events that come one by one, and at their end. */
export function writtenBy(writer: StreamWriter, events: readonly ChatEvent[]): string {
  const decoder = new TextDecoder()
  return [...events.map((event) => writer.write([event])), writer.end()].map((bytes) => decoder.decode(bytes)).join("")
}
