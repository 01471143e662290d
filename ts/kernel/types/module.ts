// All module kinds. A module is one file with one default export; its id is the file name.

import type { Static, TObject } from "typebox"
import type { DocumentPath } from "../error.ts"
import type { DialectModule } from "./dialect.ts"
import type { LooperModule } from "./looper.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { PluginModule } from "./plugin.ts"
import type { ProviderModule } from "./provider.ts"
import type { RouteModule } from "./route.ts"
import type { SelectorModule } from "./selector.ts"
import type { SignalModule } from "./signal.ts"
import type { OpenStore, StoreShape } from "./store.ts"

export interface StoreModule<Options extends TObject = TObject> extends ModuleBase {
  readonly kind: "store"
  /** Keeps the state of a document that names no store; works with empty options. */
  readonly isDefault?: true
  /** What an open store offers. */
  readonly shapes: readonly StoreShape[]
  readonly options: Options
  readonly check?: (options: Static<Options>, report: Report) => MaybePromise<void>
  /** Opens the store, once in a process for equal options. Rejects with an `RtrError` when it cannot be opened. */
  readonly setup: (options: Static<Options>, host: { readonly clock: () => number }) => MaybePromise<OpenStore>
}

// The type parameters of a registered module are known inside its own file only, and a list of modules with different
// options has no narrower type.
/* oxlint-disable typescript/no-explicit-any */
export interface ModuleKinds {
  readonly signal: SignalModule<any, any, any>
  readonly selector: SelectorModule<any, any>
  readonly looper: LooperModule<any, any>
  readonly plugin: PluginModule<any, any, any>
  readonly provider: ProviderModule
  readonly dialect: DialectModule
  readonly store: StoreModule<any>
  readonly route: RouteModule
}
/* oxlint-enable typescript/no-explicit-any */

export type ModuleKind = keyof ModuleKinds
export type AnyModule = ModuleKinds[ModuleKind]

export interface RegisteredModule<Module extends AnyModule = AnyModule> {
  readonly id: string
  readonly module: Module
  /** `builtin`, or where an outside module came from. */
  readonly source: string
  /** Where a document names an outside module. */
  readonly path?: DocumentPath
}
