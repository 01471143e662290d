// The soak of the gateway: good and hostile clients at the same time, and what the router holds minute by minute.

import type { SoakOptions } from "../options.ts"
import { type Column, type Outcome, runMinutes } from "../soak.ts"
import { type GatewayMinute, startGateway } from "./gateway.ts"
import { findProblems, type Limits } from "./problems.ts"

const columns: readonly Column<GatewayMinute>[] = [
  ["good", ({ good }) => good],
  ["streams", ({ streams }) => streams],
  ["hostile", ({ hostile }) => hostile],
  ["documents", ({ documents }) => documents],
  ["p99 ms", ({ p99Ms }) => Math.round(p99Ms)],
  ["health ms", ({ health }) => Math.round(health.slowestMs)],
  ["resident MiB", ({ residentMib }) => residentMib.toFixed(1)],
  ["live MiB", ({ liveMib }) => liveMib.toFixed(1)],
  ["descriptors", ({ descriptors }) => descriptors],
  ["handles", ({ handles }) => handles],
  ["worker MiB", ({ workerMib }) => workerMib.toFixed(1)],
]

/** The goals of an hour. Resident memory depends on when the collector gives pages back, so it has the widest one. */
const limits: Limits = { healthMs: 250, liveMib: 4, descriptors: 8, handles: 8, residentShare: 0.25, workerShare: 0.1 }

export async function soakGateway(options: SoakOptions): Promise<Outcome> {
  const gateway = await startGateway()
  const table = await runMinutes({ columns, load: () => gateway.load(options) }, options)
  const closing = await gateway.stop()
  const { growth, problems } = findProblems({ table, warmUp: options.warmUp, closing }, limits)
  const highest = (of: (minute: GatewayMinute) => number): number => Math.max(...table.map(of))
  const figures = {
    ...growth,
    healthSlowestMs: highest(({ health }) => health.slowestMs),
    p99Ms: highest(({ p99Ms }) => p99Ms),
  }
  return { figures, table, problems }
}
