// Finds modules by kind and id. Built-in ones load when first asked for; outside ones are added before activation.

import { type DocumentPath, RtrError } from "../error.ts"
import type { LooperKeys } from "../types/looper.ts"
import type { AnyModule, ModuleKind, ModuleKinds, RegisteredModule } from "../types/module.ts"
import type { SignalModule } from "../types/signal.ts"
import { readModule } from "./read-module.ts"

/** One built-in module as the generated registry lists it. */
export interface BuiltinEntry {
  readonly kind: ModuleKind
  readonly id: string
  readonly load: () => Promise<{ readonly default: unknown }>
}

/** All modules of one kernel. */
export interface Registry {
  /** Registered modules of one kind, in the order of registration. */
  all<Kind extends ModuleKind>(kind: Kind): readonly RegisteredModule<ModuleKinds[Kind]>[]
  find<Kind extends ModuleKind>(kind: Kind, id: string): RegisteredModule<ModuleKinds[Kind]> | undefined
  /** Keys of all loopers, where there are some. */
  readonly looperKeys: LooperKeys | undefined
}

/** An outside module: what it exports, and the name to report it under. */
export interface OutsideModule {
  readonly id: string
  readonly module: unknown
  readonly source: string
  /** Where a document names it. */
  readonly path?: DocumentPath
}

/**
 * Loads the built-in modules and adds the outside ones.
 * Rejects with `invalid_module` for a value that is no module and for an id that is taken.
 */
export async function createRegistry(
  builtins: readonly BuiltinEntry[],
  outside: readonly OutsideModule[] = [],
): Promise<Registry> {
  const loaded = await Promise.all(
    builtins.map(async (entry) =>
      readModule({ id: entry.id, module: (await entry.load()).default, source: "builtin" }),
    ),
  )
  // A bare kernel has no built-in modules: its modules stand in its host's code, where a compiler checks the types of fields.
  const wrongField =
    builtins.length > 0 && outside.length > 0 ? (await import("./wrong-field.ts")).wrongField : undefined
  const byKey = new Map<string, RegisteredModule>()
  for (const registered of [...loaded, ...outside.map((each) => readModule(each, wrongField))]) {
    const key = `${registered.module.kind}:${registered.id}`
    const taken = byKey.get(key)
    if (taken !== undefined) {
      const owner = taken.source === "builtin" ? `a built-in ${registered.module.kind}` : taken.source
      throw refusal(
        registered,
        `${owner} already has that id. An id is the name of the file or package: rename it, and list it once`,
      )
    }
    byKey.set(key, registered)
  }
  checkSignalNames([...byKey.values()])
  checkAlgorithmNames([...byKey.values()])
  checkProviderDialects([...byKey.values()])
  const modules = [...byKey.values()]
  const hasLoopers = modules.some(({ module }) => module.kind === "looper")
  const looperKeys = hasLoopers ? (await import("../schema/looper-keys.ts")).looperKeys : undefined
  return {
    looperKeys,
    all: (kind) => modules.filter((entry) => entry.module.kind === kind) as never,
    find: (kind, id) => byKey.get(`${kind}:${id}`) as never,
  }
}

/** Says which module cannot be registered, from where and why. */
const refusal = ({ id, module, source, path }: RegisteredModule, reason: string): RtrError =>
  new RtrError("invalid_module", `Cannot register ${module.kind} "${id}" from ${source}: ${reason}`, {
    ...(path !== undefined && { path }),
  })

/** Two signals must not claim the same key under `routing.signals` or the same condition type. */
function checkSignalNames(modules: readonly RegisteredModule<AnyModule>[]): void {
  const owners = new Map<string, string>()
  for (const registered of modules) {
    const { id, module } = registered
    if (module.kind !== "signal") continue
    for (const [field, name] of [
      ["configKey", `routing.signals.${signalConfigKey(id, module)}`],
      ["conditionType", `condition type ${signalConditionType(id, module)}`],
    ] as const) {
      const owner = owners.get(name)
      if (owner !== undefined)
        throw refusal(registered, `signal "${owner}" already has ${name}; give it another ${field}`)
      owners.set(name, id)
    }
  }
}

/** Selectors and loopers are both named by `algorithm.type`. */
function checkAlgorithmNames(modules: readonly RegisteredModule<AnyModule>[]): void {
  const looper = modules.find(
    ({ id, module }) =>
      module.kind === "looper" && modules.some((other) => other.module.kind === "selector" && other.id === id),
  )
  if (looper !== undefined)
    throw refusal(
      looper,
      "a selector already has that id, and a decision names both by algorithm.type; rename the file",
    )
}

/** A provider without its dialect could never be called. */
function checkProviderDialects(modules: readonly RegisteredModule<AnyModule>[]): void {
  const dialects = modules.flatMap(({ id, module }) => (module.kind === "dialect" ? [id] : []))
  for (const registered of modules) {
    const { module } = registered
    if (module.kind === "provider" && !dialects.includes(module.dialect))
      throw refusal(registered, `dialect "${module.dialect}" is not registered, only ${dialects.join(", ")}`)
  }
}

export function signalConfigKey(id: string, module: Pick<SignalModule, "configKey">): string {
  return module.configKey ?? id
}

export function signalConditionType(id: string, module: Pick<SignalModule, "conditionType">): string {
  return module.conditionType ?? id
}
