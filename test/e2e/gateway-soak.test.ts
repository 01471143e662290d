import { expect, test } from "vitest"
import { startGateway } from "../../bench/soak/gateway/gateway.ts"
import { findProblems } from "../../bench/soak/gateway/problems.ts"

test("half a minute of good and hostile clients leaves the router as it was, and fails no good request", async () => {
  const gateway = await startGateway()
  // Rejects at the first wrong reply to a good client. In the warm-up everything is loaded and compiled once.
  const table = [
    await gateway.load({ seconds: 14, connections: 4 }),
    await gateway.load({ seconds: 8, connections: 4 }),
    await gateway.load({ seconds: 8, connections: 4 }),
  ]
  const closing = await gateway.stop()

  // Much wider than the goals of the hour: the heap of a young process still grows, and others use this machine.
  const limits = { healthMs: 5000, liveMib: 6, descriptors: 10, handles: 10, residentShare: 0.5, workerShare: 0.2 }
  expect(findProblems({ table, warmUp: 1, closing }, limits).problems).toEqual([])
  expect(table.every(({ good, streams, hostile }) => good > 0 && streams > 0 && hostile > 0)).toBe(true)
}, 120_000)
