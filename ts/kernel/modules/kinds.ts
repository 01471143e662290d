// The kinds of modules. Adding a kind is one row here, its contract in `types/` and its suite in `ts/testing`.

import type { ModuleKind } from "../types/module.ts"

export interface KindRow {
  /** Folder of the built-in modules under `ts/plugins`. */
  readonly folder: string
  /** Function that makes such a module. */
  readonly define: string
  /** Contract suite in `rtr/testing`. */
  readonly suite: string
  /** Where modules of the kind are named in a document; undefined for those that no document names. */
  readonly section: string | undefined
  /** Fields that must be functions, and those that must be objects. */
  readonly functions: readonly string[]
  readonly objects: readonly string[]
  /** Files are in kebab-case. v0.3 documents write most names with underscores; those ids follow the documents. */
  readonly underscores: boolean
}

export const moduleKinds: Readonly<Record<ModuleKind, KindRow>> = {
  signal: {
    folder: "signals",
    define: "defineSignal",
    suite: "signalContract",
    section: "routing.signals",
    functions: ["setup"],
    objects: ["rule"],
    underscores: true,
  },
  selector: {
    folder: "selectors",
    define: "defineSelector",
    suite: "selectorContract",
    section: "routing.decisions[].algorithm",
    functions: ["setup"],
    objects: [],
    underscores: true,
  },
  looper: {
    folder: "loopers",
    define: "defineLooper",
    suite: "looperContract",
    section: "routing.decisions[].algorithm",
    functions: ["setup"],
    objects: [],
    underscores: true,
  },
  plugin: {
    folder: "decision",
    define: "definePlugin",
    suite: "pluginContract",
    section: "routing.decisions[].plugins",
    functions: ["setup"],
    objects: ["options", "hooks"],
    underscores: true,
  },
  provider: {
    folder: "providers",
    define: "defineProvider",
    suite: "providerContract",
    section: "providers.models[].backend_refs[].provider",
    functions: ["setup"],
    objects: [],
    underscores: false,
  },
  dialect: {
    folder: "dialects",
    define: "defineDialect",
    suite: "dialectContract",
    section: undefined,
    functions: [
      "schemas",
      "readRequest",
      "writeRequest",
      "readReply",
      "writeReply",
      "reader",
      "writer",
      "readError",
      "errorBody",
      "failureBody",
      "errorEvent",
    ],
    objects: [],
    underscores: true,
  },
  store: {
    folder: "stores",
    define: "defineStore",
    suite: "storeContract",
    section: "global.stores.state",
    functions: ["setup"],
    objects: ["options", "shapes"],
    underscores: true,
  },
  route: {
    folder: "routes",
    define: "defineRoute",
    suite: "routeContract",
    section: undefined,
    functions: [],
    objects: ["listeners", "operations"],
    underscores: false,
  },
}
