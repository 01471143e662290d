// The apps of all listeners of one generation.

import { createListenerApp, type ListenerApp, type ListenerAppOptions } from "./http/app.ts"
import { withCors } from "./http/cors.ts"
import type { HeldMemory } from "./http/held-memory.ts"
import { mountOperations } from "./http/mount.ts"
import type { Services } from "./modules/capabilities.ts"
import type { Registry } from "./modules/registry.ts"
import type { Plan, PlannedListener, PlannedManagement } from "./types/plan.ts"
import type { ListenerKind } from "./types/route.ts"

export interface ListenerAppsOptions {
  readonly registry: Registry
  readonly services: Services
  /** Undefined before the first activation: management works, inference does not. */
  readonly plan: Plan | undefined
  readonly tokens: PlannedManagement["tokens"]
  /** Memory that requests hold, of all listeners and generations together. */
  readonly memory: HeldMemory
  /** Leases the generation of a plan. */
  readonly acquire: (plan: Plan) => () => void
  readonly onInternalError: ((error: unknown, requestId: string) => void) | undefined
  readonly onUnrouted: ListenerAppOptions["onUnrouted"]
}

/** Key of an inference listener; the others are `management` and `metrics`. */
export const listenerKey = (name: string): string => `listener ${name}`

/** Without a recipe the plan's own: names of loopers are plans beside it that share its signals. */
const signalsOf = ({ signals, recipes }: Plan, recipe: string | undefined): Plan["signals"] =>
  (recipe === undefined ? undefined : recipes?.find((each) => each.recipe === recipe)?.signals) ?? signals

export function createListenerApps(options: ListenerAppsOptions): ReadonlyMap<string, ListenerApp> {
  const { registry, services, plan, tokens, memory, acquire, onInternalError, onUnrouted } = options
  const routes = registry.all("route")
  const dialects = new Map(registry.all("dialect").map(({ id, module }) => [id, module]))
  const app = (kind: ListenerKind, name: string, listener?: PlannedListener): ListenerApp =>
    createListenerApp({
      name,
      kind,
      memory,
      dialects,
      operations: mountOperations(routes, kind, services),
      onUnrouted,
      ...(plan !== undefined && { acquire: () => acquire(plan), signals: (recipe) => signalsOf(plan, recipe) }),
      ...(kind === "management" && { tokens }),
      ...(listener !== undefined && {
        apiKeys: listener.apiKeys,
        grants: listener.models,
        upstreamTimeoutMs: listener.timeoutMs,
      }),
      ...(onInternalError !== undefined && { onInternalError }),
    })
  return new Map([
    ["management", app("management", "management")],
    ["metrics", app("metrics", "metrics")],
    ...(plan?.listeners ?? []).map((listener) => {
      const served = app("inference", listener.name, listener)
      const { origins } = listener
      return [listenerKey(listener.name), origins.size === 0 ? served : withCors(served, origins)] as const
    }),
  ])
}
