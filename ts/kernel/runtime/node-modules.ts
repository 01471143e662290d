// Loads the outside modules that a document names: package names, or files relative to the document.

import { registerHooks } from "node:module"
import { isAbsolute, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { builtinModules } from "../../plugins/registry.gen.ts"
import { RtrError } from "../error.ts"
import { createRegistry, type OutsideModule, type Registry } from "../modules/registry.ts"
import { moduleId, unwrap } from "./edge.ts"

/** All built-in modules and those that `document.modules` names. Rejects with `invalid_module` that says which one failed and why. */
export async function loadRegistry(document: unknown, baseFolder: string): Promise<Registry> {
  const named = (document as { modules?: unknown } | null)?.modules
  const names = Array.isArray(named) ? named.filter((name): name is string => typeof name === "string") : []
  if (names.length > 0) shareThisKernel()
  return createRegistry(builtinModules, await Promise.all(names.map((name) => loadModule(name, baseFolder))))
}

async function loadModule(name: string, baseFolder: string): Promise<OutsideModule> {
  const isFile = name.startsWith(".") || isAbsolute(name)
  const url = isFile ? pathToFileURL(resolve(baseFolder, name)).href : resolvePackage(name, baseFolder)
  try {
    return { id: moduleId(name), module: unwrap(await import(url)), source: name }
  } catch (cause) {
    throw new RtrError(
      "invalid_module",
      `Cannot load module ${name}: ${cause instanceof Error ? cause.message : "it threw"}`,
      { cause, path: ["modules"] },
    )
  }
}

/** Resolves a package as a file in the document's folder would. */
function resolvePackage(name: string, baseFolder: string): string {
  try {
    return import.meta.resolve(name, pathToFileURL(join(baseFolder, "config.yaml")).href)
  } catch {
    // Without the second argument's support the package resolves from here, which is where rtr is installed.
    return name
  }
}

let shared = false

/** `import … from "rtr"` in an outside module means the kernel that runs, wherever the file lies and however rtr was installed. */
function shareThisKernel(): void {
  if (shared) return
  shared = true
  const entry = import.meta.resolve("rtr")
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "rtr" ? { url: entry, shortCircuit: true } : next(specifier, context),
  })
}
