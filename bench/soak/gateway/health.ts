// Starts the process that polls /health, and asks it for its figures.

import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { node } from "../../_shared/server-process.ts"

export interface HealthFigures {
  readonly polls: number
  /** Polls without a whole reply of status 200. */
  readonly failures: number
  /** The longest that a poll waited for its reply. */
  readonly slowestMs: number
}

export interface HealthPoll {
  /** Figures since the last call. */
  take(): Promise<HealthFigures>
  stop(): void
}

export function startHealthPoll(port: number): HealthPoll {
  const child = fork(join(import.meta.dirname, "health-poll.ts"), [String(port)], { execPath: node, execArgv: [] })
  return {
    async take() {
      child.send("take")
      const [figures] = (await once(child, "message")) as [HealthFigures]
      return figures
    },
    stop: () => child.disconnect(),
  }
}
