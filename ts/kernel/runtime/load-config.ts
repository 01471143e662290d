// Reads a configuration file and checks it with the modules that it names.

import { readFileSync } from "node:fs"
import { neededDeployments, type NeededDeployment } from "../config/bindings.ts"
import { missingKeyVariables } from "../config/missing-environment.ts"
import { mayBeOfModule } from "../config/module-matters.ts"
import type { ReadHeads } from "../config/package-heads.ts"
import type { Environment } from "../config/environment.ts"
import { RtrError } from "../error.ts"
import { type LoadedDocument, loadDocument } from "../generations/prepare.ts"
import { sha256 } from "./bare-kernel.ts"
import { loadRegistryFor, registryWithoutModules } from "./node-modules.ts"

/** A configuration file, checked. */
export interface LoadedConfig extends LoadedDocument {
  readonly path: string
  readonly hash: string
}

export interface LoadConfigOptions {
  readonly environment?: Environment
  /** Tells the heads of packages, so that a binding that asks another one is refused. */
  readonly readHeads?: ReadHeads
  /**
   * Whether the code of the modules that the file names runs, which it does when left out. What only they could judge then is in
   * `unchecked`.
   */
  readonly loadModules?: boolean
  /** Whether the file is only checked here: a variable that it needs and that is not set is a warning then. */
  readonly elsewhere?: boolean
}

/** Reads and checks a file. Rejects with a `ConfigError` that lists every problem, or an `RtrError` when it cannot be read. */
export async function loadConfig(path: string, options: LoadConfigOptions = {}): Promise<LoadedConfig> {
  const { environment = process.env, readHeads, loadModules = true, elsewhere = false } = options
  const text = readConfigFile(path)
  const loaded = await loadDocument(
    {
      environment: () => environment,
      loadRegistry: loadModules ? loadRegistryFor : registryWithoutModules,
      onlyCheck: { ...(!loadModules && { mayBeOfModule }), ...(elsewhere && { missingKeyVariables }) },
      ...(readHeads !== undefined && { readHeads }),
    },
    { text, source: path },
  )
  return { ...loaded, path, hash: await sha256(text) }
}

/** The text of a file. Throws `invalid_config` that says what to do when there is none. */
export function readConfigFile(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ENOENT"
    throw new RtrError(
      "invalid_config",
      missing
        ? `There is no file ${path}; make one with: rtr config init --output ${path}`
        : `Cannot read ${path}: ${(cause as Error).message}`,
      { cause },
    )
  }
}

/** Deployments that a loaded configuration needs. */
export function deploymentsOf(config: LoadedDocument): readonly NeededDeployment[] {
  return neededDeployments(config.document, config.registry)
}
