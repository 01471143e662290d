// Reads a configuration file and checks it with the modules that it names.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, type Stats } from "node:fs"
import { join } from "node:path"
import { deploymentsOf as deploymentsOfProfiles } from "../config/recipes/compile.ts"
import { neededDeployments, type NeededDeployment } from "../config/bindings.ts"
import { checkHost } from "../config/host-matters.ts"
import { mayBeOfModule } from "../config/module-matters.ts"
import { ConfigError } from "../config/config-error.ts"
import type { MissingParts } from "../config/accepted/left-out.ts"
import type { ReadHeadsBeside } from "../config/package-heads.ts"
import type { Environment } from "../config/environment.ts"
import type { Migration } from "../config/migrate/migrate.ts"
import { maxDocumentBytes } from "../config/source-document.ts"
import { RtrError } from "../error.ts"
import { invalid, type Problem } from "../schema/problem.ts"
import { bindServices } from "../generations/outside.ts"
import { type DocumentInput, type LoadedDocument, loadDocument } from "../generations/prepare.ts"
import { sha256 } from "./bare-kernel.ts"
import { decodeUtf8, readDocumentFile } from "./document-files.ts"
import { loadBuiltins, loadRegistryFor, registryWithoutModules } from "./node-modules.ts"

/** A configuration file, checked. */
export interface LoadedConfig extends LoadedDocument {
  readonly path: string
  readonly hash: string
}

export interface LoadConfigOptions {
  readonly environment?: Environment
  /** Tells the heads of packages, so that a binding that asks another one is refused. */
  readonly readHeads?: ReadHeadsBeside
  /**
   * Whether the code of the modules that the file names runs, which it does when left out. What only they could judge then is in
   * `unchecked`.
   */
  readonly loadModules?: boolean
  /** Whether the file is only checked here: a variable that it needs and that is not set is a warning then. */
  readonly elsewhere?: boolean
  /** A folder of Kubernetes files whose routing the document takes. */
  readonly crd?: string | undefined
  /** What becomes of a file that needs a part which the router does not have; it is refused, or told of where it is only checked. */
  readonly missingParts?: MissingParts
}

/** Reads and checks a file. Rejects with a `ConfigError` that lists every problem, or an `RtrError` when it cannot be read. */
export async function loadConfig(path: string, options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { environment = process.env, readHeads, loadModules = true, elsewhere = false } = options
  const text = readConfigFile(path)
  const input = await configInput({ path, text, crd: options.crd })
  /** What is wrong with the modules themselves. */
  let broken: readonly Problem[] = []
  const load = (loadRegistry: typeof loadRegistryFor, withModules: boolean): Promise<LoadedDocument> =>
    loadDocument(
      {
        environment: () => environment,
        loadRegistry,
        missingParts: options.missingParts ?? (elsewhere ? "tell" : "refuse"),
        onlyCheck: { ...(!withModules && { mayBeOfModule }), ...(elsewhere && { checkHost }) },
        ...(readHeads !== undefined && { readHeads }),
        readFile: readDocumentFile,
      },
      input,
    )
  const registryOf: typeof loadRegistryFor = async (document, source) => {
    try {
      return await (loadModules ? loadRegistryFor : registryWithoutModules)(document, source)
    } catch (error) {
      if (error instanceof ConfigError) broken = error.problems
      throw error
    }
  }
  try {
    return { ...(await load(registryOf, loadModules)), path, hash: await sha256(input.text) }
  } catch (error) {
    if (broken.length === 0) throw await withFormat(error, { path, text })
    throw new ConfigError(path, [...broken, ...(await otherProblems(load(loadBuiltins, false)))])
  }
}

/**
 * The error of a refused file with what its format means: a file of another program has that one problem, and an older one can
 * be migrated.
 */
export async function withFormat(
  refusal: unknown,
  { path, text }: Pick<ConfigFile, "path" | "text">,
): Promise<unknown> {
  if (!(refusal instanceof ConfigError)) return refusal
  const { documentsIn, foreignIn, hasOlderKeys } = await import("../config/migrate/formats.ts")
  const documents = documentsIn(text)
  const foreign = foreignIn(documents)
  if (foreign !== undefined) return new ConfigError(path, [invalid([], foreign)])
  return documents.some(hasOlderKeys)
    ? new ConfigError(path, refusal.problems, {
        hint: `It has keys of an older format; rtr config migrate ${path} writes it in the current one`,
      })
    : refusal
}

/** What is wrong with a document beside its modules, as far as it can be told without them. */
async function otherProblems(loading: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await loading
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.problems : []
  }
}

export interface ConfigFile {
  readonly path: string
  readonly text: string
  /** A folder of Kubernetes files. */
  readonly crd: string | undefined
}

/** What to load. The places of values are unknown where files of `crd` are laid over the text. */
export async function configInput({ path, text, crd }: ConfigFile): Promise<DocumentInput> {
  if (crd === undefined) return { text, source: path }
  const [{ readDocument }, { withResources }] = await Promise.all([
    import("../config/document.ts"),
    import("../config/kubernetes/resources.ts"),
  ])
  const files = filesIn(crd).map((file) => ({ path: file, text: readConfigFile(file) }))
  return {
    // The hash tells a changed resource too.
    text: [text, ...files.map((file) => file.text)].join("\n---\n"),
    source: path,
    value: withResources(readDocument(text, path).value, files),
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => /\.(ya?ml|json)$/.test(name))
    return names.toSorted().map((name) => join(folder, name))
  } catch (cause) {
    throw new RtrError("invalid_config", `Cannot read the folder ${folder} of --crd: ${(cause as Error).message}`, {
      cause,
    })
  }
}

/** What a file says in the current spelling, and what was changed. Rejects with a `ConfigError` for one that is no YAML document. */
export async function migrateConfig(path: string): Promise<Migration> {
  const [{ migrateDocument }, { migrationTarget }, registry] = await Promise.all([
    import("../config/migrate/migrate.ts"),
    import("../config/migrate/target.ts"),
    loadBuiltins(),
  ])
  return migrateDocument(readConfigFile(path), path, migrationTarget(registry))
}

/** The text of a file. Throws `invalid_config` that says what to do when there is none, or none that can be a document. */
export function readConfigFile(path: string): string {
  let file: number | undefined
  try {
    // A pipe would wait for somebody who writes; what it is tells the check.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(file)
    const refusal = refusalOf(stats)
    if (refusal !== undefined) throw new RtrError("invalid_config", `Cannot read ${path}: ${refusal}`)
    return decodeUtf8(readFileSync(file))
  } catch (cause) {
    if (cause instanceof RtrError) throw cause
    const missing = (cause as { code?: unknown }).code === "ENOENT"
    throw new RtrError(
      "invalid_config",
      missing
        ? `There is no file ${path}; make one with: rtr config init --output ${path}`
        : `Cannot read ${path}: ${(cause as Error).message}`,
      { cause },
    )
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Why something cannot be a configuration document, by what it is and how large. */
function refusalOf(stats: Stats): string | undefined {
  if (stats.isDirectory()) return "it is a folder; name a file in it"
  if (!stats.isFile()) return "it is no regular file; copy the document to a file"
  return stats.size > maxDocumentBytes
    ? `it has ${stats.size} bytes; a document has at most ${maxDocumentBytes}`
    : undefined
}

/** Deployments that a loaded configuration needs. */
export function deploymentsOf(config: LoadedDocument): readonly NeededDeployment[] {
  const { document } = bindServices(config.document, config.registry)
  return deploymentsOfProfiles(document, config.registry, neededDeployments)
}
