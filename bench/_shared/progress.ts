// Says on standard error what is going on; standard output is for the report.

import { styleText } from "node:util"

const startedAt = performance.now()

export function say(message: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)
  process.stderr.write(`${styleText("dim", `${seconds} s`, { stream: process.stderr })}  ${message}\n`)
}
