import { expect, test } from "vitest"
import { createErrorLog } from "../../ts/cli/error-log.ts"

test("what ends the process is told at once, behind what waits, and without what it quotes", () => {
  const events: unknown[] = []
  const log = createErrorLog({ event: (level, event, fields) => events.push({ level, event, ...fields }) })
  const quoting = (text: string) => new Error(`cannot read: ${text}`)
  const secret = String.fromCharCode(83, 69, 67)
  for (const _ of [1, 2, 3]) log.onInternalError(quoting(secret), "unknown")
  log.onCrash(quoting(secret))
  const line = { level: "error", event: "internal_error", request_id: "unknown", message: "cannot read: […]" }
  const at = expect.stringMatching(/error-log\.test\.ts:7:\d+$/) as unknown
  expect(events).toMatchObject([
    { ...line, at },
    { ...line, at, times: 2 },
    { ...line, at },
  ])
  expect(JSON.stringify(events)).not.toContain(secret)
})
