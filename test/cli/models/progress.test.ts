import { expect, test } from "vitest"
import { createProgressLine } from "../../../ts/cli/models/progress.ts"

function record(isTTY: boolean): {
  written: string[]
  at: (milliseconds: number) => void
  line: ReturnType<typeof createProgressLine>
} {
  const written: string[] = []
  let now = 0
  const stream = { isTTY, write: (text: string) => written.push(text) > 0 }
  return { written, at: (milliseconds) => (now = milliseconds), line: createProgressLine(stream, () => now) }
}

const half = { repository: "org/model", receivedBytes: 5_000_000, totalBytes: 10_000_000 }

test("a terminal has one line that changes, and messages of their own", () => {
  const { written, at, line } = record(true)
  line.onProgress(half)
  at(1000)
  line.onProgress(half)
  line.onProgress(half)
  at(2000)
  line.onProgress({ ...half, receivedBytes: 10_000_000 })
  line.onNotice("waiting")
  line.end()
  expect(written).toEqual([
    "\rFetching org/model: 5.0 of 10.0 MB (50 %), 1 s\u001B[K",
    "\rFetching org/model: 10.0 of 10.0 MB (100 %), 2 s\u001B[K",
    "\n",
    "waiting\n",
  ])
})

test("elsewhere a line comes every few seconds", () => {
  const { written, at, line } = record(false)
  for (let now = 0; now <= 11_000; now += 500) {
    at(now)
    line.onProgress(half)
  }
  line.end()
  expect(written).toEqual([
    "Fetching org/model: 5.0 of 10.0 MB (50 %), 5 s\n",
    "Fetching org/model: 5.0 of 10.0 MB (50 %), 10 s\n",
  ])
})
