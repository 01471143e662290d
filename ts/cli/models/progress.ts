// Progress of downloads on standard error: one line that changes on a terminal, a line every few seconds elsewhere.

interface Progress {
  readonly repository: string
  readonly receivedBytes: number
  readonly totalBytes: number
}

export interface ProgressLine {
  readonly onProgress: (progress: Progress) => void
  readonly onNotice: (message: string) => void
  /** Ends the changing line. */
  readonly end: () => void
}

const terminalEveryMs = 200
const otherwiseEveryMs = 5000

/** Short work passes without a line: what is there already, and small files. */
export function createProgressLine(
  stream: Pick<NodeJS.WriteStream, "write" | "isTTY"> = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  const begun = now()
  const everyMs = stream.isTTY ? terminalEveryMs : otherwiseEveryMs
  let last = begun
  let isOpen = false
  const end = (): void => {
    if (isOpen) stream.write("\n")
    isOpen = false
  }
  return {
    onProgress(progress) {
      if (now() - last < everyMs) return
      last = now()
      const text = describe(progress, (last - begun) / 1000)
      // To the start of the line, and the rest of the old text cleared.
      stream.write(stream.isTTY ? `\r${text}\u001B[K` : `${text}\n`)
      isOpen = stream.isTTY
    },
    onNotice(message) {
      end()
      stream.write(`${message}\n`)
    },
    end,
  }
}

function describe({ repository, receivedBytes, totalBytes }: Progress, seconds: number): string {
  const share = totalBytes === 0 ? 0 : Math.floor((receivedBytes / totalBytes) * 100)
  return `Fetching ${repository}: ${megabytes(receivedBytes)} of ${megabytes(totalBytes)} MB (${share} %), ${Math.round(seconds)} s`
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
