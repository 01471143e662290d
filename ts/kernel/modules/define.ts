// Makers of modules. They add the kind and let TypeScript infer the options from the schema.

import type { TObject } from "typebox"
import type {
  PluginModule,
  ProviderModule,
  RouteModule,
  SelectorModule,
  SignalModule,
  SignalNeed,
} from "../types/module.ts"
import type { RoutePowers } from "../types/route.ts"
import type { StoreModule } from "../types/store.ts"

type Without<Module> = Omit<Module, "kind">

/** Makes a signal: reads a request and returns one fact per rule. */
export function defineSignal<
  Rule extends TObject,
  Settings extends TObject = TObject,
  const Need extends SignalNeed = never,
>(definition: Without<SignalModule<Rule, Settings, Need>>): SignalModule<Rule, Settings, Need> {
  return { kind: "signal", ...definition }
}

/** Makes a selector: picks one of a decision's candidates. */
export function defineSelector<Options extends TObject = TObject>(
  definition: Without<SelectorModule<Options>>,
): SelectorModule<Options> {
  return { kind: "selector", ...definition }
}

/** Makes a plugin: runs around the model call of the decisions that list it. */
export function definePlugin<Options extends TObject>(
  definition: Without<PluginModule<Options>>,
): PluginModule<Options> {
  return { kind: "plugin", ...definition }
}

/** Makes a provider: builds upstream requests for one family of backends. */
export function defineProvider(definition: Without<ProviderModule>): ProviderModule {
  return { kind: "provider", ...definition }
}

/** Makes a route group: the handlers of one HTTP resource. */
export function defineRoute<const Need extends keyof RoutePowers>(
  definition: Without<RouteModule<Need>>,
): RouteModule<Need> {
  return { kind: "route", ...definition }
}

/** Makes a store: keeps key-value pairs, records or vectors. */
export function defineStore<Options extends TObject>(definition: Without<StoreModule<Options>>): StoreModule<Options> {
  return { kind: "store", ...definition }
}
