// Counts what happened lately, in slots of time that are forgotten one after the other.

const slots = 10

export interface RecentCount {
  add(): void
  readonly total: () => number
}

/** Counts the last `windowMs` milliseconds; `now` is in milliseconds and never runs backwards. */
export function createRecentCount(windowMs: number, now: () => number): RecentCount {
  const slotMs = windowMs / slots
  const counts = Array.from({ length: slots }, () => 0)
  let latest = Math.floor(now() / slotMs)
  let sum = 0
  const forget = (): void => {
    const slot = Math.floor(now() / slotMs)
    for (let gone = Math.min(slot - latest, slots); gone > 0; gone--) {
      const at = (slot - gone + 1) % slots
      sum -= counts[at] as number
      counts[at] = 0
    }
    latest = slot
  }
  return {
    add() {
      forget()
      const at = latest % slots
      counts[at] = (counts[at] as number) + 1
      sum += 1
    },
    total() {
      forget()
      return sum
    },
  }
}
