// Loads the outside modules that a document names: package names, or files relative to the document.

import { existsSync } from "node:fs"
import { registerHooks } from "node:module"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { builtinModules } from "../../plugins/registry.gen.ts"
import type { SourceDocument } from "../config/source-document.ts"
import { ConfigError } from "../config/config-error.ts"
import { invalid, type Problem } from "../schema/problem.ts"
import { isRtrError, RtrError } from "../error.ts"
import { readModule } from "../modules/read-module.ts"
import { createRegistry, type OutsideModule, type Registry } from "../modules/registry.ts"
import { moduleId, unwrap } from "./bare-kernel.ts"

/** All built-in modules. */
export function loadBuiltins(): Promise<Registry> {
  return createRegistry(builtinModules)
}

/**
 * The built-in modules and those that a document names, found beside it. Rejects with a `ConfigError` that lists every module
 * that failed and why.
 */
export async function loadRegistryFor(document: SourceDocument, source: string): Promise<Registry> {
  const names = namesOf(document)
  if (names.length > 0) hookImports()
  const baseFolder = dirname(resolve(source))
  const loaded = await Promise.allSettled(
    names.flatMap((name, index) => (name === undefined ? [] : [loadModule(name, index, baseFolder)])),
  )
  const failures = loaded.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []))
  refuse(failures.filter(isRtrError), document, source)
  if (failures.length > 0) throw failures[0]
  return createRegistry(
    builtinModules,
    loaded.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
  )
}

/**
 * The built-in modules alone. The code of those that the document names does not run; that their files are there is checked.
 * Rejects with a `ConfigError` that lists those that are not.
 */
export async function registryWithoutModules(document: SourceDocument, source: string): Promise<Registry> {
  const missing = namesOf(document).flatMap((name, index) =>
    name === undefined || !isFile(name) || existsSync(resolve(dirname(resolve(source)), name))
      ? []
      : [
          new RtrError("invalid_module", `Cannot load module ${name}: there is no such file`, {
            path: ["modules", index],
          }),
        ],
  )
  refuse(missing, document, source)
  return loadBuiltins()
}

/** The entries of `modules:`. What is no text is the schema's to report. */
function namesOf({ value }: SourceDocument): readonly (string | undefined)[] {
  const named = (value as { modules?: unknown } | null)?.modules
  return Array.isArray(named) ? named.map((name: unknown) => (typeof name === "string" ? name : undefined)) : []
}

/** Throws what is wrong with modules, each with its place in the document. */
function refuse(errors: readonly RtrError[], document: SourceDocument, source: string): void {
  const problems = errors.map(({ path = [], message }): Problem => {
    const position = document.locate(path)
    return { ...invalid(path, message), ...(position !== undefined && { position }) }
  })
  if (problems.length > 0) throw new ConfigError(source, problems)
}

const isFile = (name: string): boolean => name.startsWith(".") || isAbsolute(name)

async function loadModule(name: string, index: number, baseFolder: string): Promise<OutsideModule> {
  const url = isFile(name) ? pathToFileURL(resolve(baseFolder, name)).href : resolvePackage(name, baseFolder)
  try {
    const outside = { id: moduleId(name), module: unwrap(await import(url)), source: name }
    readModule(outside)
    return outside
  } catch (cause) {
    throw new RtrError("invalid_module", messageOf(cause, name), { cause, path: ["modules", index] })
  }
}

/** Where the import was written is of no use: it is this file. */
function messageOf(cause: unknown, name: string): string {
  const reason =
    cause instanceof Error ? cause.message.replace(` imported from ${import.meta.filename}`, "") : "it threw"
  return isRtrError(cause) ? reason : `Cannot load module ${name}: ${reason}`
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
