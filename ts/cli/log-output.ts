// Where log lines go: many in one write, never waited for. A reader that is gone or slow costs lines, not requests.

import { fstatSync, write, writeSync } from "node:fs"

export interface LogOutput {
  write(line: string): void
  /** Waits a moment for what is on its way; false when its reader takes longer. */
  close(withinMs: number): Promise<boolean>
}

/** Takes lines and says when they are written, or why they are not. */
export type LogSink = (bytes: Buffer, done: (error?: Error | null) => void) => void

export interface LogOutputOptions {
  readonly sink: LogSink
  /** The line that tells how many were lost, once there is somebody to read it. */
  readonly lost: (lines: number) => string
  /** Lines of this time leave in one write. */
  readonly everyMs?: number
  /** Bytes that wait for a slow reader at most. */
  readonly maxWaiting?: number
  /** Writes what is left when the process ends. */
  readonly sinkNow?: (bytes: Buffer) => void
}

/** What the lines of one write usually take at most. */
const usualBytes = 64 * 1024

const lineEnd = 10

/** Lines that wait, as bytes. As texts, collecting them as garbage would cost more than making them. */
class WaitingLines {
  #bytes = Buffer.allocUnsafe(usualBytes)
  bytes = 0
  lines = 0

  add(line: string): void {
    const most = this.bytes + 3 * line.length + 1
    if (most > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(most, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, this.bytes)
      this.#bytes = larger
    }
    this.bytes += this.#bytes.write(line, this.bytes)
    this.#bytes[this.bytes++] = lineEnd
    this.lines += 1
  }

  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.bytes)
    this.#bytes = Buffer.allocUnsafe(usualBytes)
    this.bytes = 0
    this.lines = 0
    return taken
  }
}

export function createLogOutput(options: LogOutputOptions): LogOutput {
  const { sink, lost, everyMs = 20, maxWaiting = 4 * 1024 * 1024, sinkNow } = options
  const waiting = new WaitingLines()
  let dropped = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> | undefined

  const take = (): Buffer => {
    const bytes = waiting.take()
    return dropped === 0 ? bytes : Buffer.concat([Buffer.from(`${lost(dropped)}\n`), bytes])
  }
  const flush = (): void => {
    timer = undefined
    if (writing !== undefined || waiting.lines === 0) return
    const [before, taken] = [dropped, waiting.lines]
    const bytes = take()
    writing = new Promise((resolve) => {
      sink(bytes, (error) => {
        writing = undefined
        if (error == null) dropped -= before
        else dropped += taken
        resolve()
        if (waiting.lines > 0) schedule()
      })
    })
  }
  const schedule = (): void => {
    // It must not keep the process; what it has not written then is written by `onExit`.
    timer ??= setTimeout(flush, everyMs).unref()
  }
  const onExit = (): void => {
    if (waiting.lines > 0) sinkNow?.(take())
  }
  if (sinkNow !== undefined) process.once("exit", onExit)

  return {
    write(line) {
      if (waiting.bytes + line.length > maxWaiting) {
        dropped += 1
        return
      }
      waiting.add(line)
      if (timer === undefined && writing === undefined) schedule()
    },
    async close(withinMs) {
      let late: ReturnType<typeof setTimeout> | undefined
      const isLate = new Promise<false>((resolve) => (late = setTimeout(() => resolve(false), withinMs)))
      const drained = async (): Promise<true> => {
        clearTimeout(timer)
        flush()
        await writing
        return waiting.lines === 0 ? true : drained()
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
    sink: isFile ? writeFile(stderr.fd) : (bytes, done) => void stderr.write(bytes, done),
    sinkNow(bytes) {
      try {
        writeSync(stderr.fd, bytes)
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
  (bytes, done) => {
    const from = (start: number): void =>
      write(fd, bytes, start, bytes.length - start, null, (error, written) => {
        if (error === null && written > 0 && start + written < bytes.length) from(start + written)
        else done(error)
      })
    from(0)
  }
