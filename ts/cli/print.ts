// What commands write: results to standard output, everything else to standard error.

import { styleText } from "node:util"

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  printLine(JSON.stringify(value, null, 2))
}

export function printError(message: string, hint?: string): void {
  process.stderr.write(
    `${styleText("red", "Error:", { stream: process.stderr })} ${message}\n${hint === undefined ? "" : `Hint: ${hint}\n`}`,
  )
}

export function printWarning(message: string): void {
  process.stderr.write(`${styleText("yellow", "Warning:", { stream: process.stderr })} ${message}\n`)
}

export function heading(text: string): string {
  return styleText("bold", text, { stream: process.stdout })
}

/** Columns padded to their widest cell; the last one is left ragged. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + " ".repeat((widths[column] ?? 0) - width(cell)),
      )
      .join("  ")
      .trimEnd()
  return [heading(line(header)), ...rows.map(line)].join("\n")
}

/** Terminal columns of a text: characters of East Asian scripts take two. */
export function width(text: string): number {
  return [...text].reduce(
    (sum, character) =>
      sum +
      (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u{FF01}-\u{FF60}]/u.test(character)
        ? 2
        : 1),
    0,
  )
}
