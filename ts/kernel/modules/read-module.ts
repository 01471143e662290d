// Checks that a value follows the module contract before anything uses it.

import { RtrError } from "../error.ts"
import type { AnyModule, ModuleKind, RegisteredModule } from "../types/module.ts"
import { pluginHooks } from "../types/plugin.ts"
import {
  audiences,
  capabilityGroups,
  listenerKinds,
  permissions,
  planes,
  sensitivities,
  visibilities,
} from "../types/route.ts"
import { capabilityNames } from "./capabilities.ts"
import { moduleKinds } from "./kinds.ts"
import type { OutsideModule } from "./registry.ts"
import { wrongSchema } from "./wrong-schema.ts"

/**
 * Returns the module with its id, or throws `invalid_module` that says what is missing. `wrongField` finds fields of the wrong
 * type; it is passed because a host that counts bytes does without.
 */
export function readModule(
  outside: OutsideModule,
  wrongField?: (module: AnyModule) => string | undefined,
): RegisteredModule {
  const { id, module, source, path } = outside
  const at = path !== undefined && { path }
  const refuse = (reason: string): never => {
    throw new RtrError("invalid_module", `Cannot register module "${id}" from ${source}: ${reason}`, { ...at })
  }
  if (!/^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$/.test(id))
    refuse("its id must be lower-case words joined by hyphens or underscores")
  // Only the namespace object of a file without a default export gets here.
  if (Object.prototype.toString.call(module) === "[object Module]")
    return refuse("it has no default export; write `export default defineSignal(…)`, or the function of another kind")
  const fields = (typeof module === "object" && module !== null ? module : {}) as Record<string, unknown>
  const kind = fields["kind"]
  if (kind === undefined)
    return refuse(
      `its default export must be made by one of ${Object.values(moduleKinds)
        .map(({ define }) => define)
        .join(", ")}`,
    )
  if (typeof kind !== "string" || !Object.hasOwn(moduleKinds, kind))
    return refuse(`kind must be one of ${Object.keys(moduleKinds).join(", ")}, got ${JSON.stringify(kind)}`)
  if (typeof fields["about"] !== "string" || fields["about"].trim() === "")
    refuse("about must be one line that says what it does")
  const { functions, objects, underscores } = moduleKinds[kind as ModuleKind]
  for (const name of functions) if (typeof fields[name] !== "function") refuse(`${name} must be a function`)
  for (const name of objects)
    if (typeof fields[name] !== "object" || fields[name] === null) refuse(`${name} is missing`)
  const wrong = wrongField?.(module as AnyModule)
  if (wrong !== undefined) refuse(wrong)
  for (const need of needsOf(module as AnyModule))
    if (!(capabilityNames as readonly string[]).includes(need))
      refuse(`it needs "${need}", and there are only ${capabilityNames.join(", ")}`)
  const mistake =
    wrongWord(module as AnyModule) ?? (source === "builtin" ? undefined : wrongSchema(module as AnyModule))
  if (mistake !== undefined) refuse(mistake)
  return { id: underscores ? id.replaceAll("-", "_") : id, module: module as unknown as AnyModule, source, ...at }
}

/** Capabilities that a module asks for; of a route those of its operations. */
export function needsOf(module: AnyModule): readonly string[] {
  if (module.kind === "route") return [...new Set(module.operations.flatMap(({ needs }) => needs ?? []))]
  return "needs" in module ? (module.needs ?? []) : []
}

/** Words out of a fixed list that a module must use. A misspelt one would be accepted and mean nothing. */
function wrongWord(module: AnyModule): string | undefined {
  if (module.kind === "plugin") {
    const hooks: readonly string[] = module.hooks
    const hook = hooks.find((name) => !(pluginHooks as readonly string[]).includes(name))
    if (hook !== undefined) return `there is no hook "${hook}"; there are ${pluginHooks.join(", ")}`
    return module.stream === "buffer" && !hooks.includes("after")
      ? 'stream: "buffer" is for a plugin with the hook after, and it has none'
      : undefined
  }
  if (module.kind !== "route") return undefined
  for (const operation of module.operations) {
    const words: readonly (readonly [field: string, used: readonly string[], known: readonly string[]])[] = [
      ["permission", [operation.permission], permissions],
      ["sensitivity", [operation.sensitivity], sensitivities],
      ["capability", [operation.capability], capabilityGroups],
      ["plane", [operation.plane], planes],
      ["audiences", operation.audiences, audiences],
      ["visibility", operation.visibility === undefined ? [] : [operation.visibility], visibilities],
    ]
    for (const [field, used, known] of words)
      for (const word of used)
        if (!known.includes(word))
          return `${field} of operation "${operation.id}" must be one of ${known.join(", ")}, got "${word}"`
  }
  const listener = module.listeners.find((kind) => !listenerKinds.includes(kind))
  return listener === undefined
    ? undefined
    : `there is no listener "${listener}"; there are ${listenerKinds.join(", ")}`
}
