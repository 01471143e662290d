// Checks that a value follows the module contract before anything uses it.

import { RtrError } from "../error.ts"
import type { AnyModule, ModuleKind, RegisteredModule } from "../types/module.ts"
import type { OutsideModule } from "./registry.ts"

const functionsOf: Record<ModuleKind, readonly string[]> = {
  signal: ["setup"],
  selector: ["setup"],
  plugin: ["setup"],
  provider: ["setup"],
  route: ["setup"],
  store: ["setup"],
}

const objectsOf: Record<ModuleKind, readonly string[]> = {
  signal: ["rule"],
  selector: [],
  plugin: ["options"],
  provider: [],
  route: ["listeners", "needs", "operations"],
  store: ["shapes", "options"],
}

/**
 * Returns the module with its id, or throws `invalid_module` that says what is missing.
 * Files are named in kebab-case, but v0.3 documents write signals, selectors and plugins with underscores; ids follow the documents.
 */
export function readModule(outside: OutsideModule): RegisteredModule {
  const { id, module, source } = outside
  const refuse = (reason: string): never => {
    throw new RtrError("invalid_module", `Cannot register module "${id}" from ${source}: ${reason}`)
  }
  if (!/^[a-z][a-z0-9_]*(-[a-z0-9_]+)*$/.test(id))
    refuse("its id must be lower-case words joined by hyphens or underscores")
  if (typeof module !== "object" || module === null)
    return refuse(
      "its default export must be made by defineSignal, defineSelector, definePlugin, defineProvider, defineRoute or defineStore",
    )
  const fields = module as Record<string, unknown>
  const kind = fields["kind"]
  if (typeof kind !== "string" || !Object.hasOwn(functionsOf, kind))
    return refuse(`kind must be one of ${Object.keys(functionsOf).join(", ")}`)
  if (typeof fields["about"] !== "string" || fields["about"].trim() === "")
    refuse("about must be one line that says what it does")
  for (const name of functionsOf[kind as ModuleKind]) {
    if (typeof fields[name] !== "function") refuse(`${name} must be a function`)
  }
  for (const name of objectsOf[kind as ModuleKind]) {
    if (typeof fields[name] !== "object" || fields[name] === null) refuse(`${name} is missing`)
  }
  const spelled = kind === "provider" || kind === "route" ? id : id.replaceAll("-", "_")
  return { id: spelled, module: module as unknown as AnyModule, source }
}
