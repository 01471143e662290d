// The log of rtr serve, on standard error.

import type { CallRecord, LogLevel, UnroutedRequest } from "rtr"
import { createErrorLog, type ErrorLog } from "./error-log.ts"
import { eventLine, type LogFormat } from "./event-line.ts"
import { standardError } from "./log-output.ts"
import { createLogger, type Logger } from "./logger.ts"
import { ignoreGoneReader } from "./program.ts"
import { createRequestLog } from "./request-log.ts"

export interface LogOptions {
  readonly logFormat: LogFormat | "auto"
  readonly logLevel: LogLevel
  readonly logSample: number
}

export interface ServeLog {
  readonly logger: Logger
  readonly onRecord: (record: CallRecord) => void
  readonly onUnrouted: (request: UnroutedRequest) => void
  readonly onInternalError: ErrorLog["onInternalError"]
  readonly onCrash: ErrorLog["onCrash"]
  /** Writes what waits. The process ends here when nobody reads it: the pipe would hold it for ever. */
  close(): Promise<void>
}

/** A reader that does not read holds the end of the process up for this long. */
const closeMs = 1000

export function openLog({ logFormat, logLevel: level, logSample: sample }: LogOptions): ServeLog {
  const { stdout, stderr } = process
  // Other commands fail when their output is lost. A full disk is no reason to stop serving.
  for (const stream of [stdout, stderr]) stream.off("error", ignoreGoneReader).on("error", () => {})
  const format = logFormat === "auto" ? (stderr.isTTY ? "text" : "json") : logFormat
  const colours = stderr.isTTY && stderr.hasColors()
  const output = standardError((lines) =>
    eventLine({ level: "warning", event: "log_lines_lost", fields: { lines } }, format, colours),
  )
  const logger = createLogger({ output, format, colours, level, sample })
  const requests = createRequestLog(logger)
  const errors = createErrorLog(logger)
  return {
    logger,
    onRecord: requests.onRecord,
    onUnrouted: requests.onUnrouted,
    onInternalError: errors.onInternalError,
    onCrash: errors.onCrash,
    async close() {
      requests.end()
      errors.end()
      if (!(await output.close(closeMs))) process.exit()
    },
  }
}
