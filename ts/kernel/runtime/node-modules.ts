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
import { wrongField } from "../modules/wrong-field.ts"
import { createRegistry, type OutsideModule, type Registry } from "../modules/registry.ts"
import { loadedInTime } from "../modules/within-time.ts"
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
  const loaded = await Promise.allSettled(names.map((name, index) => loadModule(name, index, baseFolder)))
  const failures = loaded.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []))
  refuse(failures, document, source)
  try {
    return await createRegistry(
      builtinModules,
      loaded.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
    )
  } catch (error) {
    refuse([error], document, source)
    throw error
  }
}

/**
 * The built-in modules alone. The code of those that the document names does not run; that their files are there is checked.
 * Rejects with a `ConfigError` that lists those that are not.
 */
export async function registryWithoutModules(document: SourceDocument, source: string): Promise<Registry> {
  const wrong = namesOf(document).flatMap((entry, index) => {
    try {
      const name = readName(entry, index)
      if (!isFile(name) || existsSync(resolve(dirname(resolve(source)), name))) return []
      return [moduleError(`Cannot load module ${name}: there is no such file`, index)]
    } catch (error) {
      return [error]
    }
  })
  refuse(wrong, document, source)
  return loadBuiltins()
}

/** The entries of `modules:`. That it is a list is the schema's to check. */
function namesOf({ value }: SourceDocument): readonly unknown[] {
  const named = (value as { modules?: unknown } | null)?.modules
  return Array.isArray(named) ? named : []
}

/** An entry that can name a module. */
function readName(name: unknown, index: number): string {
  if (typeof name === "string" && name.trim() !== "") return name
  throw moduleError(
    `Cannot load module ${JSON.stringify(name)}: it must be a file, such as "./shouting.ts", or the name of a package`,
    index,
  )
}

const moduleError = (message: string, index: number, cause?: unknown): RtrError =>
  new RtrError("invalid_module", message, { path: ["modules", index], cause })

/** Throws what is wrong with modules, each with its place in the document. An error that nobody expected is thrown as it is. */
function refuse(errors: readonly unknown[], document: SourceDocument, source: string): void {
  const unexpected = errors.find((error) => !isRtrError(error))
  if (unexpected !== undefined) throw unexpected
  const problems = errors.filter(isRtrError).map(({ path = [], message }): Problem => {
    const position = document.locate(path)
    return { ...invalid(path, message), ...(position !== undefined && { position }) }
  })
  if (problems.length > 0) throw new ConfigError(source, problems)
}

const isFile = (name: string): boolean => name.startsWith(".") || isAbsolute(name)

async function loadModule(entry: unknown, index: number, baseFolder: string): Promise<OutsideModule> {
  const name = readName(entry, index)
  const url = isFile(name) ? pathToFileURL(resolve(baseFolder, name)).href : resolvePackage(name, baseFolder)
  let loaded: unknown
  try {
    loaded = unwrap(await loadedInTime(import(url)))
    const outside = { id: moduleId(name), module: loaded, source: name, path: ["modules", index] }
    readModule(outside, wrongField)
    return outside
  } catch (cause) {
    const failure = loaded ?? cause
    const isKept = failed.has(url) && failed.get(url) === failure
    failed.set(url, failure)
    throw moduleError(`${messageOf(cause, name)}${isKept ? "; restart the router after mending it" : ""}`, index, cause)
  }
}

/**
 * What came of files that could not be used: what they export, or what they threw. Node keeps both, and gives the same again
 * after the file was mended; only a file that it could not find or parse is read anew.
 */
const failed = new Map<string, unknown>()

/** Where the import was written is of no use: it is this file. */
function messageOf(cause: unknown, name: string): string {
  const { code, message } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : { message: "it threw" }
  const reason =
    code === "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING"
      ? "it is a package of TypeScript, which Node.js runs outside of node_modules alone; build it to JavaScript, or name its file"
      : message.replace(` imported from ${import.meta.filename}`, "")
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
