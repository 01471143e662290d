// Begins the requests of a process, so that a thousand that come at once do not fill one turn of the event loop.

/** Requests begin for this long in one turn of the event loop; the others begin one by one in the turns behind it. */
const beginMs = 10

const waiting: (() => void)[] = []
let turnStartedAt: number | undefined

/** Begins a request now or, when this turn has taken long, in a later one. */
export function beginInTime(begin: () => void): void {
  if (waiting.length === 0 && hasTime()) return begin()
  waiting.push(begin)
  if (waiting.length === 1) setImmediate(beginNext)
}

/** What the requests before did in this turn counts, and not their beginning alone. */
function hasTime(): boolean {
  if (turnStartedAt !== undefined) return performance.now() - turnStartedAt < beginMs
  turnStartedAt = performance.now()
  setImmediate(endTurn)
  return true
}

function endTurn(): void {
  turnStartedAt = undefined
}

function beginNext(): void {
  const begin = waiting.shift()
  // First, so that nothing that goes wrong in this one keeps the others waiting.
  if (waiting.length > 0) setImmediate(beginNext)
  begin?.()
}
