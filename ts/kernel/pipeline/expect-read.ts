// Refuses facts that were never read: a module that took them for a finding of none would let through what its rules are there to stop.

import { moduleFault } from "../error.ts"
import type { Plan } from "../types/plan.ts"

/** Throws where a module asks for facts of a type that is not read. */
export function expectRead(types: Plan["factTypes"], type: string, asker: "plugin" | "signal"): void {
  const isRead = types.get(type)
  if (isRead === true) return
  throw moduleFault(
    isRead === undefined
      ? // The module may have made the type of what a client sent.
        `The ${asker} asks for facts of a type that no signal has; there are ${[...types.keys()].join(", ")}`
      : `Cannot tell facts of "${type}": nobody asks for its rules; name it in the "after" of the ${asker}`,
  )
}
