// Notices that a file has changed, however it was written: in place, by a rename, or behind a link as Kubernetes does it.

import { type FSWatcher, watch } from "node:fs"
import { dirname } from "node:path"
import { readConfigFile } from "./load-config.ts"

/** Editors write a file in several steps; a change counts when nothing more has happened for so long. */
const quietMs = 100
/** Other files of the folder may change all the time; the file is read after so long at the latest. */
const maxWaitMs = 1000
/** A file is away for a moment while it is replaced; one that stays away so long is somebody's mistake. */
const awayMs = 1000

export interface FileWatch {
  close(): void
}

export interface FileListener {
  onChange(text: string): void
  /** Told once, until the file can be read again. */
  onUnreadable(error: Error): void
  onReadable(): void
}

/** Tells of new texts. A file that cannot be read at the moment is read again at the next change. */
export function watchFile(path: string, before: string, listener: FileListener): FileWatch {
  let known = before
  let timer: ReturnType<typeof setTimeout> | undefined
  let awayTimer: ReturnType<typeof setTimeout> | undefined
  let isToldUnreadable = false
  let closed = false
  const fail = (error: Error): void => {
    if (isToldUnreadable) return
    isToldUnreadable = true
    listener.onUnreadable(error)
  }
  const read = (isAwayAllowed: boolean): void => {
    if (closed) return
    let text: string
    try {
      text = readConfigFile(path)
    } catch (error) {
      if (!isAwayAllowed) return fail(error as Error)
      awayTimer ??= setTimeout(() => {
        awayTimer = undefined
        read(false)
      }, awayMs).unref()
      return
    }
    clearTimeout(awayTimer)
    awayTimer = undefined
    if (isToldUnreadable) {
      isToldUnreadable = false
      listener.onReadable()
    }
    if (text === known) return
    known = text
    listener.onChange(text)
  }
  let waitingSince: number | undefined
  const later = (): void => {
    const now = performance.now()
    waitingSince ??= now
    clearTimeout(timer)
    const waitMs = Math.max(0, Math.min(quietMs, waitingSince + maxWaitMs - now))
    timer = setTimeout(() => {
      waitingSince = undefined
      read(true)
    }, waitMs)
    timer.unref()
  }
  // The folder is watched, because a watch on the file itself ends with the file that a rename replaces.
  const watcher: FSWatcher = watch(dirname(path), { persistent: false }, later)
  watcher.on("error", fail)
  return {
    close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(awayTimer)
      watcher.close()
    },
  }
}
