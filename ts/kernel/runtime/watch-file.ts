// Notices that a file has changed, however it was written: in place, by a rename, or behind a link as Kubernetes does it.

import { type FSWatcher, watch } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname } from "node:path"

/** Editors write a file in several steps; a change counts when nothing more has happened for so long. */
const quietMs = 100
/** Other files of the folder may change all the time; the file is read after so long at the latest. */
const maxWaitMs = 1000

export interface FileWatch {
  close(): void
}

/** Calls back with the new text. A file that cannot be read at the moment is read again at its next change. */
export function watchFile(
  path: string,
  before: string,
  onChange: (text: string) => void,
  onError: (error: Error) => void,
): FileWatch {
  let known = before
  let timer: ReturnType<typeof setTimeout> | undefined
  let closed = false
  const read = async (): Promise<void> => {
    let text: string
    try {
      text = await readFile(path, "utf8")
    } catch (error) {
      // In the middle of being replaced; a file that stays away is somebody's mistake.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") onError(error as Error)
      return
    }
    if (closed || text === known) return
    known = text
    onChange(text)
  }
  let waitingSince: number | undefined
  const later = (): void => {
    const now = performance.now()
    waitingSince ??= now
    clearTimeout(timer)
    const waitMs = Math.max(0, Math.min(quietMs, waitingSince + maxWaitMs - now))
    timer = setTimeout(() => {
      waitingSince = undefined
      void read()
    }, waitMs)
    timer.unref()
  }
  // The folder is watched, because a watch on the file itself ends with the file that a rename replaces.
  const watcher: FSWatcher = watch(dirname(path), { persistent: false }, later)
  watcher.on("error", onError)
  return {
    close() {
      closed = true
      clearTimeout(timer)
      watcher.close()
    },
  }
}
