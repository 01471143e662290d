// The names that clients may use, as GET /v1/models lists them.

import type { Plan } from "../types/plan.ts"
import type { ModelEntry } from "../types/status.ts"

/** Automatic names first, then the configured models; a listener with grants lists only what it grants. */
export function modelList(plan: Plan, created: number, listener: string): readonly ModelEntry[] {
  const grants = plan.listeners.find(({ name }) => name === listener)?.models
  const automatic = [plan, ...(plan.recipes ?? [])].flatMap(({ autoNames, recipe }) =>
    autoNames.map((id): ModelEntry => ({
      id,
      object: "model",
      created,
      owned_by: "rtr",
      description: "Automatic routing",
      routing: { resolution: "virtual", selectable: true, ...(recipe !== undefined && { recipe }) },
    })),
  )
  const configured = !plan.listConfiguredModels
    ? []
    : [...plan.models.values()].map((target): ModelEntry => {
        const { name: _, description, ...card } = target.card ?? {}
        return {
          id: target.name,
          object: "model",
          created,
          owned_by: "upstream-endpoint",
          ...(typeof description === "string" && { description }),
          routing: { resolution: "passthrough", selectable: true },
          ...(Object.keys(card).length > 0 && { card }),
        }
      })
  return [...automatic, ...configured].filter(({ id }) => grants === undefined || grants.has(id))
}
