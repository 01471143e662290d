// Where log lines go: many in one write, never waited for. A reader that is gone or slow costs lines, not requests.

import { fstatSync, write, writeSync } from "node:fs"

export interface LogOutput {
  write(line: string): void
  /** Waits a moment for what is on its way; false when its reader takes longer. */
  close(withinMs: number): Promise<boolean>
}

/** Takes one text and says when it is written, or why it is not. */
export type LogSink = (text: string, done: (error?: Error | null) => void) => void

export interface LogOutputOptions {
  readonly sink: LogSink
  /** The line that tells how many were lost, once there is somebody to read it. */
  readonly lost: (lines: number) => string
  /** Lines of this time leave in one write. */
  readonly everyMs?: number
  /** Characters that wait for a slow reader at most. */
  readonly maxWaiting?: number
  /** Writes what is left when the process ends. */
  readonly sinkNow?: (text: string) => void
}

export function createLogOutput(options: LogOutputOptions): LogOutput {
  const { sink, lost, everyMs = 20, maxWaiting = 4 * 1024 * 1024, sinkNow } = options
  let waiting = ""
  let lines = 0
  let dropped = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> | undefined

  const take = (): string => {
    const text = dropped === 0 ? waiting : `${lost(dropped)}\n${waiting}`
    waiting = ""
    lines = 0
    return text
  }
  const flush = (): void => {
    timer = undefined
    if (writing !== undefined || waiting === "") return
    const [before, taken] = [dropped, lines]
    const text = take()
    writing = new Promise((resolve) => {
      sink(text, (error) => {
        writing = undefined
        if (error == null) dropped -= before
        else dropped += taken
        resolve()
        if (waiting !== "") schedule()
      })
    })
  }
  const schedule = (): void => {
    // It must not keep the process; what it has not written then is written by `onExit`.
    timer ??= setTimeout(flush, everyMs).unref()
  }
  const onExit = (): void => {
    if (waiting !== "") sinkNow?.(take())
  }
  if (sinkNow !== undefined) process.once("exit", onExit)

  return {
    write(line) {
      if (waiting.length + line.length > maxWaiting) {
        dropped += 1
        return
      }
      waiting += `${line}\n`
      lines += 1
      if (timer === undefined && writing === undefined) schedule()
    },
    async close(withinMs) {
      let late: ReturnType<typeof setTimeout> | undefined
      const isLate = new Promise<false>((resolve) => (late = setTimeout(() => resolve(false), withinMs)))
      const drained = async (): Promise<true> => {
        clearTimeout(timer)
        flush()
        await writing
        return waiting === "" ? true : drained()
      }
      const isDrained = await Promise.race([drained(), isLate])
      clearTimeout(late)
      return isDrained
    },
  }
}

/** Standard error. What its reader does must not end the process. */
export function standardError(lost: LogOutputOptions["lost"]): LogOutput {
  const { stderr } = process
  const isFile = fstatSync(stderr.fd).isFile()
  return createLogOutput({
    // A file is written by another thread: Node's own stream would wait for the disk. Everything else does not wait.
    sink: isFile ? writeFile(stderr.fd) : (text, done) => void stderr.write(text, done),
    sinkNow(text) {
      try {
        writeSync(stderr.fd, text)
      } catch {
        // Nobody reads it.
      }
    },
    lost,
  })
}

/** A disk may take a part only; the rest is tried once more, which says why. */
const writeFile =
  (fd: number): LogSink =>
  (text, done) => {
    const bytes = Buffer.from(text)
    const from = (start: number): void =>
      write(fd, bytes, start, bytes.length - start, null, (error, written) => {
        if (error === null && written > 0 && start + written < bytes.length) from(start + written)
        else done(error)
      })
    from(0)
  }
