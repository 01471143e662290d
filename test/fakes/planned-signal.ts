// Signals of a plan, made by hand where a test is about reading them.

import type { PlannedSignal } from "../../ts/kernel/types/plan.ts"

export const defaultTarget = { deployment: "default", head: undefined, whole: false } as const

/** A signal of one rule, named `rule`, that matches. */
export function createPlannedSignal(type: string, changes: Partial<PlannedSignal> = {}): PlannedSignal {
  return {
    type,
    configKey: type,
    rules: ["rule"],
    firstSlot: 0,
    level: 0,
    target: undefined,
    guard: undefined,
    read: () => [{ rule: "rule", state: "match", confidence: 1 }],
    ...changes,
  }
}
