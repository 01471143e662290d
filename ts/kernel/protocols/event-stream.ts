// Server-sent events: framing on the way in, with bounds, and on the way out.

import { RtrError } from "../error.ts"

/** Events that one read completed, and their bytes exactly as they came. */
export interface EventBatch {
  /** The `data` of each event; its lines are joined by line breaks. Events without data (comments) are left out. */
  readonly data: readonly string[]
  readonly bytes: Uint8Array
}

/** An event may be large (an image as base64), but a line without end must not fill the memory. */
export const maxEventBytes = 4 * 1024 * 1024

/**
 * Groups pieces of a body into whole events. Rejects with `upstream_error` for an event past `maxEventBytes`.
 * Bytes after the last blank line are not passed on: an event that was cut is no event.
 */
export async function* readEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<EventBatch> {
  let rest: Uint8Array = new Uint8Array(0)
  let used = 0
  for await (const piece of pieces) {
    let bytes = piece
    if (used > 0) {
      rest = append(rest, used, piece)
      bytes = rest.subarray(0, used + piece.length)
    }
    // Only the new piece can complete an event; a boundary may begin up to three bytes before it.
    const end = lastBoundary(bytes, Math.max(0, used - 3))
    const whole = used > 0 ? bytes.slice(0, end) : bytes.subarray(0, end)
    rest = end === 0 && used > 0 ? rest : bytes.slice(end)
    used = bytes.length - end
    if (used > maxEventBytes)
      throw new RtrError("upstream_error", `an event of the stream is larger than ${maxEventBytes} bytes`)
    if (end > 0) yield { data: dataOf(decoder.decode(whole)), bytes: whole }
  }
}

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

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** One event with this data. */
export function writeEvent(data: string): Uint8Array {
  return encoder.encode(`data: ${data}\n\n`)
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

function dataOf(text: string): readonly string[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const lines = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(line.charCodeAt(5) === 32 ? 6 : 5)] : []))
    return lines.length === 0 ? [] : [lines.join("\n")]
  })
}
