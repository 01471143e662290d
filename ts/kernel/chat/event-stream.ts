// Server-sent events: framing on the way in, with bounds, and on the way out. For every dialect that streams them.

import { type RtrError, upstreamFault } from "../error.ts"

/** One event, or a run of comment lines, between two blank lines. */
export interface ServerSentEvent {
  /** Its `data` lines, joined by line breaks; undefined for one without data, such as a comment. */
  readonly data: string | undefined
  /** Where it begins and ends in the batch's text, with its blank line. */
  readonly start: number
  readonly end: number
}

/** The events that one read completed. */
export interface EventBatch {
  readonly events: readonly ServerSentEvent[]
  readonly text: string
  /** The bytes of `text`, exactly as they came; a view of the bytes that were read where that is possible. */
  readonly bytes: Uint8Array
}

export interface EventSplitter {
  /**
   * The events that these bytes completed; undefined when there are none. Throws `upstream_error` for an event past
   * `maxEventBytes`; events before it are returned first, and the next call throws.
   */
  push(bytes: Uint8Array): EventBatch | undefined
  /** What follows the last blank line, as if it had one. */
  end(): EventBatch | undefined
}

/** An event may be large (an image as base64), but a line without end must not fill the memory. */
export const maxEventBytes = 4 * 1024 * 1024

/** Groups the pieces of a body into whole events. */
export function createEventSplitter(): EventSplitter {
  let rest = none
  let used = 0
  let tooLarge = false
  let atStart = true
  const splitter: EventSplitter = {
    push(piece) {
      if (tooLarge) throw largeEvent()
      let bytes = piece
      if (used > 0) {
        rest = append(rest, used, piece)
        bytes = rest.subarray(0, used + piece.length)
      }
      // Only the new piece can complete an event; a boundary may begin up to three bytes before it.
      const end = lastBoundary(bytes, Math.max(0, used - 3))
      const left = bytes.length - end
      const whole = used > 0 ? bytes.slice(0, end) : left === 0 ? bytes : bytes.subarray(0, end)
      if (left === 0) rest = none
      else if (end > 0 || used === 0) rest = bytes.slice(end)
      used = left
      tooLarge = used > maxEventBytes
      if (end === 0) {
        if (tooLarge) throw largeEvent()
        return undefined
      }
      const text = decoder.decode(whole)
      const events = eventsIn(text, atStart && text.charCodeAt(0) === byteOrderMark ? 1 : 0)
      atStart = false
      if (end <= maxEventBytes) return { events, text, bytes: whole }
      const large = events.findIndex((event) => sizeOf(event, text) > maxEventBytes)
      if (large < 0) return { events, text, bytes: whole }
      tooLarge = true
      if (large === 0) throw largeEvent()
      return upTo({ events, text, bytes: whole }, large)
    },
    end: () => (used === 0 ? undefined : splitter.push(encoder.encode("\n\n"))),
  }
  return splitter
}

/** The first `count` events of a batch. */
export function upTo({ events, text, bytes }: EventBatch, count: number): EventBatch {
  if (count === events.length) return { events, text, bytes }
  const kept = text.slice(0, events[count]?.start)
  return { events: events.slice(0, count), text: kept, bytes: bytes.subarray(0, endOfLine(bytes, linesIn(kept))) }
}

/** Line feeds are the same in text and bytes; other characters may have been replaced in the text, where they were no UTF-8. */
function linesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1
  return count
}

/** The position behind this many lines. */
function endOfLine(bytes: Uint8Array, lines: number): number {
  let end = 0
  for (let left = lines; left > 0; left--) end = bytes.indexOf(lineFeed, end) + 1
  return end
}

/** One event with this data. */
export function writeEvent(data: string): Uint8Array {
  return encoder.encode(`data: ${data}\n\n`)
}

const none: Uint8Array = new Uint8Array(0)
const byteOrderMark = 0xfeff
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const encoder = new TextEncoder()

const largeEvent = (): RtrError => upstreamFault(`an event of the stream is larger than ${maxEventBytes} bytes`)

/** Bytes of an event without its blank line. */
const sizeOf = ({ start, end }: ServerSentEvent, text: string): number =>
  encoder.encode(text.slice(start, end).trimEnd()).length

/** Appends in place where there is room, and otherwise doubles, so that a line that comes byte by byte costs linear time. */
function append(buffer: Uint8Array, used: number, piece: Uint8Array): Uint8Array {
  const needed = used + piece.length
  let target = buffer
  if (needed > buffer.length) {
    target = new Uint8Array(Math.max(needed, buffer.length * 2))
    target.set(buffer.subarray(0, used))
  }
  target.set(piece, used)
  return target
}

const lineFeed = 10
const carriageReturn = 13

/** Position after the last blank line at or behind `from`, or 0. */
function lastBoundary(bytes: Uint8Array, from: number): number {
  for (let index = bytes.length - 1; index >= from; index--) {
    if (bytes[index] !== lineFeed) continue
    const before = bytes[index - 1] === carriageReturn ? index - 2 : index - 1
    if (bytes[before] === lineFeed) return index + 1
  }
  return 0
}

/** The events of a text that ends with a blank line. */
function eventsIn(text: string, from: number): ServerSentEvent[] {
  const events: ServerSentEvent[] = []
  let start = from
  let data: string | undefined
  let at = from
  while (at < text.length) {
    const feed = text.indexOf("\n", at)
    const end = text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed
    if (end <= at) {
      // Blank lines beyond the first belong to the event before them.
      if (at > start) events.push({ data, start, end: feed + 1 })
      else if (events.length > 0) events.push({ ...(events.pop() as ServerSentEvent), end: feed + 1 })
      start = events.length > 0 ? feed + 1 : from
      data = undefined
    } else if (text.startsWith("data:", at)) {
      const line = text.slice(text.charCodeAt(at + 5) === 32 ? at + 6 : at + 5, end)
      data = data === undefined ? line : `${data}\n${line}`
    }
    at = feed + 1
  }
  return events
}
