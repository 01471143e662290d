// The log of rtr serve: which lines are written, and how they look.

import { type CallRecord, levelOf, type LogLevel, requestLine } from "rtr"
import { eventLine, type LogFormat } from "./event-line.ts"
import type { LogOutput } from "./log-output.ts"

const logLevels = ["debug", "info", "warning", "error"] as const satisfies readonly LogLevel[]

export interface LoggerOptions {
  readonly output: Pick<LogOutput, "write">
  readonly format: LogFormat
  readonly colours: boolean
  /** Lines of a lower level are left out. */
  readonly level: LogLevel
  /** Share of the lines of successful requests, from 0 to 1. */
  readonly sample: number
  readonly random?: () => number
}

export interface Logger {
  event(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void
  request(record: CallRecord): void
  /** A request that needed no routing; its fields are asked for when the line is written. */
  served(level: "debug" | "info", event: string, fields: () => Readonly<Record<string, unknown>>): void
}

export function createLogger(options: LoggerOptions): Logger {
  const { output, format, colours, level: least, sample, random = Math.random } = options
  const passes = (level: LogLevel): boolean => logLevels.indexOf(level) >= logLevels.indexOf(least)
  const passing = new Set(logLevels.filter(passes))
  const isSampled = (): boolean => sample >= 1 || random() < sample
  const event: Logger["event"] = (level, name, fields = {}) => {
    if (passing.has(level)) output.write(eventLine({ level, event: name, fields }, format, colours))
  }
  return {
    event,
    served(level, name, fields) {
      if (passing.has(level) && isSampled()) event(level, name, fields())
    },
    request(record) {
      const level = levelOf(record)
      if (passing.has(level) && (level !== "info" || isSampled()))
        output.write(requestLine(record, { format, colours }))
    },
  }
}
