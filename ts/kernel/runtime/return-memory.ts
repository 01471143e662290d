// Gives memory back to the system after a time of large requests. Node collects garbage when it needs room, and never while idle.

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { HeldMemory } from "../http/held-memory.ts"

/** How often the memory is looked at. */
const lookMs = 10_000

/** Parts of the budget: so much was held since the last time, and so little is held now. */
const much = 1 / 8
const little = 1 / 50

/**
 * Collects garbage once when requests held much and hold little now. That takes as long as what is in use, 20 to 100 ms, so it
 * waits for a quiet moment. Returns what ends it.
 */
export function returnMemory(
  memory: HeldMemory,
  collect: () => void = createCollect(),
  everyMs: number = lookMs,
): () => void {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, memory.peak())
    if (peak < memory.largest * much || memory.held > memory.largest * little) return
    peak = 0
    collect()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Node shows its collector to scripts that start with a flag; the flag may be set for one context as well. */
function createCollect(): () => void {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as (options: object) => void
  setFlagsFromString("--no-expose-gc")
  return () => collect({ type: "major", execution: "async", flavor: "last-resort" })
}
