// Asks /health of a router every 20 ms, in a process of its own: the load generator's pauses must not look like the router's.
// Arguments: the port. Each message is answered with what was seen since the last one.

import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { HealthFigures } from "./health.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let seen = { polls: 0, failures: 0, slowestMs: 0 }
let askedAt = 0

process.on("message", () => {
  // A poll that still waits counts with its age.
  if (askedAt > 0) seen.slowestMs = Math.max(seen.slowestMs, performance.now() - askedAt)
  process.send?.(seen satisfies HealthFigures)
  seen = { polls: 0, failures: 0, slowestMs: 0 }
})
process.on("disconnect", () => process.exit(0))

for (;;) {
  askedAt = performance.now()
  const isHealthy = await poll()
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - askedAt)
  askedAt = 0
  seen.polls += 1
  if (!isHealthy) seen.failures += 1
  await sleep(20)
}

function poll(): Promise<boolean> {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port: Number(process.argv[2]), path: "/health", agent }, (response) => {
      response.resume()
      response.on("close", () => resolve(response.statusCode === 200 && response.complete))
    })
      .on("error", () => resolve(false))
      .end()
  })
}
