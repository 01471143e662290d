// What routes with settings of their own open before their operations are set up. Loaded when some route opens anything.

import type { CompiledPlan, CompileOptions, compilePlan } from "../config/compile.ts"
import type { LoadedDocument, PrepareHost, StoreToOpen } from "./prepare.ts"
import type { NamedStore } from "./services.ts"

export interface OpenRoutesHost extends Pick<PrepareHost, "resources" | "services"> {
  /** Opens a store for as long as the generation serves. */
  readonly open: (store: StoreToOpen) => Promise<NamedStore>
  /** What runs when the generation is closed. */
  readonly closers: { push(close: () => Promise<void>): unknown }
}

/** What each route has opened, by its id. A route whose section the document does not have opens nothing. */
export async function openRoutes(
  { document, registry }: Pick<LoadedDocument, "document" | "registry">,
  { resources, services, open, closers }: OpenRoutesHost,
): Promise<ReadonlyMap<string, unknown>> {
  const opened = new Map<string, unknown>()
  const { clock, log } = services
  for (const { id, module } of registry.all("route")) {
    const section = module.settings?.path ?? []
    const settings = section.reduce<unknown>(
      (value, step) => (value as Readonly<Record<string, unknown>> | undefined)?.[step],
      document.global,
    )
    if (module.open === undefined || settings === undefined) continue
    const host = {
      settings,
      clock,
      log,
      async share<Value>(name: string, make: () => Value): Promise<Value> {
        const lease = await resources.acquire(`route:${id}:${name}`, async () => make())
        closers.push(() => lease.release())
        return lease.value
      },
      openStore: async (type: string, configuration: Readonly<Record<string, unknown>>) =>
        (await open({ type, configuration, path: ["global", ...section] })).open,
    }
    opened.set(id, await module.open(host))
  }
  return opened
}

/** Compiles plans and lets the routes change them that have opened something. */
export function adjusting(compile: typeof compilePlan): typeof compilePlan {
  return async (options) => {
    const compiled = await compile(options)
    const closers = [compiled.close]
    const close = async (): Promise<void> => {
      for (const closer of closers.toReversed()) await closer()
    }
    try {
      return { plan: await adjusted(compiled, options, closers), close }
    } catch (error) {
      await close()
      throw error
    }
  }
}

async function adjusted(
  { plan: compiled }: CompiledPlan,
  { registry, document, keyOf, services }: CompileOptions,
  closers: (() => Promise<void>)[],
): Promise<CompiledPlan["plan"]> {
  const { clock, random, log } = services
  // The compiler of a recipe adds the name of its keys when it is done.
  let plan = keyOf === undefined ? compiled : { ...compiled, keyOf }
  for (const { id, module } of registry.all("route")) {
    const opened = services.opened?.get(id)
    if (module.adjust === undefined || opened === undefined) continue
    const kv = (name: string) => services.kv(`route:${id}:${name}`)
    const changed = await module.adjust(plan, { opened, document, kv, clock, random, log })
    closers.push(() => changed.close())
    plan = changed.plan
  }
  return plan
}
