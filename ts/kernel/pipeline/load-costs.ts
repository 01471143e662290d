// What counts costs, for those who need it: a document without prices does without.

import type { Plan } from "../types/plan.ts"

export type Costs = typeof import("./costs.ts")

/** Undefined when no model of the plan has prices. */
export async function loadCosts({ models }: Pick<Plan, "models">): Promise<Costs | undefined> {
  for (const { pricing } of models.values()) if (pricing !== undefined) return import("./costs.ts")
  return undefined
}
