// Checks that a value follows the module contract before anything uses it.

import { RtrError } from "../error.ts"
import type { AnyModule, ModuleKind, RegisteredModule } from "../types/module.ts"
import { capabilityNames } from "./capabilities.ts"
import { moduleKinds } from "./kinds.ts"
import type { OutsideModule } from "./registry.ts"

/** Returns the module with its id, or throws `invalid_module` that says what is missing. */
export function readModule(outside: OutsideModule): RegisteredModule {
  const { id, module, source } = outside
  const refuse = (reason: string): never => {
    throw new RtrError("invalid_module", `Cannot register module "${id}" from ${source}: ${reason}`)
  }
  if (!/^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$/.test(id))
    refuse("its id must be lower-case words joined by hyphens or underscores")
  if (typeof module !== "object" || module === null)
    return refuse(
      `its default export must be made by one of ${Object.values(moduleKinds)
        .map(({ define }) => define)
        .join(", ")}`,
    )
  const fields = module as Record<string, unknown>
  const kind = fields["kind"]
  if (typeof kind !== "string" || !Object.hasOwn(moduleKinds, kind))
    return refuse(`kind must be one of ${Object.keys(moduleKinds).join(", ")}`)
  if (typeof fields["about"] !== "string" || fields["about"].trim() === "")
    refuse("about must be one line that says what it does")
  const { functions, objects, underscores } = moduleKinds[kind as ModuleKind]
  for (const name of functions) if (typeof fields[name] !== "function") refuse(`${name} must be a function`)
  for (const name of objects)
    if (typeof fields[name] !== "object" || fields[name] === null) refuse(`${name} is missing`)
  for (const need of needsOf(module as AnyModule))
    if (!(capabilityNames as readonly string[]).includes(need))
      refuse(`it needs "${need}", and there are only ${capabilityNames.join(", ")}`)
  return { id: underscores ? id.replaceAll("-", "_") : id, module: module as unknown as AnyModule, source }
}

/** Capabilities that a module asks for; of a route those of its operations. */
export function needsOf(module: AnyModule): readonly string[] {
  if (module.kind === "route") return [...new Set(module.operations.flatMap(({ needs }) => needs ?? []))]
  return "needs" in module ? (module.needs ?? []) : []
}
