// What a resting router holds: memory after a forced collection, open files, and whatever else keeps its event loop busy.

import { readdirSync } from "node:fs"
import type { Inspector } from "../../_shared/inspector.ts"
import { childrenOf, rssMibOf } from "../../_shared/server-process.ts"

export interface RouterState {
  /** Memory of the router alone, as the system counts it. It depends on when memory was given back, so it has noise. */
  readonly residentMib: number
  /** What is alive in its heap after a forced collection, with the buffers outside the heap that belong to it. */
  readonly liveMib: number
  /** Entries of /proc/PID/fd: files, sockets, pipes. */
  readonly descriptors: number
  /** Resources that keep the event loop of Node alive: sockets, timers, running requests. */
  readonly handles: number
  readonly workerMib: number
  /** Process ids of the workers. */
  readonly workers: readonly number[]
}

export async function readRouterState(pid: number, inspector: Inspector): Promise<RouterState> {
  // Finalizers run behind the first collection; what they let go is collected by the second.
  for (let time = 0; time < 2; time += 1) await inspector.send("HeapProfiler.collectGarbage")
  const memory = (await evaluate(inspector, "process.memoryUsage()")) as NodeJS.MemoryUsage
  const handles = (await evaluate(inspector, "process.getActiveResourcesInfo()")) as readonly string[]
  const workers = childrenOf(pid)
  return {
    residentMib: rssMibOf(pid),
    liveMib: (memory.heapUsed + memory.external) / 2 ** 20,
    descriptors: descriptorsOf(pid),
    handles: handles.length,
    workerMib: workers.reduce((sum, worker) => sum + rssMibOf(worker), 0),
    workers,
  }
}

export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

async function evaluate(inspector: Inspector, expression: string): Promise<unknown> {
  const { result } = (await inspector.send("Runtime.evaluate", { expression, returnByValue: true })) as {
    readonly result: { readonly value?: unknown }
  }
  return result.value
}
