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
  if (names.length > 0) hookImports()
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

/** What is resolved at the moment, for the hook below. */
let wanted: { readonly name: string; readonly from: string } | undefined

/** Resolves a package as a file in the document's folder would. */
function resolvePackage(name: string, baseFolder: string): string {
  const from = pathToFileURL(join(baseFolder, "config.yaml")).href
  wanted = { name, from }
  try {
    // Node ignores the second argument unless a flag is set; the hook resolves from there instead.
    return import.meta.resolve(name, from)
  } catch {
    // The import reports it with the name that the document has.
    return name
  } finally {
    wanted = undefined
  }
}

let hooked = false

/**
 * `import … from "rtr"` in an outside module means the kernel that runs, wherever the file lies and however rtr was installed.
 * Packages that a document names are found beside the document.
 */
function hookImports(): void {
  if (hooked) return
  hooked = true
  const entry = import.meta.resolve("rtr")
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "rtr") return { url: entry, shortCircuit: true }
      return specifier === wanted?.name
        ? next(specifier, { ...context, parentURL: wanted.from })
        : next(specifier, context)
    },
  })
}
