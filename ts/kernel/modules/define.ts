// Makers of modules. They add the kind and let TypeScript infer the options from the schema.

import type { TArray, TObject, TSchema } from "typebox"
import type { Capability } from "../types/capability.ts"
import type { DialectModule } from "../types/dialect.ts"
import type { LooperModule } from "../types/looper.ts"
import type { StoreModule } from "../types/module.ts"
import type { PluginHook, PluginModule } from "../types/plugin.ts"
import type { ProviderModule } from "../types/provider.ts"
import type { Operation, RouteModule } from "../types/route.ts"
import type { SelectorModule } from "../types/selector.ts"
import type { SignalModule } from "../types/signal.ts"

type Without<Module> = Omit<Module, "kind">

/** Makes a signal: reads a request and returns one fact per rule. */
export function defineSignal<
  Rule extends TObject,
  Settings extends TObject | TArray = TObject,
  const Need extends Capability = never,
>(definition: Without<SignalModule<Rule, Settings, Need>>): SignalModule<Rule, Settings, Need> {
  return { kind: "signal", ...definition }
}

/** Makes a selector: picks one of a decision's candidates. */
export function defineSelector<
  Options extends TObject = TObject,
  Settings extends TObject = TObject,
  const Need extends Capability = never,
>(definition: Without<SelectorModule<Options, Settings, Need>>): SelectorModule<Options, Settings, Need> {
  return { kind: "selector", ...definition }
}

/** Makes a looper: answers a request with several model calls. */
export function defineLooper<Options extends TObject = TObject, const Need extends Capability = never>(
  definition: Without<LooperModule<Options, Need>>,
): LooperModule<Options, Need> {
  return { kind: "looper", ...definition }
}

/** Makes a plugin: runs around the model call of the decisions that list it. */
export function definePlugin<
  Options extends TObject,
  const Hook extends PluginHook,
  const Need extends Capability = never,
>(definition: Without<PluginModule<Options, Hook, Need>>): PluginModule<Options, Hook, Need> {
  return { kind: "plugin", ...definition }
}

/** Makes a provider: URL, headers and credentials of one family of backends. */
export function defineProvider(definition: Without<ProviderModule>): ProviderModule {
  return { kind: "provider", ...definition }
}

/** Makes a dialect: a wire protocol, to and from the canonical chat form. */
export function defineDialect(definition: Without<DialectModule>): DialectModule {
  return { kind: "dialect", ...definition }
}

/** Makes a store: keeps key-value pairs, records or vectors. */
export function defineStore<Options extends TObject>(definition: Without<StoreModule<Options>>): StoreModule<Options> {
  return { kind: "store", ...definition }
}

/** Makes a route: the operations of one HTTP resource. */
export function defineRoute(definition: Without<RouteModule>): RouteModule {
  return { kind: "route", ...definition }
}

/** Makes one operation of a route: its schemas, who may call it, and its handler. */
export function operation<
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  const Need extends Capability = never,
>(definition: Operation<Params, Query, Body, Need>): Operation<Params, Query, Body, Need> {
  return definition
}
