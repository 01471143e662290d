// Writes about events that may come in floods without filling the log.

const quietMs = 60_000

/**
 * Tells of the first event at once, and of those that follow with the next one after a minute. `count` is the number of events
 * since the last time, this one included.
 */
export function throttled<Subject = string>(
  tell: (subject: Subject, count: number) => void,
  now: () => number = () => performance.now(),
): (subject: Subject) => void {
  let toldAt = -Infinity
  let count = 0
  return (subject) => {
    count += 1
    if (now() - toldAt < quietMs) return
    tell(subject, count)
    toldAt = now()
    count = 0
  }
}
