// The loop of every writer of server-sent events: what nobody changed goes out as it came, the rest is built.

import type { ChatEvent, StreamWriter } from "../../../kernel/index.ts"
import { originalOf, type OriginalEvents } from "./original-events.ts"

/** How a dialect writes one stream; its texts go through `say`. */
export interface EventWriter extends Pick<StreamWriter, "error" | "kept"> {
  /** Whether the text of an original still fits here; it always does when this is left out. */
  fits?(original: OriginalEvents): boolean
  /** Keeps up with events whose text follows. */
  pass(original: OriginalEvents): void
  build(event: ChatEvent): void
  end(): void
}

/** A writer for one stream. */
export function createEventStreamWriter(
  dialect: string,
  open: (say: (text: string) => void) => EventWriter,
): StreamWriter {
  let out = ""
  const { fits, pass, build, end, error, kept } = open((text) => {
    out += text
  })
  const take = (): Uint8Array => {
    const bytes = encoder.encode(out)
    out = ""
    return bytes
  }
  return {
    write(events) {
      for (let at = 0; at < events.length;) {
        const event = events[at] as ChatEvent
        const original = originalOf(event, dialect)
        if (
          original?.events.every((each, index) => each === events[at + index]) === true &&
          fits?.(original) !== false
        ) {
          pass(original)
          out += original.text
          at += original.events.length
        } else {
          build(event)
          at += 1
        }
      }
      return take()
    },
    end() {
      end()
      return take()
    },
    ...(error !== undefined && { error }),
    ...(kept !== undefined && { kept }),
  }
}

const encoder = new TextEncoder()
