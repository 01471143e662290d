// Writes about events that may come in floods without filling the log.

/** One event of a kind, with how many there were since the last one that was told of, itself included. */
export type Tell<Event> = (event: Event, count: number) => void

export interface Throttled<Event> {
  /** Tells of the first event of a kind at once, and of those that follow together, with the last one of them. */
  (kind: string, event: Event): void
  /** Tells of what is waiting. */
  end(): void
}

interface Window<Event> {
  waiting: number
  last: Event | undefined
  timer: ReturnType<typeof setTimeout>
}

/** Kinds come from names of the document and from codes, so that there are few of them. */
export function throttled<Event>(tell: Tell<Event>, everyMs = 5000): Throttled<Event> {
  const windows = new Map<string, Window<Event>>()
  const open = (kind: string): Window<Event> => {
    const timer = setTimeout(() => close(kind), everyMs)
    // A count that waits must not keep the process.
    timer.unref()
    const window = { waiting: 0, last: undefined, timer }
    windows.set(kind, window)
    return window
  }
  const close = (kind: string): void => {
    const { waiting, last } = windows.get(kind) as Window<Event>
    windows.delete(kind)
    if (waiting === 0) return
    open(kind)
    tell(last as Event, waiting)
  }
  const take = (kind: string, event: Event): void => {
    const window = windows.get(kind)
    if (window === undefined) {
      open(kind)
      return tell(event, 1)
    }
    window.waiting += 1
    window.last = event
  }
  return Object.assign(take, {
    end() {
      for (const [kind, { timer, waiting, last }] of windows) {
        clearTimeout(timer)
        windows.delete(kind)
        if (waiting > 0) tell(last as Event, waiting)
      }
    },
  })
}
