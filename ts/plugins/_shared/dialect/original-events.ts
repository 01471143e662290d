// What the events of a stream were read from, so that those which nobody changed go out as they came.

import type { ChatEvent, WireObject } from "../../../kernel/index.ts"

/** What a run of canonical events was read from, kept at its first event. */
export interface OriginalEvents {
  /** Which one read them: the text means nothing to another. */
  readonly dialect: string
  /** The event's text with its blank line. */
  readonly text: string
  readonly events: readonly ChatEvent[]
  /** Its place in the stream and its data, for a dialect whose later events repeat earlier ones. */
  readonly place: number
  readonly data: WireObject | undefined
}
const originals = new WeakMap<ChatEvent, OriginalEvents>()

/** The original of this dialect that begins with the event. */
export function originalOf(event: ChatEvent, dialect: string): OriginalEvents | undefined {
  const original = originals.get(event)
  return original?.dialect === dialect ? original : undefined
}

/** Keeps the original at the first of its events, of which there is at least one. */
export function rememberOriginal(original: OriginalEvents): void {
  originals.set(original.events[0] as ChatEvent, original)
}
