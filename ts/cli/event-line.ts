// One event of a long-running command as a line: JSON for programs, short words for a terminal.

import { type LogLevel, timeText } from "rtr"

export type LogFormat = "json" | "text"

export interface LogEvent {
  readonly level: LogLevel
  readonly event: string
  /** Names and numbers, never content. Undefined ones are left out. */
  readonly fields: Readonly<Record<string, unknown>>
}

export function eventLine({ level, event, fields }: LogEvent, format: LogFormat, colours: boolean): string {
  const time = timeText(Date.now())
  if (format === "json") return JSON.stringify({ time, level, event, ...fields })
  const paint = (code: number, text: string): string => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${paint(2, `${name}=`)}${shownValue(value)}`],
  )
  return [paint(2, time.slice(11, 23)), paint(colourOf[level], level), event, ...parts].join("  ")
}

const colourOf: Readonly<Record<LogLevel, number>> = { debug: 2, info: 36, warning: 33, error: 31 }

/** Messages may have line ends, and values what a terminal obeys. */
function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null")
  return text.replaceAll(/[^\P{C}\n]+/gu, "?").replaceAll("\n", "\n    ")
}
